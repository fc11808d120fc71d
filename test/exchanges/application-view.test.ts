import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { titled } from '../protocol/titled.js';
import {
  type Application,
  abortAfter,
  abortBeforeHeaders,
  abortInBody,
  alreadyAborted,
  cancelBody,
  cancelReader,
  type Exchange,
  newExchange,
  readToTheEnd,
  type View,
} from '../support/application-view.js';
import { event, JSON_HEADERS, MCP_HEADERS, SSE_HEADERS, toolResult, toolsCall } from '../support/json-rpc.js';
import { refusedPort } from '../support/raw-server.js';
import {
  type Answer,
  CUT,
  type RecordedRequest,
  type ScriptedServer,
  STAY_OPEN,
  type Step,
  scriptedServer,
} from '../support/scripted-server.js';
import { within } from '../support/signal.js';
import { startTracing, type Tracing } from '../support/tracing.js';

// Each application runs once without the instrumentation and once with it; what it saw must be the same, and what the
// server saw of it too.

interface Row {
  readonly rule: string;
  readonly application: Application;
  readonly answer: (request: RecordedRequest, exchange: Exchange) => Answer | typeof CUT | typeof STAY_OPEN;
  readonly init?: RequestInit;
  readonly url?: string;
  /** A part of what the application sees, so that no row is about less than its rule says. */
  readonly sees: object;
  readonly arrives?: false;
}

const progress = event('{"jsonrpc":"2.0","method":"notifications/progress","params":{}}');
const response = event(toolResult());
const gzipped = gzipSync(toolResult());
const json = (body: Step[], headers: Answer['headers'] = {}, status = 200): Answer => ({
  status,
  headers: { ...JSON_HEADERS, ...headers },
  body,
});
const sse = (...body: Step[]): Answer => ({ headers: SSE_HEADERS, body });
const to = (location: string) => json([], { location }, 307);

const rows: Row[] = [
  {
    rule: 'reads JSON: status text, every header, URL and bytes',
    application: readToTheEnd,
    answer: () => json([toolResult()], { 'set-cookie': ['a=1', 'b=2'], 'mcp-session-id': 's' }, 201),
    sees: {
      status: 201,
      statusText: 'Created',
      redirected: false,
      type: 'basic',
      chunks: [expect.any(String)],
    },
  },
  {
    rule: 'reads a stream in the pieces in which it was sent',
    application: readToTheEnd,
    answer: (_, { read: [first, second] }) =>
      sse(progress, first?.seen ?? '', response.slice(0, 20), second?.seen ?? '', response.slice(20)),
    sees: { chunks: [expect.any(String), expect.any(String), expect.any(String)] },
  },
  {
    rule: 'reads on after the response',
    application: readToTheEnd,
    answer: (_, { read: [first] }) => sse(response, first?.seen ?? '', progress),
    sees: { chunks: [expect.any(String), expect.any(String)] },
  },
  {
    rule: 'reads no body',
    application: readToTheEnd,
    answer: () => ({ status: 204 }),
    sees: { status: 204 },
  },
  {
    rule: 'reads an error page',
    application: readToTheEnd,
    answer: () => ({ status: 503, headers: { 'retry-after': '3' }, body: ['<p>'] }),
    sees: { status: 503 },
  },
  {
    rule: 'reads what was compressed',
    application: readToTheEnd,
    answer: () => json([gzipped], { 'content-encoding': 'gzip' }),
    sees: { status: 200 },
  },
  {
    rule: 'reads what was compressed and is broken',
    application: readToTheEnd,
    answer: () => json(['no gzip'], { 'content-encoding': 'gzip' }),
    sees: { error: { where: 'body' } },
  },
  {
    rule: 'aborts before the headers',
    application: abortBeforeHeaders(),
    answer: () => STAY_OPEN,
    sees: { error: { where: 'fetch', thrown: { name: 'AbortError' } } },
  },
  {
    rule: 'aborts before the headers, with an error of its own',
    application: abortBeforeHeaders(() => new RangeError('enough')),
    answer: () => STAY_OPEN,
    sees: { error: { where: 'fetch', thrown: { class: 'RangeError', message: 'enough' } } },
  },
  {
    rule: 'aborts before the headers, with a string',
    application: abortBeforeHeaders(() => 'enough'),
    answer: () => STAY_OPEN,
    sees: { error: { where: 'fetch', thrown: 'enough' } },
  },
  {
    rule: 'aborts in the body',
    application: abortInBody(),
    answer: () => sse(progress, STAY_OPEN),
    sees: { error: { where: 'body', thrown: { name: 'AbortError' } }, chunks: [expect.any(String)] },
  },
  {
    rule: 'aborts in the body, with an error of its own',
    application: abortInBody(() => new RangeError('enough')),
    answer: () => sse(progress, STAY_OPEN),
    sees: { error: { where: 'body', thrown: { class: 'RangeError' } } },
  },
  {
    rule: 'gives up by AbortSignal.timeout before the headers',
    application: abortAfter(30),
    answer: () => STAY_OPEN,
    sees: { error: { where: 'fetch', thrown: { name: 'TimeoutError' } } },
  },
  {
    rule: 'gives up in the body, as AbortSignal.timeout does',
    application: abortInBody(
      () => new DOMException('The operation was aborted due to timeout', 'TimeoutError'),
    ),
    answer: () => sse(progress, STAY_OPEN),
    sees: { error: { where: 'body', thrown: { name: 'TimeoutError' } } },
  },
  {
    rule: 'was aborted before it began',
    application: alreadyAborted,
    answer: () => STAY_OPEN,
    sees: { error: { where: 'fetch', thrown: { name: 'AbortError' } } },
    arrives: false,
  },
  {
    rule: 'cancels its reader, which closes the connection',
    application: cancelReader,
    answer: () => sse(progress, STAY_OPEN),
    sees: { cancelled: 'ok' },
  },
  {
    rule: 'cancels a body that it never read, which closes the connection',
    application: cancelBody,
    answer: () => sse(progress, STAY_OPEN),
    sees: { cancelled: 'ok' },
  },
  {
    rule: 'follows a redirect',
    application: readToTheEnd,
    answer: ({ path }) => (path === '/moved' ? json([toolResult()]) : to('/moved')),
    sees: { status: 200, redirected: true, url: expect.stringMatching(/\/moved$/) },
  },
  {
    rule: 'follows a redirect by hand',
    application: readToTheEnd,
    init: { redirect: 'manual' },
    answer: () => to('/moved'),
    sees: { status: 307, redirected: false },
  },
  {
    rule: 'takes a redirect for an error',
    application: readToTheEnd,
    init: { redirect: 'error' },
    answer: () => to('/moved'),
    sees: { error: { where: 'fetch', thrown: { name: 'TypeError' } } },
  },
  {
    rule: 'is cut off before the headers',
    application: readToTheEnd,
    answer: () => CUT,
    sees: { error: { where: 'fetch', thrown: { cause: { code: 'UND_ERR_SOCKET' } } } },
  },
  {
    rule: 'is cut off in the body',
    application: readToTheEnd,
    answer: (_, { read: [first] }) => sse(progress, first?.seen ?? '', CUT),
    sees: { error: { where: 'body', thrown: { cause: { code: 'UND_ERR_SOCKET' } } } },
  },
  {
    rule: 'is cut off in a body of known length',
    application: readToTheEnd,
    answer: (_, { read: [first] }) => json(['{', first?.seen ?? '', CUT], { 'content-length': '100' }),
    sees: { error: { where: 'body' } },
  },
];

describe('an application that', () => {
  let server: ScriptedServer;
  let tracing: Tracing | undefined;
  let running: { row: Row; exchange: Exchange };

  beforeAll(async () => {
    server = await scriptedServer((request) => running.row.answer(request, running.exchange));
  });
  afterEach(async () => {
    await tracing?.stop();
    tracing = undefined;
  });
  afterAll(() => server.close());

  /** What the application saw, and what the server saw of it. */
  async function run(row: Row) {
    server.forget();
    const exchange = newExchange(() => server.request(0), 4);
    running = { row, exchange };
    const init = { method: 'POST', headers: MCP_HEADERS, body: toolsCall(), ...row.init };
    const view = await row.application(row.url ?? server.url, init, exchange);
    const requests = await Promise.all(
      server.requests.map(async ({ method, path, headers, body, closed }) => ({
        method,
        path,
        headers,
        body,
        closed: await within(5_000, 'the end of the exchange at the server', closed),
      })),
    );
    return { view: view as View, requests };
  }

  async function compare(row: Row): Promise<void> {
    const without = await run(row);
    tracing = startTracing();
    const withUs = await run(row);
    expect(withUs).toEqual(without);
    expect(withUs.view).toMatchObject(row.sees);
    expect(withUs.requests.length > 0).toBe(row.arrives ?? true);
    await tracing.waitForSpans(1);
  }

  it.each(titled(rows))('%s', (_, row) => compare(row));

  it('finds nobody listening', async () => {
    await compare({
      rule: '',
      url: `http://127.0.0.1:${await refusedPort()}/mcp`,
      application: readToTheEnd,
      answer: () => STAY_OPEN,
      sees: { error: { where: 'fetch', thrown: { cause: { code: 'ECONNREFUSED' } } } },
      arrives: false,
    });
  });
});
