import { describe, it } from 'vitest';
import { titled } from '../protocol/titled.js';
import { event, JSON_HEADERS, notification, request, rpcError, SSE_HEADERS } from '../support/json-rpc.js';
import { answered, type ExchangeRow, failure, observedExchanges } from '../support/observed-exchanges.js';
import { STAY_OPEN } from '../support/scripted-server.js';

const NO_TOOL = {
  'gen_ai.operation.name': undefined,
  'gen_ai.tool.name': undefined,
  'jsonrpc.request.id': undefined,
  'mcp.retry.origin': undefined,
};
const notified = (status: number, attributes: object) =>
  answered(status, { ...NO_TOOL, 'mcp.method.name': 'notifications/initialized', ...attributes });

const notifications: ExchangeRow[] = [
  ...(
    [
      [202, undefined],
      [204, undefined],
      [200, undefined],
      [200, 'null'],
      [200, '{}'],
      [200, 'OK'],
      [200, rpcError(-32601)],
    ] as const
  ).map(
    ([status, body]): ExchangeRow => ({
      rule: `${status} with ${body ?? 'nothing'} takes a notification`,
      name: 'notifications/initialized',
      body: notification('notifications/initialized'),
      answer: { status, headers: JSON_HEADERS, body: body === undefined ? [] : [body] },
      attributes: notified(status, { 'mcp.outcome': 'ACCEPTED' }),
    }),
  ),
  {
    rule: 'a stream takes a notification at once: nobody waits for its end',
    name: 'notifications/initialized',
    body: notification('notifications/initialized'),
    answer: { headers: SSE_HEADERS, body: [': open\n\n', STAY_OPEN] },
    application: async (url, init) => {
      const response = await fetch(url, init);
      await response.body?.cancel();
      return {};
    },
    attributes: notified(200, { 'mcp.outcome': 'ACCEPTED' }),
  },
  {
    rule: 'a notification that is refused is an HTTP error',
    name: 'notifications/initialized',
    body: notification('notifications/initialized'),
    answer: { status: 400, headers: JSON_HEADERS, body: [rpcError(-32600, 'no', null)] },
    attributes: notified(400, {
      ...failure('HTTP_ERROR', 'transport', '400'),
      'rpc.response.status_code': '-32600',
    }),
    failure: 'HTTP 400, JSON-RPC error -32600: no',
  },
];

const acknowledged = event(notification('notifications/subscriptions/acknowledged', {}));
const listen = request('subscriptions/listen', { notifications: { toolsListChanged: true } });
const listening = (attributes: object) =>
  answered(200, {
    'gen_ai.operation.name': undefined,
    'gen_ai.tool.name': undefined,
    'mcp.method.name': 'subscriptions/listen',
    ...attributes,
  });

const subscriptions: ExchangeRow[] = [
  {
    rule: 'subscriptions/listen ends when it is acknowledged, though its stream goes on',
    name: 'subscriptions/listen',
    body: listen,
    answer: { headers: SSE_HEADERS, body: [': hi\n\n', acknowledged, STAY_OPEN] },
    application: async (url, init) => {
      const response = await fetch(url, init);
      const reader = response.body?.getReader();
      for (let text = ''; !text.includes('acknowledged'); ) {
        text += Buffer.from((await reader?.read())?.value ?? []).toString();
      }
      await reader?.cancel();
      return {};
    },
    attributes: listening({
      'mcp.outcome': 'ACCEPTED',
      'mcp.stream.end': 'response',
      'mcp.stream.events': 1,
    }),
  },
  {
    rule: 'subscriptions/listen that is refused is an error as of any method',
    name: 'subscriptions/listen',
    body: listen,
    answer: { headers: SSE_HEADERS, body: [event(rpcError(-32602, 'no'))] },
    attributes: listening({
      ...failure('JSONRPC_ERROR', 'protocol', '-32602'),
      'rpc.response.status_code': '-32602',
      'mcp.stream.end': 'response',
      'mcp.stream.events': 1,
    }),
    failure: 'JSON-RPC error -32602: no',
  },
];

describe('a notification', () => {
  const exchanges = observedExchanges();
  it.each(titled(notifications))('%s', (_, row) => exchanges.check(row));
});

describe('a subscription', () => {
  const exchanges = observedExchanges();
  it.each(titled(subscriptions))('%s', (_, row) => exchanges.check(row));
});
