import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { event, MCP_HEADERS, rpcError, SSE_HEADERS, toolResult, toolsCall } from '../support/json-rpc.js';
import { type Answer, CUT, type ScriptedServer, scriptedServer } from '../support/scripted-server.js';
import { startTracing, type Tracing, type TracingOptions } from '../support/tracing.js';

let server: ScriptedServer;
let tracing: Tracing;
let answer: (path: string) => Answer | typeof CUT;

beforeAll(async () => {
  server = await scriptedServer(({ path }) => answer(path));
});
afterEach(() => tracing.stop());
afterAll(() => server.close());

async function httpSpansOf(
  options: TracingOptions,
  given: typeof answer,
  count = 1,
  start: (tracing: Tracing) => void = () => {},
): Promise<ReadableSpan[]> {
  tracing = startTracing(options);
  start(tracing);
  answer = given;
  await fetch(server.url, { method: 'POST', headers: MCP_HEADERS, body: toolsCall() })
    .then((response) => response.text())
    .catch(() => undefined);
  await tracing.waitForSpans(1);
  return tracing.waitForHttpSpans(count);
}

/** What we put there; the rest is instrumentation-undici's. */
function ours(span: ReadableSpan | undefined) {
  const own = Object.entries(span?.attributes ?? {}).filter(([name]) =>
    /^(mcp|gen_ai|jsonrpc|rpc)\./.test(name),
  );
  return Object.fromEntries(own);
}

const hooked: TracingOptions = {
  undici: 'second',
  undiciConfig: (mcp) => ({ requestHook: mcp.httpSpanHook }),
};

const STARTED = {
  'mcp.method.name': 'tools/call',
  'gen_ai.tool.name': 'echo',
  'jsonrpc.request.id': '1',
  'mcp.retry.origin': 'none',
};
const SUCCESS = { ...STARTED, 'mcp.outcome': 'TOOL_SUCCESS', 'mcp.result.type': 'complete' };

const rows: readonly [rule: string, answer: Answer, expected: object][] = [
  ['success', { body: [toolResult()] }, SUCCESS],
  [
    'an error, with its layer and code',
    { body: [rpcError(-32602)] },
    {
      ...STARTED,
      'mcp.outcome': 'JSONRPC_ERROR',
      'mcp.error.layer': 'protocol',
      'rpc.response.status_code': '-32602',
    },
  ],
  [
    'an HTTP error without a body',
    { status: 503 },
    { ...STARTED, 'mcp.outcome': 'HTTP_ERROR', 'mcp.error.layer': 'transport' },
  ],
  ['a response in a stream', { headers: SSE_HEADERS, body: [event(toolResult())] }, SUCCESS],
  [
    'a stream that is cut',
    { headers: SSE_HEADERS, body: [event('{}'), CUT] },
    { ...STARTED, 'mcp.outcome': 'STREAM_INCOMPLETE', 'mcp.error.layer': 'transport' },
  ],
];

describe('the HTTP span carries', () => {
  it.each(rows)('%s', async (_, given, expected) => {
    const [span] = await httpSpansOf(hooked, () => given);
    expect(ours(span)).toEqual(expected);
  });

  it('without a response what the call is: what came of it is known when the span has ended', async () => {
    const [span] = await httpSpansOf(hooked, () => CUT);
    expect(ours(span)).toEqual(STARTED);
  });

  it('the same when instrumentation-undici was there first', async () => {
    const [span] = await httpSpansOf(
      { undici: 'first' },
      () => ({ body: [toolResult()] }),
      1,
      ({ mcp, undici }) => {
        undici?.setConfig({ requestHook: mcp.httpSpanHook });
      },
    );
    expect(ours(span)).toEqual(SUCCESS);
  });

  it.each([
    ['ours', hooked],
    ['instrumentation-undici', { undici: 'first' } as const],
  ])('of a hop what the call is; the outcome is on the last one (%s first)', async (_, options) => {
    const redirect = { status: 307, headers: { location: '/1' } };
    const spans = await httpSpansOf(
      options,
      (path) => (path === '/mcp' ? redirect : { body: [toolResult()] }),
      2,
      ({ mcp, undici }) => undici?.setConfig({ requestHook: mcp.httpSpanHook }),
    );
    expect(spans.map(ours)).toEqual([STARTED, SUCCESS]);
  });

  it('nothing with httpSpan: false', async () => {
    const [span] = await httpSpansOf({ ...hooked, config: { httpSpan: false } }, () => ({
      body: [toolResult()],
    }));
    expect(ours(span)).toEqual({});
  });

  it('nothing where the hook was not given', async () => {
    const [span] = await httpSpansOf({ undici: 'second' }, () => ({ body: [toolResult()] }));
    expect(ours(span)).toEqual({});
  });
});

describe('chainHttpSpanHook', () => {
  it('calls the hook that was there, with the span and the request, after ours', async () => {
    const seen: unknown[] = [];
    const [span] = await httpSpansOf(
      {
        undici: 'second',
        undiciConfig: (mcp) => ({
          requestHook: mcp.chainHttpSpanHook((httpSpan, request) => {
            seen.push((request as { path: string }).path);
            httpSpan.setAttribute('tenant', 't1');
          }),
        }),
      },
      () => ({ body: [toolResult()] }),
    );
    expect(seen).toEqual(['/mcp']);
    expect(span?.attributes['tenant']).toBe('t1');
    expect(ours(span)).toEqual(SUCCESS);
  });

  it('what the other hook throws is not swallowed here, and ours has been done', async () => {
    const [span] = await httpSpansOf(
      {
        undici: 'second',
        undiciConfig: (mcp) => ({
          requestHook: mcp.chainHttpSpanHook(() => {
            throw new Error('theirs');
          }),
        }),
      },
      () => ({ body: [toolResult()] }),
    );
    expect(ours(span)).toEqual(SUCCESS);
  });
});

it.each([undefined, null, 'request', 7])(
  'a hook that is given %s for a request does nothing',
  async (request) => {
    tracing = startTracing(hooked);
    const span = tracing.provider.getTracer('test').startSpan('http');
    expect(() => tracing.mcp.httpSpanHook(span, request)).not.toThrow();
    span.end();
  },
);
