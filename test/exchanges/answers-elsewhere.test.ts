import type { Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { event, MCP_HEADERS, notification, SSE_HEADERS, toolResult, toolsCall } from '../support/json-rpc.js';
import {
  type Answer,
  CUT,
  type Script,
  type ScriptedServer,
  STAY_OPEN,
  scriptedServer,
} from '../support/scripted-server.js';
import { type Signal, signal } from '../support/signal.js';
import { startTracing, type Tracing } from '../support/tracing.js';

// Long enough never to be what ends a call, except where a row says so.
const NEVER = 60_000;

let server: ScriptedServer;
let tracing: Tracing;
let answer: Script;

async function start(config: { pendingTimeoutMillis?: number } = {}): Promise<void> {
  server = await scriptedServer((request) => answer(request));
  tracing = startTracing({ config: { pendingTimeoutMillis: NEVER, ...config } });
}

afterEach(async () => {
  await tracing.stop();
  await server.close();
});

const sse = (...body: Answer['body'] extends Iterable<infer Step> | undefined ? Step[] : never): Answer => ({
  headers: SSE_HEADERS,
  body,
});
const accepted: Answer = { status: 202, headers: { 'content-type': 'text/plain' }, body: ['Accepted'] };
const endpointEvent = (url: string): string => event(url, 'event: endpoint\n');

function post(body: string, path = '/mcp', headers: Record<string, string> = {}): Promise<Response> {
  return fetch(server.origin + path, { method: 'POST', headers: { ...MCP_HEADERS, ...headers }, body });
}

/** Opens a stream as `EventSource` and the SDKs do. */
function openStream(
  path: string,
  headers: Record<string, string> = {},
  abort?: AbortSignal,
): Promise<Response> {
  return fetch(server.origin + path, {
    headers: { accept: 'text/event-stream', ...headers },
    ...(abort !== undefined && { signal: abort }),
  });
}

/** Reads on until the application has this much text; a stream that stays open never ends. */
async function readUntil(response: Response, text: string): Promise<void> {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  let seen = '';
  while (!seen.includes(text)) {
    const { done, value } = await reader.read();
    if (done) throw new Error(`the stream ended without ${text}`);
    seen += Buffer.from(value).toString();
  }
  reader.releaseLock();
}

// Node has zstd from 22.15 on, and its types here are those of the oldest Node.
const { createZstdCompress } = zlib as unknown as { createZstdCompress?: () => Transform };

const CODINGS: { coding: string; compress: () => Transform }[] = [
  { coding: 'gzip', compress: () => zlib.createGzip() },
  { coding: 'deflate', compress: () => zlib.createDeflate() },
  { coding: 'br', compress: () => zlib.createBrotliCompress() },
  ...(createZstdCompress === undefined ? [] : [{ coding: 'zstd', compress: createZstdCompress }]),
];

/** Each part compressed and flushed, so that it can be decoded before the next one; the coding goes on. */
async function flushedParts(compressor: Transform, parts: readonly string[]): Promise<Buffer[]> {
  const flushed: Buffer[] = [];
  let pending: Buffer[] = [];
  compressor.on('data', (bytes: Buffer) => pending.push(bytes));
  for (const part of parts) {
    compressor.write(part);
    await new Promise<void>((done) => (compressor as unknown as zlib.Gzip).flush(done));
    flushed.push(Buffer.concat(pending));
    pending = [];
  }
  return flushed;
}

const outcomeOf = (span: ReadableSpan | undefined): unknown => span?.attributes['mcp.outcome'];

describe('HTTP+SSE (2024-11-05)', () => {
  let sendAnswer: Signal;

  beforeEach(async () => {
    await start();
    sendAnswer = signal();
  });

  /** The stream announces a URL, waits, and then has these steps. */
  function legacy(
    ...rest: NonNullable<Answer['body']> extends Iterable<infer Step> ? Step[] : never
  ): Script {
    return ({ method }) =>
      method === 'GET' ? sse(endpointEvent('/messages?sessionId=a'), sendAnswer.seen, ...rest) : accepted;
  }

  it('the answer on the stream ends the call, whose POST was only accepted', async () => {
    answer = legacy(event(toolResult({ isError: true })), STAY_OPEN);
    const stream = await openStream('/sse');
    await readUntil(stream, 'endpoint');
    expect(await (await post(toolsCall(), '/messages?sessionId=a')).text()).toBe('Accepted');
    expect(tracing.spans()).toHaveLength(0);
    sendAnswer.give();
    const [span] = await tracing.waitForSpans(1);
    expect(span?.attributes).toMatchObject({
      'mcp.outcome': 'TOOL_ERROR',
      'http.response.status_code': 202,
      'mcp.http.status_codes': [202],
      'mcp.stream.end': 'response',
    });
    // The stream carries other calls' events too.
    expect(span?.attributes).not.toHaveProperty('mcp.stream.events');
    await stream.body?.cancel();
  });

  it('an answer that overtakes the 202 ends the call when it came, and the 202 is told all the same', async () => {
    const answered = signal();
    answer = async ({ method }) => {
      if (method === 'GET') {
        return sse(endpointEvent('/messages?sessionId=a'), sendAnswer.seen, event(toolResult()), STAY_OPEN);
      }
      sendAnswer.give();
      await answered.seen;
      return accepted;
    };
    const stream = await openStream('/sse');
    await readUntil(stream, 'endpoint');
    const pending = post(toolsCall(), '/messages?sessionId=a');
    await readUntil(stream, 'result');
    expect(tracing.spans()).toHaveLength(0);
    answered.give();
    await (await pending).text();
    const [span] = await tracing.waitForSpans(1);
    expect(span?.attributes).toMatchObject({ 'mcp.outcome': 'TOOL_SUCCESS', 'mcp.http.status_codes': [202] });
    await stream.body?.cancel();
  });

  it('two clients with equal ids each get their own answer', async () => {
    answer = ({ method, path }) => {
      if (method === 'POST') return accepted;
      const client = path.endsWith('a') ? 'a' : 'b';
      return sse(
        endpointEvent(`/messages?sessionId=${client}`),
        sendAnswer.seen,
        event(toolResult({ isError: client === 'a' })),
        STAY_OPEN,
      );
    };
    const streams = await Promise.all([openStream('/sse/a'), openStream('/sse/b')]);
    for (const stream of streams) await readUntil(stream, 'endpoint');
    await (await post(toolsCall('of-a'), '/messages?sessionId=a')).text();
    await (await post(toolsCall('of-b'), '/messages?sessionId=b')).text();
    sendAnswer.give();
    const spans = await tracing.waitForSpans(2);
    expect(Object.fromEntries(spans.map((span) => [span.name, outcomeOf(span)]))).toEqual({
      'tools/call of-a': 'TOOL_ERROR',
      'tools/call of-b': 'TOOL_SUCCESS',
    });
    for (const stream of streams) await stream.body?.cancel();
  });

  it.each([
    ['is cut', [CUT], { 'mcp.outcome': 'STREAM_INCOMPLETE', 'mcp.stream.end': 'cut' }],
    ['ends', [], { 'mcp.outcome': 'STREAM_INCOMPLETE', 'mcp.stream.end': 'closed' }],
  ] as const)('a call is incomplete when the stream %s before its answer', async (_how, rest, expected) => {
    answer = legacy(...rest);
    const stream = await openStream('/sse');
    await readUntil(stream, 'endpoint');
    await (await post(toolsCall(), '/messages?sessionId=a')).text();
    sendAnswer.give();
    await stream.text().catch(() => undefined);
    const [span] = await tracing.waitForSpans(1);
    expect(span?.attributes).toMatchObject(expected);
  });

  it('a client that closes its stream has given up its calls', async () => {
    answer = legacy(STAY_OPEN);
    const controller = new AbortController();
    const stream = await openStream('/sse', {}, controller.signal);
    await readUntil(stream, 'endpoint');
    await (await post(toolsCall(), '/messages?sessionId=a')).text();
    controller.abort();
    const [span] = await tracing.waitForSpans(1);
    expect(outcomeOf(span)).toBe('CANCELLED');
  });

  it("the SDKs' notice of a timeout ends the call as TIMEOUT", async () => {
    answer = legacy(STAY_OPEN);
    const stream = await openStream('/sse');
    await readUntil(stream, 'endpoint');
    await (await post(toolsCall(), '/messages?sessionId=a')).text();
    const notice = { requestId: 1, reason: 'McpError: MCP error -32001: Request timed out' };
    await (await post(notification('notifications/cancelled', notice), '/messages?sessionId=a')).text();
    const spans = await tracing.waitForSpans(2);
    expect(spans.map(outcomeOf).sort()).toEqual(['ACCEPTED', 'TIMEOUT']);
    await stream.body?.cancel();
  });

  it('some servers take a POST with 200 and an empty body', async () => {
    const script = legacy(event(toolResult()), STAY_OPEN);
    answer = (request) => (request.method === 'GET' ? script(request) : { status: 200 });
    const stream = await openStream('/sse');
    await readUntil(stream, 'endpoint');
    await (await post(toolsCall(), '/messages?sessionId=a')).text();
    sendAnswer.give();
    const [span] = await tracing.waitForSpans(1);
    expect(span?.attributes).toMatchObject({ 'mcp.outcome': 'TOOL_SUCCESS', 'mcp.http.status_codes': [200] });
    await stream.body?.cancel();
  });

  it('a client that discards the body of its 202 has not given up', async () => {
    answer = ({ method }) =>
      method === 'GET'
        ? sse(endpointEvent('/messages?sessionId=a'), sendAnswer.seen, event(toolResult()), STAY_OPEN)
        : { ...accepted, body: ['Acc', STAY_OPEN] };
    const stream = await openStream('/sse');
    await readUntil(stream, 'endpoint');
    const response = await post(toolsCall(), '/messages?sessionId=a');
    await response.body?.cancel();
    sendAnswer.give();
    const [span] = await tracing.waitForSpans(1);
    expect(outcomeOf(span)).toBe('TOOL_SUCCESS');
    await stream.body?.cancel();
  });
});

describe('a request answered 202 in Streamable HTTP', () => {
  const inSession = { 'mcp-session-id': 's-1' };

  it('is answered on the standalone stream of its session', async () => {
    await start();
    const sendAnswer = signal();
    answer = ({ method }) =>
      method === 'GET'
        ? sse(event(notification('notifications/tools/list_changed')), sendAnswer.seen, event(toolResult()))
        : { status: 202 };
    const stream = await openStream('/mcp', inSession);
    await readUntil(stream, 'list_changed');
    await (await post(toolsCall(), '/mcp', inSession)).text();
    sendAnswer.give();
    await readUntil(stream, 'result');
    const [span] = await tracing.waitForSpans(1);
    expect(span?.attributes).toMatchObject({ 'mcp.outcome': 'TOOL_SUCCESS', 'mcp.stream.end': 'response' });
  });

  it('is not answered by the stream of another session', async () => {
    await start({ pendingTimeoutMillis: 20 });
    answer = ({ method }) => (method === 'GET' ? sse(event(toolResult())) : { status: 202 });
    await (await post(toolsCall(), '/mcp', inSession)).text();
    await (await openStream('/mcp', { 'mcp-session-id': 's-2' })).text();
    const [span] = await tracing.waitForSpans(1);
    expect(outcomeOf(span)).toBe('STREAM_INCOMPLETE');
  });

  it("without sessions, an answer that two calls may claim is nobody's", async () => {
    await start({ pendingTimeoutMillis: 50 });
    answer = ({ method }) => (method === 'GET' ? sse(event(toolResult())) : { status: 202 });
    await Promise.all([post(toolsCall('one')), post(toolsCall('other'))].map(async (r) => (await r).text()));
    await (await openStream('/mcp', { 'mcp-protocol-version': '2025-06-18' })).text();
    const spans = await tracing.waitForSpans(2);
    expect(spans.map((span) => [outcomeOf(span), span.attributes['mcp.unclassified.reason']])).toEqual([
      ['UNCLASSIFIED', 'body_not_read'],
      ['UNCLASSIFIED', 'body_not_read'],
    ]);
  });

  it('waits longer than pendingTimeoutMillis while a stream is open that may answer', async () => {
    await start({ pendingTimeoutMillis: 5 });
    const sendAnswer = signal();
    answer = ({ method }) =>
      method === 'GET' ? sse(event('hello'), sendAnswer.seen, event(toolResult())) : { status: 202 };
    const stream = await openStream('/mcp', inSession);
    await readUntil(stream, 'hello');
    await (await post(toolsCall(), '/mcp', inSession)).text();
    // Timers of equal length fire in order: after this one, ours has had its chance several times.
    for (let i = 0; i < 5; i++) await new Promise((resolve) => setTimeout(resolve, 6));
    expect(tracing.spans()).toHaveLength(0);
    sendAnswer.give();
    await readUntil(stream, 'result');
    const [span] = await tracing.waitForSpans(1);
    expect(outcomeOf(span)).toBe('TOOL_SUCCESS');
  });

  it('ends as evicted when the instrumentation is disabled', async () => {
    await start();
    answer = () => ({ status: 202 });
    await (await post(toolsCall())).text();
    tracing.mcp.disable();
    const [span] = await tracing.waitForSpans(1);
    expect(span?.attributes).toMatchObject({
      'mcp.outcome': 'UNCLASSIFIED',
      'mcp.unclassified.reason': 'evicted',
    });
  });
});

describe('a stream that a GET resumes', () => {
  const priming = 'id: p-1\ndata:\n\n';
  const progress = event(notification('notifications/progress', { progress: 1 }), 'id: p-2\n');
  const headers = { 'mcp-session-id': 's-1' };

  function resumeWith(id: string): Promise<Response> {
    return openStream('/mcp', { ...headers, 'last-event-id': id });
  }

  it.each([
    ['primed and ended', [priming], 'p-1', 0],
    ['ended after progress', [priming, progress], 'p-2', 1],
    ['was cut after progress', [priming, progress, CUT], 'p-2', 1],
  ] as const)("makes one span, though the POST's stream %s", async (_how, steps, lastId, events) => {
    await start();
    answer = ({ method }) => (method === 'POST' ? sse(...steps) : sse(event(toolResult())));
    await (await post(toolsCall(), '/mcp', headers)).text().catch(() => undefined);
    expect(tracing.spans()).toHaveLength(0);
    await (await resumeWith(lastId)).text();
    const [span] = await tracing.waitForSpans(1);
    expect(span?.attributes).toMatchObject({
      'mcp.outcome': 'TOOL_SUCCESS',
      'mcp.stream.resumptions': 1,
      'mcp.stream.events': events + 1,
      'mcp.stream.end': 'response',
      'mcp.http.post_count': 1,
    });
    const cut = steps.includes(CUT as never);
    expect(span?.events.map(({ name, attributes }) => [name, attributes?.['mcp.stream.events']])).toEqual([
      ['mcp.http.response', undefined],
      ...(cut ? [['mcp.stream.cut', events]] : []),
      ['mcp.http.response', undefined],
      ['mcp.stream.resumed', events],
      ['mcp.classified', undefined],
    ]);
  });

  it('may end early again, and be resumed again', async () => {
    await start();
    const streams = [sse(priming), sse(progress), sse(event(toolResult()))];
    answer = () => streams.shift() ?? { status: 500 };
    await (await post(toolsCall(), '/mcp', headers)).text();
    await (await resumeWith('p-1')).text();
    await (await resumeWith('p-2')).text();
    const [span] = await tracing.waitForSpans(1);
    expect(span?.attributes).toMatchObject({
      'mcp.outcome': 'TOOL_SUCCESS',
      'mcp.stream.resumptions': 2,
      'mcp.stream.events': 2,
    });
  });

  it('a GET that is refused leaves the call waiting for the next', async () => {
    await start();
    const answers: Answer[] = [sse(priming), { status: 503 }, sse(event(toolResult()))];
    answer = () => answers.shift() ?? { status: 500 };
    await (await post(toolsCall(), '/mcp', headers)).text();
    await (await resumeWith('p-1')).text();
    await (await resumeWith('p-1')).text();
    const [span] = await tracing.waitForSpans(1);
    expect(span?.attributes).toMatchObject({ 'mcp.outcome': 'TOOL_SUCCESS', 'mcp.stream.resumptions': 1 });
  });

  it('an application that aborts the resumed stream has given up', async () => {
    await start();
    const answers: Answer[] = [sse(priming), sse(progress, STAY_OPEN)];
    answer = () => answers.shift() ?? { status: 500 };
    await (await post(toolsCall(), '/mcp', headers)).text();
    const controller = new AbortController();
    const stream = await openStream('/mcp', { ...headers, 'last-event-id': 'p-1' }, controller.signal);
    await readUntil(stream, 'progress');
    controller.abort();
    const [span] = await tracing.waitForSpans(1);
    expect(span?.attributes).toMatchObject({ 'mcp.outcome': 'CANCELLED', 'mcp.stream.end': 'aborted' });
  });

  it('nobody resumes: the call ended when its stream did, as incomplete', async () => {
    await start({ pendingTimeoutMillis: 300 });
    answer = () => sse(priming, progress);
    await (await post(toolsCall(), '/mcp', headers)).text();
    const [span] = await tracing.waitForSpans(1);
    expect(span?.attributes).toMatchObject({
      'mcp.outcome': 'STREAM_INCOMPLETE',
      'mcp.stream.end': 'closed',
      'mcp.stream.events': 1,
    });
    const [seconds, nanoseconds] = span?.duration ?? [9, 0];
    expect(seconds * 1e3 + nanoseconds / 1e6).toBeLessThan(300);
  });

  it('disable() ends it as what it is', async () => {
    await start();
    answer = () => sse(priming, progress);
    await (await post(toolsCall(), '/mcp', headers)).text();
    tracing.mcp.disable();
    const [span] = await tracing.waitForSpans(1);
    expect(outcomeOf(span)).toBe('STREAM_INCOMPLETE');
  });

  it('in 2026-07-28 there is no resumption: the call ends with its stream', async () => {
    await start();
    answer = () => sse(priming, progress);
    await (await post(toolsCall(), '/mcp', { 'mcp-protocol-version': '2026-07-28' })).text();
    const [span] = await tracing.waitForSpans(1);
    expect(outcomeOf(span)).toBe('STREAM_INCOMPLETE');
  });
});

describe('streams that a GET opens', () => {
  it.each([
    ['a stream of MCP', sse(event(notification('notifications/message', {}))), { 'mcp-session-id': 's-1' }],
    ['405: the server has none', { status: 405 }, { 'mcp-session-id': 's-1' }],
    ['404: the session is over', { status: 404 }, { 'mcp-session-id': 's-1' }],
    ['a stream that is cut', sse(event('x'), CUT), { 'mcp-session-id': 's-1' }],
    ["somebody else's event stream", sse(event('{"result":1,"id":1,"jsonrpc":"2.0"}')), {}],
  ] as [string, Answer, Record<string, string>][])('%s makes no span', async (_what, reply, headers) => {
    await start();
    answer = ({ method }) => (method === 'GET' ? reply : { status: 202 });
    await (await openStream('/mcp', headers)).text().catch(() => undefined);
    await (await fetch(server.url, { method: 'DELETE', headers })).text();
    expect(tracing.startedSpans()).toBe(0);
  });

  it.each(CODINGS)(
    'are decoded as they come when they are compressed ($coding)',
    async ({ coding, compress }) => {
      await start();
      const inSession = { 'mcp-session-id': 's-1' };
      const asked = signal();
      const [first, answered] = await flushedParts(compress(), [
        event(notification('notifications/tools/list_changed')),
        event(toolResult()),
      ]);
      answer = ({ method }) =>
        method === 'GET'
          ? {
              headers: { ...SSE_HEADERS, 'content-encoding': coding },
              body: [first ?? '', asked.seen, answered ?? '', STAY_OPEN],
            }
          : { status: 202 };
      // Whether the application can read it is its own affair: fetch knows fewer codings than Node.
      const stream = await openStream('/mcp', inSession);
      await (await post(toolsCall(), '/mcp', inSession)).text();
      asked.give();
      const [span] = await tracing.waitForSpans(1);
      expect(outcomeOf(span)).toBe('TOOL_SUCCESS');
      await stream.body?.cancel();
    },
  );
});
