import { randomBytes } from 'node:crypto';
import { MCP_SCOPE } from '../support/span-recorder.js';

/** A span for `exportSpans`. */
export interface MadeSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string | undefined;
  readonly scope: string;
  readonly name: string;
  readonly durationMillis: number;
  readonly failed: boolean;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly events: readonly MadeEvent[];
}

export interface MadeEvent {
  readonly name: string;
  readonly attributes?: Readonly<Record<string, string>>;
}

export interface MadeCall {
  readonly outcome: string;
  readonly layer?: string | undefined;
  readonly tool?: string;
  readonly durationMillis?: number;
  readonly traceId?: string;
  readonly attributes?: Readonly<Record<string, string | number>>;
  readonly events?: readonly MadeEvent[];
}

const HTTP_SCOPE = '@opentelemetry/instrumentation-undici';

export const newTraceId = () => randomBytes(16).toString('hex');
const newSpanId = () => randomBytes(8).toString('hex');

/** What the instrumentations tell of one call in an agent's turn: the turn, the MCP span and the HTTP span. */
export function madeTurn(call: MadeCall): MadeSpan[] {
  const { outcome, layer, tool = 'search', durationMillis = 20, traceId = newTraceId() } = call;
  const turn = { traceId, spanId: newSpanId(), durationMillis: durationMillis + 2 };
  const mcp = {
    traceId,
    spanId: newSpanId(),
    parentSpanId: turn.spanId,
    durationMillis,
    attributes: {
      'mcp.method.name': 'tools/call',
      'gen_ai.tool.name': tool,
      'gen_ai.operation.name': 'execute_tool',
      'jsonrpc.request.id': '1',
      'mcp.outcome': outcome,
      'mcp.retry.origin': 'none',
      'server.address': 'mcp.example.com',
      'server.port': 443,
      'network.transport': 'tcp',
      ...(layer !== undefined && { 'mcp.error.layer': layer }),
      ...call.attributes,
    },
  };
  const plain = { failed: false, attributes: {}, events: [] };
  return [
    { ...plain, ...turn, scope: 'agent', name: 'turn' },
    {
      ...mcp,
      scope: MCP_SCOPE,
      name: `tools/call ${tool}`,
      failed: layer !== undefined,
      events: [{ name: 'mcp.http.response' }, { name: 'mcp.classified' }, ...(call.events ?? [])],
    },
    // It carries the outcome as well; that it ended well is what HTTP says.
    {
      ...plain,
      ...mcp,
      scope: HTTP_SCOPE,
      name: 'POST',
      spanId: newSpanId(),
      parentSpanId: mcp.spanId,
    },
  ];
}

/** Sends them as an OpenTelemetry SDK does, as JSON. @throws unless the collector takes them */
export async function exportSpans(
  otlpEndpoint: string,
  service: string,
  spans: readonly MadeSpan[],
): Promise<void> {
  const response = await fetch(`${otlpEndpoint}/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: exportRequest(service, spans),
  });
  const body = await response.text();
  if (!response.ok) throw new Error(`The collector answered ${response.status}: ${body}`);
}

function exportRequest(service: string, spans: readonly MadeSpan[]): string {
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: attributesOf({ 'service.name': service }) },
        scopeSpans: [...byScope(spans)].map(([name, ofScope]) => ({
          scope: { name },
          spans: ofScope.map(otlpSpan),
        })),
      },
    ],
  });
}

function byScope(spans: readonly MadeSpan[]): Map<string, MadeSpan[]> {
  const groups = new Map<string, MadeSpan[]>();
  for (const span of spans) {
    const group = groups.get(span.scope);
    if (group === undefined) groups.set(span.scope, [span]);
    else group.push(span);
  }
  return groups;
}

function otlpSpan(span: MadeSpan) {
  const end = BigInt(Date.now()) * 1_000_000n;
  const start = end - BigInt(Math.round(span.durationMillis * 1e6));
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId: span.parentSpanId ?? '',
    name: span.name,
    // CLIENT, and INTERNAL for the turn.
    kind: span.parentSpanId === undefined ? 1 : 3,
    startTimeUnixNano: String(start),
    endTimeUnixNano: String(end),
    attributes: attributesOf(span.attributes),
    events: span.events.map(({ name, attributes = {} }) => ({
      name,
      timeUnixNano: String(end),
      attributes: attributesOf(attributes),
    })),
    status: span.failed ? { code: 2 } : {},
  };
}

function attributesOf(attributes: Readonly<Record<string, string | number>>) {
  return Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value },
  }));
}
