import { describe, expect, it } from 'vitest';
import { parseRequestBody, type RequestBody } from '../../src/protocol/index.js';
import { titled } from './titled.js';

interface RequestCase {
  readonly rule: string;
  readonly text: string;
  readonly expected: RequestBody | undefined;
}

const ping = { kind: 'request', id: 1, method: 'ping', params: undefined } as const;
const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
const single = (message: RequestBody['messages'][number]): RequestBody => ({
  batch: false,
  messages: [message],
});

const cases: RequestCase[] = [
  {
    rule: 'a method with an id is a request',
    text: '{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"echo"}}',
    expected: single({ kind: 'request', id: 'a', method: 'tools/call', params: { name: 'echo' } }),
  },
  {
    rule: 'id 0 is an id',
    text: '{"jsonrpc":"2.0","id":0,"method":"ping"}',
    expected: single({ ...ping, id: 0 }),
  },
  {
    rule: 'a method without an id is a notification',
    text: '{"jsonrpc":"2.0","method":"notifications/initialized"}',
    expected: single({ kind: 'notification', method: 'notifications/initialized', params: undefined }),
  },
  {
    rule: 'id null is still a request, which waits for an answer',
    text: '{"jsonrpc":"2.0","id":null,"method":"ping"}',
    expected: single({ ...ping, id: null }),
  },
  {
    rule: 'an id that is no string or number can only be answered with null',
    text: '{"jsonrpc":"2.0","id":{"n":1},"method":"ping"}',
    expected: single({ ...ping, id: null }),
  },
  {
    rule: 'a method is a request even beside a result',
    text: '{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}',
    expected: single(ping),
  },
  {
    rule: 'a method of no letters is a method',
    text: '{"jsonrpc":"2.0","id":1,"method":""}',
    expected: single({ ...ping, method: '' }),
  },
  {
    rule: 'params may be anything',
    text: '{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}',
    expected: single({ ...ping, params: [1] }),
  },
  {
    rule: "the client's answer to a server's request is a response",
    text: '{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}',
    expected: single({ kind: 'response' }),
  },
  {
    rule: 'its refusal is a response',
    text: '{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"declined"}}',
    expected: single({ kind: 'response' }),
  },
  {
    rule: 'white space may come first',
    text: `\r\n\t ${PING}`,
    expected: single(ping),
  },
  {
    rule: 'a batch of one is a batch',
    text: `[${PING}]`,
    expected: { batch: true, messages: [ping] },
  },
  {
    rule: 'a batch keeps its order and leaves out what is no message',
    text: `[{"jsonrpc":"2.0","id":2,"result":{}},null,[${PING}],{"jsonrpc":"2.0"},${PING}]`,
    expected: { batch: true, messages: [{ kind: 'response' }, ping] },
  },
  {
    rule: 'an empty batch is JSON-RPC without messages',
    text: '[]',
    expected: { batch: true, messages: [] },
  },
  { rule: 'a batch of strangers is not JSON-RPC', text: '[1,{"id":1,"method":"ping"}]', expected: undefined },
  { rule: 'JSON-RPC 1.0 is not ours', text: '{"id":1,"method":"ping","params":[]}', expected: undefined },
  {
    rule: 'the version is a string',
    text: '{"jsonrpc":2.0,"id":1,"method":"ping"}',
    expected: undefined,
  },
  {
    rule: 'a method that is no string is none',
    text: '{"jsonrpc":"2.0","id":1,"method":7}',
    expected: undefined,
  },
  { rule: 'a version alone is no message', text: '{"jsonrpc":"2.0","id":1}', expected: undefined },
  {
    rule: 'a method inherited through __proto__ is none',
    text: '{"jsonrpc":"2.0","id":1,"__proto__":{"method":"ping"}}',
    expected: undefined,
  },
  { rule: 'half a request is not JSON', text: PING.slice(0, -1), expected: undefined },
  { rule: 'a form is not JSON', text: 'jsonrpc=2.0&method=ping', expected: undefined },
  { rule: 'a JSON string is not JSON-RPC', text: JSON.stringify(PING), expected: undefined },
  { rule: 'nothing is not JSON-RPC', text: '', expected: undefined },
  {
    rule: 'lone surrogates in a method stay as they are',
    text: '{"jsonrpc":"2.0","id":1,"method":"\\ud800"}',
    expected: single({ ...ping, method: '\ud800' }),
  },
];

describe('parseRequestBody', () => {
  it.each(titled(cases))('%s', (_, { text, expected }) => {
    expect(parseRequestBody(text)).toStrictEqual(expected);
  });

  it('has each rule once', () => {
    const rules = cases.map(({ rule }) => rule);
    expect(rules).toStrictEqual([...new Set(rules)]);
  });

  it.each([undefined, null, 1, {}, Buffer.from(PING)])(
    'answers undefined to %o, which is no text',
    (text) => {
      expect(parseRequestBody(text as string)).toBeUndefined();
    },
  );
});
