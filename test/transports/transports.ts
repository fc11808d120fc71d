import { context, trace } from '@opentelemetry/api';
import type { Dispatcher } from 'undici7';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  event,
  JSON_HEADERS,
  MCP_HEADERS,
  notification,
  rpcError,
  SSE_HEADERS,
  toolResult,
  toolsCall,
} from '../support/json-rpc.js';
import {
  type Answer,
  CUT,
  RESET,
  type ScriptedServer,
  type Speech,
  scriptedServer,
} from '../support/scripted-server.js';
import { selfSigned } from '../support/self-signed.js';
import { within } from '../support/signal.js';
import { startTracing, type Tracing } from '../support/tracing.js';
import { type ForwardProxy, proxyServer } from './proxy.js';
import { type Received, SENDERS, type Sender, type Undici } from './senders.js';

/** One way from the application to the server. */
interface Transport {
  readonly name: string;
  readonly send: keyof typeof SENDERS;
  readonly speech?: 'http1' | 'h2c' | 'h2';
  /** Absent: the global one. */
  readonly dispatcher?: (undici: Undici, to: Destination) => Dispatcher | undefined;
  /** Whether this copy of undici can do it; by default it can. */
  readonly in?: (undici: Undici) => boolean;
}

interface Destination {
  readonly origin: string;
  readonly proxy: string;
  readonly ca: string;
}

const clients: Record<string, NonNullable<Transport['dispatcher']>> = {
  Client: (undici, { origin }) => new undici.Client(origin),
  Pool: (undici, { origin }) => new undici.Pool(origin),
  BalancedPool: (undici, { origin }) => new undici.BalancedPool(origin),
  Agent: (undici) => new undici.Agent(),
  ProxyAgent: (undici, { proxy }) => new undici.ProxyAgent(proxy),
};

// undici 5's HTTP/2 is an experiment that never tells its caller of a reset.
const hasHttp2 = (undici: Undici): boolean => 'RetryAgent' in undici;

const h2 = (undici: Undici, { ca }: Destination) => new undici.Agent({ allowH2: true, connect: { ca } });

const transports: Transport[] = [
  { name: 'undici.request', send: 'request' },
  { name: 'undici.stream', send: 'stream' },
  { name: 'undici.pipeline', send: 'pipeline' },
  { name: 'undici.fetch', send: 'fetch' },
  { name: 'dispatch', send: 'dispatch' },
  ...Object.entries(clients).flatMap(([name, dispatcher]): Transport[] => [
    { name: `undici.request through a ${name}`, send: 'request', dispatcher },
    { name: `undici.fetch through a ${name}`, send: 'fetch', dispatcher },
  ]),
  { name: 'undici.request over HTTP/2', send: 'request', speech: 'h2', dispatcher: h2, in: hasHttp2 },
  { name: 'undici.fetch over HTTP/2', send: 'fetch', speech: 'h2', dispatcher: h2, in: hasHttp2 },
  { name: 'undici.stream over HTTP/2', send: 'stream', speech: 'h2', dispatcher: h2, in: hasHttp2 },
];

interface Case {
  readonly rule: string;
  readonly answer: Answer | typeof CUT;
  readonly told: Readonly<Record<string, unknown>>;
  /** What is told where undici takes a reset for the body's end, and tells the application no error either. */
  readonly toldOfCleanEnd?: Readonly<Record<string, unknown>>;
}

const STREAM_CUT = { 'mcp.outcome': 'STREAM_INCOMPLETE', 'mcp.stream.end': 'cut', 'mcp.stream.events': 1 };
const BODY_CUT = { 'mcp.outcome': 'STREAM_INCOMPLETE', 'http.response.status_code': 200 };

const progress = event(notification('notifications/progress', { progress: 1 }));

const cases: Case[] = [
  {
    rule: 'a result',
    answer: { headers: JSON_HEADERS, body: [toolResult()] },
    told: { 'mcp.outcome': 'TOOL_SUCCESS', 'http.response.status_code': 200 },
  },
  {
    rule: 'a tool error',
    answer: { headers: JSON_HEADERS, body: [toolResult({ isError: true })] },
    told: { 'mcp.outcome': 'TOOL_ERROR', 'error.type': 'tool_error', 'http.response.status_code': 200 },
  },
  {
    rule: 'a JSON-RPC error on 404',
    answer: { status: 404, headers: JSON_HEADERS, body: [rpcError(-32601)] },
    told: {
      'mcp.outcome': 'HTTP_ERROR',
      'error.type': '404',
      'rpc.response.status_code': '-32601',
      'http.response.status_code': 404,
    },
  },
  {
    rule: 'a stream with the response',
    answer: { headers: SSE_HEADERS, body: [progress, progress, event(toolResult())] },
    told: { 'mcp.outcome': 'TOOL_SUCCESS', 'mcp.stream.end': 'response', 'mcp.stream.events': 3 },
  },
  {
    rule: 'a stream that is cut',
    answer: { headers: SSE_HEADERS, body: [progress, CUT] },
    told: STREAM_CUT,
    toldOfCleanEnd: { ...STREAM_CUT, 'mcp.stream.end': 'closed' },
  },
  {
    rule: 'a JSON body that is cut',
    answer: { headers: JSON_HEADERS, body: [toolResult().slice(0, 30), CUT] },
    told: BODY_CUT,
    toldOfCleanEnd: { 'mcp.outcome': 'MALFORMED_JSON', 'http.response.status_code': 200 },
  },
  {
    rule: 'no response',
    answer: CUT,
    told: { 'mcp.outcome': 'NETWORK_ERROR' },
  },
];

const http2Cases: Case[] = [
  {
    rule: 'a stream that is reset with an error',
    answer: { headers: SSE_HEADERS, body: [progress, RESET] },
    told: STREAM_CUT,
    toldOfCleanEnd: { ...STREAM_CUT, 'mcp.stream.end': 'closed' },
  },
  {
    rule: 'a JSON body that is reset with an error',
    answer: { headers: JSON_HEADERS, body: [toolResult().slice(0, 30), RESET] },
    told: BODY_CUT,
    toldOfCleanEnd: { 'mcp.outcome': 'MALFORMED_JSON', 'http.response.status_code': 200 },
  },
];

/** Every transport of one copy of undici with every answer. */
export function describeTransports(undici: Undici): void {
  const certificate = selfSigned();
  const speeches: Record<NonNullable<Transport['speech']>, Speech> = {
    http1: 'http1',
    h2c: 'h2c',
    h2: certificate,
  };
  let servers: Record<NonNullable<Transport['speech']>, ScriptedServer>;
  let proxy: ForwardProxy;
  let tracing: Tracing;
  let answer: Answer | typeof CUT;

  beforeAll(async () => {
    const [http1, h2c, h2] = await Promise.all(
      Object.values(speeches).map((speech) => scriptedServer(() => answer, { speech })),
    );
    servers = { http1, h2c, h2 } as typeof servers;
    proxy = await proxyServer();
    tracing = startTracing();
  });
  afterEach(() => tracing.reset());
  afterAll(async () => {
    await tracing.stop();
    await Promise.all([...Object.values(servers), proxy].map((server) => server.close()));
  });

  async function call(transport: Transport): Promise<Received> {
    const { origin, url } = servers[transport.speech ?? 'http1'];
    const dispatcher = transport.dispatcher?.(undici, { origin, proxy: proxy.url, ca: certificate.cert });
    const sent = { url, headers: { ...MCP_HEADERS }, body: toolsCall(), dispatcher };
    try {
      const send: Sender = SENDERS[transport.send];
      return await within(3_000, 'the answer at the application', send(undici, sent));
    } finally {
      await dispatcher?.destroy();
    }
  }

  for (const transport of transports.filter((candidate) => candidate.in?.(undici) ?? true)) {
    describe(transport.name, () => {
      const rows = transport.speech === undefined ? cases : [...cases, ...http2Cases];
      it.each(rows)('$rule', async ({ answer: given, told, toldOfCleanEnd }) => {
        answer = given;
        tracing.mcp.disable();
        const without = await call(transport);
        tracing.mcp.enable();
        const parent = tracing.provider.getTracer('application').startSpan('parent');
        const seen = await context.with(trace.setSpan(context.active(), parent), () => call(transport));
        expect(seen).toEqual(without);
        const [span] = await tracing.waitForSpans(1);
        expect(span?.attributes).toMatchObject((seen.error === undefined && toldOfCleanEnd) || told);
        expect(span?.attributes['mcp.http.post_count']).toBe(1);
        expect(span?.parentSpanContext?.spanId).toBe(parent.spanContext().spanId);
      });
    });
  }
}
