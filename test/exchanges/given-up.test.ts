import { describe, expect, it } from 'vitest';
import { titled } from '../protocol/titled.js';
import { abortInBody, cancelBody, cancelReader } from '../support/application-view.js';
import {
  event,
  JSON_HEADERS,
  MCP_HEADERS,
  notification,
  SSE_HEADERS,
  toolResult,
} from '../support/json-rpc.js';
import { answered, type ExchangeRow, failure, observedExchanges } from '../support/observed-exchanges.js';
import { type Answer, STAY_OPEN } from '../support/scripted-server.js';
import { signal } from '../support/signal.js';
import { expectTold } from '../support/told.js';

const progress = event('{"jsonrpc":"2.0","method":"notifications/progress","params":{}}');
const openStream: Answer = { headers: SSE_HEADERS, body: [progress, STAY_OPEN] };
const openJson: Answer = { headers: JSON_HEADERS, body: ['{"jsonrpc":"2.0","id":1,', STAY_OPEN] };
const aborted = { 'mcp.stream.end': 'aborted', 'mcp.stream.events': 1 };
const TIMED_OUT = 'timed out before the response';

const rows: ExchangeRow[] = [
  {
    rule: 'an abort in the middle of a stream cancels the call',
    answer: openStream,
    application: abortInBody(),
    attributes: answered(200, { 'mcp.outcome': 'CANCELLED', ...aborted }),
  },
  {
    rule: 'an abort in the middle of a JSON body cancels the call',
    answer: openJson,
    application: abortInBody(),
    attributes: answered(200, { 'mcp.outcome': 'CANCELLED' }),
  },
  {
    rule: 'an abort with the error of a network, such as ECONNRESET, is still an abort',
    answer: openStream,
    application: abortInBody(() => Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })),
    attributes: answered(200, { 'mcp.outcome': 'CANCELLED', ...aborted }),
  },
  {
    rule: 'an abort in the stream that says that time ran out is a timeout',
    answer: openStream,
    application: abortInBody(() => new Error('Request timed out')),
    attributes: answered(200, { ...failure('TIMEOUT', 'transport'), ...aborted }),
    failure: TIMED_OUT,
  },
  {
    rule: 'AbortSignal.timeout in the stream is a timeout',
    answer: openStream,
    // As it aborts, but when the first event is there, however long that takes.
    application: abortInBody(
      () => new DOMException('The operation was aborted due to timeout', 'TimeoutError'),
    ),
    attributes: answered(200, { ...failure('TIMEOUT', 'transport'), ...aborted }),
    failure: TIMED_OUT,
  },
  {
    rule: 'a reader that is cancelled cancels the call',
    answer: openStream,
    application: cancelReader,
    attributes: answered(200, { 'mcp.outcome': 'CANCELLED', ...aborted }),
  },
  {
    rule: 'a body that is cancelled unread cancels the call',
    answer: openJson,
    application: cancelBody,
    attributes: answered(200, { 'mcp.outcome': 'CANCELLED' }),
  },
  {
    rule: 'a call that has its response stays as it was when the stream is cancelled after it',
    answer: { headers: SSE_HEADERS, body: [event(toolResult()), STAY_OPEN] },
    application: cancelReader,
    attributes: answered(200, {
      'mcp.outcome': 'TOOL_SUCCESS',
      'mcp.result.type': 'complete',
      'mcp.stream.end': 'response',
      'mcp.stream.events': 1,
    }),
  },
  {
    rule: 'what is not 2xx is an HTTP error, even when its body is let go',
    answer: { status: 500, headers: JSON_HEADERS, body: ['{', STAY_OPEN] },
    application: cancelBody,
    attributes: answered(500, failure('HTTP_ERROR', 'transport', '500')),
    failure: 'HTTP 500',
  },
];

describe('a call that is given up', () => {
  const exchanges = observedExchanges();
  it.each(titled(rows))('%s', (_, row) => exchanges.check(row));
});

interface Notice {
  readonly rule: string;
  readonly params: object;
  readonly url?: (url: string) => string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Of the call; the notice is another one. */
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly failure?: string;
}

const COMPLETE = { 'mcp.outcome': 'TOOL_SUCCESS', 'mcp.result.type': 'complete' };

const notices: Notice[] = [
  {
    rule: 'notifications/cancelled ends the call that it names, though its stream stays open',
    params: { requestId: 1, reason: 'the user pressed Esc' },
    attributes: answered(200, { 'mcp.outcome': 'CANCELLED' }),
  },
  {
    rule: 'a notice without a reason cancels',
    params: { requestId: 1 },
    attributes: answered(200, { 'mcp.outcome': 'CANCELLED' }),
  },
  {
    rule: 'a notice whose reason says that time ran out, as of SDK v1, is a timeout',
    params: { requestId: 1, reason: 'McpError: MCP error -32001: Request timed out' },
    attributes: answered(200, failure('TIMEOUT', 'transport')),
    failure: TIMED_OUT,
  },
  {
    rule: 'a notice for another id ends nothing',
    params: { requestId: 2 },
    attributes: answered(200, COMPLETE),
  },
  {
    rule: 'a notice for "1" doesn\'t mean the call 1',
    params: { requestId: '1' },
    attributes: answered(200, COMPLETE),
  },
  {
    rule: 'a notice to another endpoint ends nothing',
    params: { requestId: 1 },
    url: (url) => `${url}/other`,
    attributes: answered(200, COMPLETE),
  },
  {
    rule: 'a notice in another session ends nothing',
    params: { requestId: 1 },
    headers: { 'mcp-session-id': 'b' },
    attributes: answered(200, COMPLETE),
  },
  {
    rule: 'a notice without an id, as tasks have, ends nothing',
    params: { taskId: 't1' },
    attributes: answered(200, COMPLETE),
  },
];

describe('a call while a cancel notice is sent', () => {
  const exchanges = observedExchanges();
  const METHOD = 'notifications/cancelled';

  async function sendNotice(url: string, { params, headers = {} }: Notice): Promise<void> {
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...MCP_HEADERS, ...headers },
      body: notification(METHOD, params),
    });
    await response.text();
  }

  it.each(titled(notices))('%s', async (_, row) => {
    const { server, tracing } = exchanges;
    const noticeSent = signal();
    const [start, rest] = [toolResult().slice(0, 20), toolResult().slice(20)];
    await exchanges.make({
      answer: ({ body }) =>
        body.includes(METHOD)
          ? { status: 202 }
          : { headers: JSON_HEADERS, body: [start, noticeSent.seen, rest] },
      application: async (url, init) => {
        const response = await fetch(url, init);
        await sendNotice(row.url?.(url) ?? url, row);
        noticeSent.give();
        expect(await response.text()).toBe(toolResult());
        return {};
      },
    });
    const spans = await tracing.waitForSpans(2);
    const [call] = spans.filter(({ name }) => name === 'tools/call echo');
    const [notice] = spans.filter(({ name }) => name === METHOD);
    expectTold(call, { ...row, attributes: { 'server.port': server.port, ...row.attributes } });
    expect(notice?.attributes['mcp.outcome']).toBe('ACCEPTED');
  });

  it('a notice that comes after the response changes nothing', async () => {
    const { server, tracing } = exchanges;
    await exchanges.make({ answer: { headers: JSON_HEADERS, body: [toolResult()] } });
    await tracing.waitForSpans(1);
    await exchanges.make({
      body: notification(METHOD, { requestId: 1, reason: 'Request timed out' }),
      answer: { status: 202 },
    });
    const [call] = await tracing.waitForSpans(2);
    expectTold(call, { attributes: { 'server.port': server.port, ...answered(200, COMPLETE) } });
  });

  it('of two calls with the same id at one URL, nobody can say which is meant: neither ends', async () => {
    const { tracing } = exchanges;
    const noticeSent = signal();
    await exchanges.make({
      answer: ({ body }) =>
        body.includes(METHOD)
          ? { status: 202 }
          : { headers: JSON_HEADERS, body: [noticeSent.seen, toolResult()] },
      application: async (url, init) => {
        const responses = await Promise.all([fetch(url, init), fetch(url, init)]);
        await sendNotice(url, { rule: '', params: { requestId: 1 }, attributes: {} });
        noticeSent.give();
        for (const response of responses) await response.text();
        return {};
      },
    });
    const outcomes = (await tracing.waitForSpans(3)).map(({ attributes }) => attributes['mcp.outcome']);
    expect(outcomes.sort()).toEqual(['ACCEPTED', 'TOOL_SUCCESS', 'TOOL_SUCCESS']);
  });
});
