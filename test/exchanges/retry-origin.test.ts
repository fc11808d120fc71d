import { context, type Link, trace } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { withRetryOrigin } from '../../src/index.js';
import { titled } from '../protocol/titled.js';
import { JSON_HEADERS, MCP_HEADERS, request, rpcError, toolResult, toolsCall } from '../support/json-rpc.js';
import { type Answer, CUT, type ScriptedServer, scriptedServer } from '../support/scripted-server.js';
import { startTracing, type Tracing } from '../support/tracing.js';

let server: ScriptedServer;
let tracing: Tracing;
let answers: (Answer | typeof CUT)[];

beforeAll(async () => {
  server = await scriptedServer(() => answers.shift() ?? { status: 500 });
  tracing = startTracing();
});
afterEach(() => {
  tracing.reset();
  // Forgets what has failed: one row's call isn't the next one's earlier attempt.
  tracing.mcp.disable();
  tracing.mcp.enable();
});
afterAll(async () => {
  await tracing.stop();
  await server.close();
});

const json = (body: string, status = 200, headers: Record<string, string> = {}): Answer => ({
  status,
  headers: { ...JSON_HEADERS, ...headers },
  body: [body],
});
const ok = json(toolResult());
const okFor = (id: number): Answer => json(toolResult({}, id));
const busy = json('{}', 503);
const challenge = json('{}', 401, { 'www-authenticate': 'Bearer' });

/** One sending of a call. */
interface Sent {
  readonly answer: Answer | typeof CUT;
  /** Of the application's spans, by name: sends with the same caller are part of the same span. */
  readonly caller?: string;
  /** Callers of one trace. */
  readonly trace?: string;
  readonly id?: number;
  readonly tool?: string;
  readonly params?: object;
  readonly body?: string;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
  readonly origin?: 'application' | 'manual';
}

const callers = new Map<string, ReturnType<typeof trace.setSpan>>();

function callerContext({ caller, trace: traceName }: Sent) {
  if (caller === undefined) return context.active();
  const tracer = tracing.provider.getTracer('application');
  const rootName = traceName ?? caller;
  const root = callers.get(rootName) ?? trace.setSpan(context.active(), tracer.startSpan(rootName));
  callers.set(rootName, root);
  if (rootName === caller) return root;
  const inner = callers.get(caller) ?? trace.setSpan(root, tracer.startSpan(caller, {}, root));
  callers.set(caller, inner);
  return inner;
}

async function send(sent: Sent): Promise<void> {
  answers = [sent.answer];
  const post = () =>
    fetch(server.url, {
      method: 'POST',
      headers: { ...MCP_HEADERS, ...sent.headers },
      body: sent.body ?? toolsCall(sent.tool ?? 'search', sent.id ?? 1, sent.params),
      ...(sent.signal !== undefined && { signal: sent.signal }),
    }).then((response) => response.text());
  const { origin } = sent;
  const act = origin === undefined ? post : () => withRetryOrigin(origin, post);
  await context.with(callerContext(sent), act).catch(() => undefined);
}

async function sendAll(sends: readonly Sent[]): Promise<ReadableSpan[]> {
  callers.clear();
  for (const sent of sends) await send(sent);
  return tracing.waitForSpans(sends.length);
}

const linkTypes = (span: ReadableSpan | undefined): unknown[] =>
  (span?.links ?? []).map(({ attributes }: Link) => attributes?.['mcp.link.type']);

const same = { caller: 'agent step' };
const signal = new AbortController().signal;
const otherSignal = new AbortController().signal;
const session = (id: string) => ({ headers: { 'mcp-session-id': id } });

interface Row {
  readonly rule: string;
  readonly first: Sent;
  readonly again: Sent;
  readonly origin: string;
  readonly reason: string;
  readonly inferred?: true;
  /** The POST and the status of the first count too. */
  readonly sameMessage?: false;
}

const repeats: Row[] = [
  {
    rule: 'the same bytes after a 503, for the same caller: from below one client, or from another one',
    first: { ...same, answer: busy },
    again: { ...same, answer: ok },
    origin: 'unknown',
    reason: 'status_503',
    inferred: true,
  },
  {
    rule: 'the same bytes after a cut connection, with the same signal',
    first: { signal, answer: CUT },
    again: { signal, answer: ok },
    origin: 'sdk',
    reason: 'network',
    inferred: true,
  },
  {
    rule: 'the same bytes after a 429, in the same session',
    first: { ...session('a'), answer: json('{}', 429) },
    again: { ...session('a'), answer: ok },
    origin: 'sdk',
    reason: 'status_429',
    inferred: true,
  },
  {
    rule: 'a token after a challenge proves it',
    first: { signal, answer: challenge },
    again: { signal, headers: { authorization: 'Bearer new' }, answer: ok },
    origin: 'sdk',
    reason: 'authorization',
  },
  {
    rule: 'a refused token, and a better one',
    first: { signal, headers: { authorization: 'Bearer old' }, answer: challenge },
    again: { signal, headers: { authorization: 'Bearer new' }, answer: ok },
    origin: 'sdk',
    reason: 'authorization',
  },
  {
    rule: 'a new session after a 404 proves it',
    first: { signal, ...session('old'), answer: json('{}', 404) },
    again: { signal, ...session('new'), answer: ok },
    origin: 'sdk',
    reason: 'session_expired',
  },
  {
    rule: 'a new id after a header mismatch',
    first: { ...same, id: 1, answer: json(rpcError(-32020), 400) },
    again: { ...same, id: 2, answer: okFor(2) },
    origin: 'sdk',
    reason: 'header_mismatch',
    sameMessage: false,
  },
  {
    rule: 'a new id in the same span is the application',
    first: { ...same, id: 1, answer: busy },
    again: { ...same, id: 2, answer: okFor(2) },
    origin: 'application',
    reason: 'status_503',
    inferred: true,
    sameMessage: false,
  },
  {
    rule: 'a new id in the same trace is the application',
    first: { caller: 'first try', trace: 'agent run', id: 1, answer: json(toolResult({ isError: true })) },
    again: { caller: 'second try', trace: 'agent run', id: 2, answer: okFor(2) },
    origin: 'application',
    reason: 'tool_error',
    inferred: true,
    sameMessage: false,
  },
  {
    rule: 'another progress token is the same call',
    first: { ...same, id: 1, params: { _meta: { progressToken: 1 } }, answer: json('<html>') },
    again: { ...same, id: 2, params: { _meta: { progressToken: 2 } }, answer: okFor(2) },
    origin: 'application',
    reason: 'protocol',
    inferred: true,
    sameMessage: false,
  },
  {
    rule: 'the order of arguments is the same call',
    first: { ...same, id: 1, params: { arguments: { a: 1, b: { c: 2, d: 3 } } }, answer: CUT },
    again: { ...same, id: 2, params: { arguments: { b: { d: 3, c: 2 }, a: 1 } }, answer: okFor(2) },
    origin: 'application',
    reason: 'network',
    inferred: true,
    sameMessage: false,
  },
  {
    rule: 'in another trace nobody knows who',
    first: { caller: 'one request', id: 1, answer: busy },
    again: { caller: 'another request', id: 2, answer: okFor(2) },
    origin: 'unknown',
    reason: 'status_503',
    inferred: true,
    sameMessage: false,
  },
  {
    rule: 'outside all traces nobody knows who',
    first: { id: 1, answer: json(rpcError(-32603)) },
    again: { id: 2, answer: okFor(2) },
    origin: 'unknown',
    reason: 'protocol',
    inferred: true,
    sameMessage: false,
  },
  {
    rule: 'equal ids of two clients without sessions prove nothing',
    first: { ...same, signal, answer: busy },
    again: { ...same, signal: otherSignal, answer: ok },
    origin: 'unknown',
    reason: 'status_503',
    inferred: true,
  },
  {
    rule: 'equal ids in two sessions of one trace are the application, reconnected',
    first: { ...same, ...session('a'), answer: busy },
    again: { ...same, ...session('b'), answer: ok },
    origin: 'application',
    reason: 'status_503',
    inferred: true,
  },
  {
    rule: 'a person says so',
    first: { caller: 'first', id: 1, answer: busy },
    again: { caller: 'second', id: 2, origin: 'manual', answer: okFor(2) },
    origin: 'manual',
    reason: 'status_503',
    sameMessage: false,
  },
  {
    rule: 'the application says so, whatever it looks like',
    first: { ...same, answer: busy },
    again: { ...same, origin: 'application', answer: ok },
    origin: 'application',
    reason: 'status_503',
  },
];

describe('a call that is sent again after a failure', () => {
  it.each(repeats)('$rule: $origin', async ({ first, again, origin, reason, inferred, sameMessage }) => {
    const [earlier, repeat] = await sendAll([first, again]);
    expect(earlier?.attributes).toMatchObject({ 'mcp.retry.origin': 'none', 'mcp.http.post_count': 1 });
    expect(earlier?.attributes).not.toHaveProperty('mcp.retry.attempt');
    expect(repeat?.attributes).toMatchObject({
      'mcp.outcome': 'TOOL_SUCCESS',
      'mcp.retry.origin': origin,
      'mcp.retry.reason': reason,
      'mcp.retry.attempt': 2,
      'mcp.http.post_count': sameMessage === false ? 1 : 2,
      'mcp.http.status_codes': [
        ...(sameMessage === false || first.answer === CUT ? [] : [first.answer.status ?? 200]),
        200,
      ],
    });
    expect(repeat?.attributes['mcp.retry.inferred']).toBe(inferred);
    expect(linkTypes(repeat)).toEqual(['retry_of']);
    expect(repeat?.links[0]?.context.spanId).toBe(earlier?.spanContext().spanId);
    const retry = repeat?.events.filter(({ name }) => name === 'mcp.retry') ?? [];
    expect(retry).toHaveLength(1);
    expect(retry[0]?.attributes).toMatchObject({
      'mcp.retry.origin': origin,
      'mcp.retry.reason': reason,
      'mcp.retry.attempt': 2,
    });
    expect(retry[0]?.attributes?.['mcp.retry.delay']).toBeGreaterThanOrEqual(0);
  });

  it('a third attempt refers to the second', async () => {
    const spans = await sendAll([
      { signal, answer: busy },
      { signal, answer: busy },
      { signal, answer: ok },
    ]);
    expect(spans.map(({ attributes }) => attributes['mcp.retry.attempt'])).toEqual([undefined, 2, 3]);
    expect(spans[2]?.attributes).toMatchObject({
      'mcp.http.post_count': 3,
      'mcp.http.status_codes': [503, 503, 200],
    });
    expect(spans[2]?.links[0]?.context.spanId).toBe(spans[1]?.spanContext().spanId);
  });
});

const prompts = (method: string, params: object, id: number) => request(method, params, id);

const independent: { rule: string; sends: readonly Sent[] }[] = [
  { rule: 'an identical call after a success', sends: [ok, okFor(1)].map((answer) => ({ ...same, answer })) },
  {
    rule: 'another tool after a failure',
    sends: [
      { ...same, answer: busy },
      { ...same, tool: 'book', answer: ok },
    ],
  },
  {
    rule: 'other arguments after a failure',
    sends: [
      { ...same, params: { arguments: { a: 1 } }, answer: busy },
      { ...same, params: { arguments: { a: '1' } }, answer: ok },
    ],
  },
  {
    rule: 'polling a task, whatever became of the last poll',
    sends: [1, 2].map((id) => ({
      ...same,
      body: prompts('tasks/get', { taskId: 't1' }, id),
      answer: id === 1 ? busy : json(`{"jsonrpc":"2.0","id":2,"result":{}}`),
    })),
  },
  {
    rule: 'the next page after a page that failed',
    sends: [1, 2].map((id) => ({
      ...same,
      body: prompts('tools/list', { cursor: `page ${id}` }, id),
      answer: id === 1 ? busy : json(`{"jsonrpc":"2.0","id":2,"result":{"tools":[]}}`),
    })),
  },
  {
    rule: 'ping after a ping that failed',
    sends: [1, 2].map((id) => ({
      ...same,
      body: prompts('ping', {}, id),
      answer: id === 1 ? busy : json(`{"jsonrpc":"2.0","id":2,"result":{}}`),
    })),
  },
];

describe('no retry', () => {
  it.each(titled(independent))('%s', async (_, { sends }) => {
    for (const span of await sendAll(sends)) {
      expect(span.attributes).toMatchObject({ 'mcp.retry.origin': 'none', 'mcp.http.post_count': 1 });
      expect(span.attributes).not.toHaveProperty('mcp.retry.attempt');
      expect(span.links).toEqual([]);
    }
  });

  it('identical calls at the same time, though one of them fails', async () => {
    answers = [busy, busy, ok, ok];
    const post = () => fetch(server.url, { method: 'POST', headers: MCP_HEADERS, body: toolsCall() });
    const responses = await Promise.all([post(), post(), post(), post()]);
    for (const response of responses) await response.text();
    const spans = await tracing.waitForSpans(4);
    expect(spans.map(({ attributes }) => attributes['mcp.retry.origin'])).toEqual(Array(4).fill('none'));
  });

  it('the same call after a repeat that went well', async () => {
    const spans = await sendAll([busy, ok, ok].map((answer) => ({ signal, answer })));
    expect(spans.map(({ attributes }) => attributes['mcp.retry.origin'])).toEqual(['none', 'sdk', 'none']);
  });

  it('the same call beyond retryWindowMillis', async () => {
    tracing.mcp.setConfig({ retryWindowMillis: 1 });
    await send({ ...same, answer: busy });
    await new Promise((resolve) => setTimeout(resolve, 5));
    await send({ ...same, answer: ok });
    const spans = await tracing.waitForSpans(2);
    tracing.mcp.setConfig({});
    expect(spans[1]?.attributes['mcp.retry.origin']).toBe('none');
  });
});

describe('a redirect that the client follows by hand', () => {
  it('is no retry: it links to the hop before, and counts it', async () => {
    const moved = json('', 307, { location: '/moved' });
    answers = [moved, ok];
    const init = { method: 'POST', headers: MCP_HEADERS, body: toolsCall(), redirect: 'manual' } as const;
    await (await fetch(server.url, init)).text();
    await (await fetch(`${server.origin}/moved`, init)).text();
    const [hop, span] = await tracing.waitForSpans(2);
    expect(span?.attributes).toMatchObject({
      'mcp.retry.origin': 'none',
      'mcp.http.post_count': 2,
      'mcp.http.status_codes': [307, 200],
    });
    expect(linkTypes(span)).toEqual(['redirect_of']);
    expect(span?.links[0]?.context.spanId).toBe(hop?.spanContext().spanId);
  });
});

describe('withRetryOrigin', () => {
  it('counts for what is sent after an await, deep inside, and the inner one wins', async () => {
    answers = [ok, ok];
    const post = async () => {
      await Promise.resolve();
      await (await fetch(server.url, { method: 'POST', headers: MCP_HEADERS, body: toolsCall() })).text();
    };
    await withRetryOrigin('application', async () => {
      await post();
      await withRetryOrigin('manual', post);
    });
    const spans = await tracing.waitForSpans(2);
    expect(spans.map(({ attributes }) => attributes['mcp.retry.origin'])).toEqual(['application', 'manual']);
    for (const span of spans) expect(span.attributes).not.toHaveProperty('mcp.retry.inferred');
  });

  it('returns what the function returns, and refuses other origins by name', () => {
    expect(withRetryOrigin('manual', () => 7)).toBe(7);
    expect(() => withRetryOrigin('sdk' as never, () => 7)).toThrow(
      new TypeError('withRetryOrigin: the origin must be "application" or "manual", not "sdk"'),
    );
  });
});
