import { describe, expect, it } from 'vitest';
import {
  type AnsweredMessage,
  parseJson,
  RESPONSE_KEYS,
  responseIn,
  settleStream,
} from '../../src/protocol/index.js';
import { RESPONSE_CASES } from './response-cases.js';
import { titled } from './titled.js';

const call: AnsweredMessage = { id: 1, method: 'tools/call', params: { name: 'echo' } };
const batched: AnsweredMessage = { ...call, siblingIds: new Set([2]) };
const notification: AnsweredMessage = { method: 'notifications/initialized' };

interface EventCase {
  readonly rule: string;
  readonly request?: AnsweredMessage;
  readonly event: string;
  readonly expected: ReturnType<typeof responseIn>;
}

const cases: EventCase[] = [
  {
    rule: 'a server request with our id is not the response',
    event: '{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{"error":1}}',
    expected: { kind: 'none' },
  },
  {
    rule: 'progress that mentions a result is not the response',
    event: '{"jsonrpc":"2.0","method":"notifications/progress","params":{"result":{}}}',
    expected: { kind: 'none' },
  },
  {
    rule: 'a heartbeat with an error of its own is not the response',
    event: '{"type":"heartbeat","error":null}',
    expected: { kind: 'none' },
  },
  {
    rule: 'an event that is JSON but no message is not the response',
    event: '"result"',
    expected: { kind: 'none' },
  },
  {
    rule: 'a message with our id, a method and a result is the response',
    event: '{"jsonrpc":"2.0","id":1,"method":"tools/call","result":{"content":[]}}',
    expected: { kind: 'verdict', verdict: { outcome: 'TOOL_SUCCESS', resultType: 'complete' } },
  },
  {
    rule: 'a broken envelope with our id ends the call',
    event: '{"id":1,"result":{"content":[]}}',
    expected: {
      kind: 'verdict',
      verdict: { outcome: 'INVALID_ENVELOPE', layer: 'protocol', defect: 'jsonrpc_version' },
    },
  },
  {
    rule: 'an error with id null ends the call',
    event: '{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"no"}}',
    expected: {
      kind: 'verdict',
      verdict: { outcome: 'JSONRPC_ERROR', layer: 'protocol', code: -32603, message: 'no' },
    },
  },
  {
    rule: 'a result with id null is for somebody else',
    event: '{"jsonrpc":"2.0","id":null,"result":{}}',
    expected: { kind: 'foreign' },
  },
  {
    rule: 'our id as another type is for somebody else',
    event: '{"jsonrpc":"2.0","id":"1","result":{"content":[]}}',
    expected: { kind: 'foreign' },
  },
  {
    rule: 'a response to another request of the batch is for somebody known',
    request: batched,
    event: '{"jsonrpc":"2.0","id":2,"result":{}}',
    expected: { kind: 'sibling' },
  },
  {
    rule: 'messages may come batched in one event',
    request: batched,
    event: '[{"jsonrpc":"2.0","id":2,"result":{}},{"jsonrpc":"2.0","id":1,"result":{"content":[]}}]',
    expected: { kind: 'verdict', verdict: { outcome: 'TOOL_SUCCESS', resultType: 'complete' } },
  },
  {
    rule: 'nothing answers a notification, not even an error without an id',
    request: notification,
    event: '{"jsonrpc":"2.0","error":{"code":-32603,"message":"no"}}',
    expected: { kind: 'none' },
  },
];

describe('responseIn', () => {
  it.each(titled(cases))('%s', (_, { request = call, event, expected }) => {
    expect(responseIn(JSON.parse(event), request)).toStrictEqual(expected);
  });

  it('gives a response in a stream the verdict that it has as a body', () => {
    let compared = 0;
    for (const { rule, request, response, expected } of RESPONSE_CASES) {
      const parsed = parseJson(response.body);
      const reading = parsed && responseIn(parsed.value, request);
      if (response.status !== 200 || reading?.kind !== 'verdict') continue;
      expect(reading.verdict, rule).toStrictEqual(expected);
      compared++;
    }
    expect(compared).toBeGreaterThan(40);
  });
});

describe('RESPONSE_KEYS', () => {
  it('occur in each text that responseIn finds a response in, acknowledgements apart', () => {
    let found = 0;
    for (const { rule, request, response, expected } of RESPONSE_CASES) {
      const parsed = parseJson(response.body);
      if (parsed === undefined || expected.outcome === 'ACCEPTED') continue;
      if (responseIn(parsed.value, request).kind === 'none') continue;
      expect(
        RESPONSE_KEYS.some((key) => response.body.includes(key)),
        rule,
      ).toBe(true);
      found++;
    }
    expect(found).toBeGreaterThan(40);
  });
});

describe('settleStream', () => {
  it.each(
    titled([
      {
        rule: 'a stream without the response is incomplete',
        seen: { malformed: false, foreign: false },
        expected: { outcome: 'STREAM_INCOMPLETE', layer: 'transport' },
      },
      {
        rule: 'a response to a stranger counts when nothing better comes',
        seen: { malformed: false, foreign: true },
        expected: { outcome: 'INVALID_ENVELOPE', layer: 'protocol', defect: 'id_mismatch' },
      },
      {
        rule: 'an event that is not JSON may have been the response, a stranger was not',
        seen: { malformed: true, foreign: true },
        expected: { outcome: 'MALFORMED_JSON', layer: 'protocol' },
      },
      {
        rule: 'an event that is not JSON counts when the response does not come',
        seen: { malformed: true, foreign: false },
        expected: { outcome: 'MALFORMED_JSON', layer: 'protocol' },
      },
    ]),
  )('%s', (_, { seen, expected }) => {
    expect(settleStream(seen)).toStrictEqual(expected);
  });
});
