import { SpanStatusCode } from '@opentelemetry/api';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  event,
  JSON_HEADERS,
  MCP_HEADERS,
  rpcError,
  SSE_HEADERS,
  toolResult,
  toolsCall,
} from '../support/json-rpc.js';
import { type Answer, CUT, type ScriptedServer, scriptedServer } from '../support/scripted-server.js';
import { startTracing, type Tracing } from '../support/tracing.js';

interface Row {
  readonly rule: string;
  readonly answer: Answer;
  readonly expected: Readonly<Record<string, unknown>>;
}

const progress = event('{"method":"notifications/progress","params":{},"jsonrpc":"2.0"}');
const json = (body: string, status = 200): Answer => ({ status, headers: JSON_HEADERS, body: [body] });
const sse = (...body: Answer['body'] extends Iterable<infer S> | undefined ? S[] : never): Answer => ({
  status: 200,
  headers: SSE_HEADERS,
  body,
});

const rows: Row[] = [
  { rule: 'a tool result', answer: json(toolResult()), expected: { 'mcp.outcome': 'TOOL_SUCCESS' } },
  {
    rule: 'isError true fails in the application layer',
    answer: json(toolResult({ isError: true })),
    expected: { 'mcp.outcome': 'TOOL_ERROR', 'mcp.error.layer': 'application', 'error.type': 'tool_error' },
  },
  {
    rule: 'a JSON-RPC error on 200 fails in the protocol layer',
    answer: json(rpcError(-32602)),
    expected: {
      'mcp.outcome': 'JSONRPC_ERROR',
      'mcp.error.layer': 'protocol',
      'error.type': '-32602',
      'rpc.response.status_code': '-32602',
    },
  },
  {
    rule: 'a 503 fails in the transport layer, whatever its body says',
    answer: json(toolResult(), 503),
    expected: { 'mcp.outcome': 'HTTP_ERROR', 'mcp.error.layer': 'transport', 'error.type': '503' },
  },
  {
    rule: 'an HTML page on 200 is not JSON',
    answer: { status: 200, headers: { 'content-type': 'text/html' }, body: ['<html></html>'] },
    expected: { 'mcp.outcome': 'MALFORMED_JSON', 'error.type': 'malformed_json' },
  },
  {
    rule: 'sent id 1, answered "1": ids are compared strictly',
    answer: json(toolResult({}, '1' as never)),
    expected: { 'mcp.outcome': 'INVALID_ENVELOPE', 'mcp.envelope.defect': 'id_mismatch' },
  },
  {
    rule: 'a response in a stream, after progress',
    answer: sse(progress, progress, event(toolResult())),
    expected: { 'mcp.outcome': 'TOOL_SUCCESS', 'mcp.stream.end': 'response', 'mcp.stream.events': 3 },
  },
  {
    rule: 'a stream that ends before the response is incomplete',
    answer: sse(progress),
    expected: { 'mcp.outcome': 'STREAM_INCOMPLETE', 'mcp.stream.end': 'closed', 'mcp.stream.events': 1 },
  },
  {
    rule: 'a stream that is cut before the response is incomplete',
    answer: sse(progress, CUT),
    expected: { 'mcp.outcome': 'STREAM_INCOMPLETE', 'mcp.stream.end': 'cut', 'mcp.stream.events': 1 },
  },
  {
    rule: 'input_required is no failure',
    answer: json(toolResult({ resultType: 'input_required', inputRequests: {} })),
    expected: { 'mcp.outcome': 'INPUT_REQUIRED', 'mcp.result.type': 'input_required' },
  },
  {
    rule: 'JSON labelled as a stream is read as JSON',
    answer: { status: 200, headers: SSE_HEADERS, body: [toolResult()] },
    expected: { 'mcp.outcome': 'TOOL_SUCCESS', 'mcp.http.content_type_mismatch': true },
  },
];

describe('a tools/call over fetch', () => {
  let server: ScriptedServer;
  let tracing: Tracing;
  let answer: Answer;

  beforeAll(async () => {
    server = await scriptedServer(() => answer);
    tracing = startTracing({ undici: 'first' });
  });
  afterEach(() => tracing.reset());
  afterAll(async () => {
    await tracing.stop();
    await server.close();
  });

  it.each(rows)('$rule', async (row) => {
    answer = row.answer;
    const response = await fetch(server.url, { method: 'POST', headers: MCP_HEADERS, body: toolsCall() });
    await response.text().catch(() => undefined);
    const [span] = await tracing.waitForSpans(1);
    const [httpSpan] = await tracing.waitForHttpSpans(1);
    expect(span?.attributes).toMatchObject({ 'mcp.method.name': 'tools/call', ...row.expected });
    expect('error.type' in (span?.attributes ?? {})).toBe(span?.status.code === SpanStatusCode.ERROR);
    expect(httpSpan?.parentSpanContext?.spanId).toBe(span?.spanContext().spanId);
  });

  it('a JSON POST that is not JSON-RPC makes no span', async () => {
    answer = json('{"id":"chatcmpl-1"}');
    const response = await fetch(server.url, {
      method: 'POST',
      headers: JSON_HEADERS,
      body: '{"model":"m","messages":[]}',
    });
    await response.text();
    await tracing.waitForHttpSpans(1);
    expect(tracing.startedSpans()).toBe(0);
  });

  it('disable gives the very same fetch back', () => {
    const wrapped = globalThis.fetch;
    tracing.mcp.disable();
    const original = globalThis.fetch;
    expect(original).not.toBe(wrapped);
    tracing.mcp.enable();
    expect(globalThis.fetch).not.toBe(original);
    tracing.mcp.disable();
    expect(globalThis.fetch).toBe(original);
    tracing.mcp.enable();
  });
});

describe('wrong configuration', () => {
  it.each([
    [{ sessionId: 'plain' }, 'sessionId'],
    [{ endpoints: ['/mcp'] }, 'endpoints[0]'],
    [{ maxBodyBytes: 0 }, 'maxBodyBytes'],
    [{ endpoint: [] }, 'endpoint'],
    [{ responseHook: 'log' }, 'responseHook'],
  ])('%o is refused by name', async (config, option) => {
    const { McpHttpInstrumentation } = await import('../../src/index.js');
    expect(() => new McpHttpInstrumentation(config as never)).toThrow(`option ${option} `);
  });
});
