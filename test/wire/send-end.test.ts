import { describe, expect, it } from 'vitest';
import type { SendEnd } from '../../src/wire/listener.js';
import { abortEndOf, sendEndOf } from '../../src/wire/send-end.js';

const coded = (code: unknown, message = 'no', name = 'Error') =>
  Object.assign(new Error(message), { code, name });
const failed = (code: string, message: string): SendEnd => ({ kind: 'failed', code, message });
const fetchFailed = (cause: unknown) => new TypeError('fetch failed', { cause });
const ABORTED: SendEnd = { kind: 'aborted' };
const TIMEOUT: SendEnd = { kind: 'timeout' };

const ABORTED_BY_SIGNAL: SendEnd = { kind: 'aborted', bySignal: true };
const reasons: readonly [rule: string, reason: unknown, expected: SendEnd][] = [
  [
    'a code of Node is the network',
    coded('ECONNRESET', 'read ECONNRESET'),
    failed('ECONNRESET', 'read ECONNRESET'),
  ],
  [
    'so is one of undici',
    coded('UND_ERR_SOCKET', 'other side closed'),
    failed('UND_ERR_SOCKET', 'other side closed'),
  ],
  [
    'a parser error with a code is told by it',
    coded('HPE_INVALID_STATUS', 'x', 'HTTPParserError'),
    failed('HPE_INVALID_STATUS', 'x'),
  ],
  [
    'a parser error without one, as of undici 7 and 8, is the network all the same',
    coded(undefined, 'Response does not match the HTTP/1.1 protocol', 'HTTPParserError'),
    failed('HTTPParserError', 'Response does not match the HTTP/1.1 protocol'),
  ],
  ['fetch names the cause', fetchFailed(coded('ECONNREFUSED')), failed('ECONNREFUSED', 'no')],
  [
    'also the cause without a code',
    fetchFailed(coded(undefined, 'no', 'HTTPParserError')),
    failed('HTTPParserError', 'no'),
  ],
  [
    'a fetch that failed without a cause names itself',
    new TypeError('fetch failed'),
    failed('TypeError', 'fetch failed'),
  ],
  [
    'so does one whose cause says nothing',
    fetchFailed(new Error('bad port')),
    failed('TypeError', 'fetch failed'),
  ],
  ['so does one whose cause is a word', fetchFailed('enough'), failed('TypeError', 'fetch failed')],
  [
    "undici's headers timeout",
    coded('UND_ERR_HEADERS_TIMEOUT'),
    { ...TIMEOUT, code: 'UND_ERR_HEADERS_TIMEOUT' },
  ],
  ["undici's body timeout", coded('UND_ERR_BODY_TIMEOUT'), { ...TIMEOUT, code: 'UND_ERR_BODY_TIMEOUT' }],
  [
    "undici's connect timeout, as fetch tells it",
    fetchFailed(coded('UND_ERR_CONNECT_TIMEOUT')),
    { ...TIMEOUT, code: 'UND_ERR_CONNECT_TIMEOUT' },
  ],
  [
    'AbortSignal.timeout',
    new DOMException('The operation was aborted due to timeout', 'TimeoutError'),
    TIMEOUT,
  ],
  ['an error that says so', new Error('Request timed out'), TIMEOUT],
  ['a text that says so', 'timeout', TIMEOUT],
  ['an abort', new DOMException('This operation was aborted', 'AbortError'), ABORTED],
  ['an abort of undici', coded('UND_ERR_ABORTED'), ABORTED],
  ['an abort of Node', coded('ABORT_ERR'), ABORTED],
  ['a text', 'enough', ABORTED],
  ['an empty text', '', ABORTED],
  ['nothing', undefined, ABORTED],
  ['null', null, ABORTED],
  ['a number', 7, ABORTED],
  ['an error of the application', new Error('enough'), ABORTED],
  ['an empty code is none', coded('', 'enough'), ABORTED],
  ['a code that is a number, as of a DOMException, is none', coded(20, 'enough'), ABORTED],
  ['an object with fields of other kinds', { name: 1, code: {}, message: [], cause: 2 }, ABORTED],
  [
    'a response that was collected before anybody read it',
    'Response object has been garbage collected',
    { kind: 'not_read' },
  ],
];

describe('what the reason of a failed exchange means', () => {
  it.each(reasons)('%s', (_, reason, expected) => {
    expect(sendEndOf(reason)).toEqual(expected);
  });
});

it('a cause that leads back to the error itself ends somewhere', () => {
  const error: Error = new TypeError('round and round');
  error.cause = error;
  expect(sendEndOf(error)).toEqual(failed('TypeError', 'round and round'));
  error.cause = fetchFailed(error);
  expect(sendEndOf(error)).toEqual(failed('TypeError', 'round and round'));
});

const aborts: readonly [rule: string, reason: unknown, expected: SendEnd][] = [
  ['is an abort whatever the reason', 'enough', ABORTED_BY_SIGNAL],
  ['is an abort with the error of a network, too', coded('ECONNRESET'), ABORTED_BY_SIGNAL],
  ['is a timeout where the error of a network says so', coded('ETIMEDOUT', 'connect timed out'), TIMEOUT],
  [
    "is a timeout with undici's error for it",
    coded('UND_ERR_HEADERS_TIMEOUT'),
    { ...TIMEOUT, code: 'UND_ERR_HEADERS_TIMEOUT' },
  ],
  ['is an abort with a TypeError', new TypeError('no'), ABORTED_BY_SIGNAL],
];

describe("an aborted signal's reason", () => {
  it.each(aborts)('%s', (_, reason, expected) => {
    expect(abortEndOf(AbortSignal.abort(reason))).toEqual(expected);
  });
  it('is a timeout of AbortSignal.timeout', async () => {
    const signal = AbortSignal.timeout(1);
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    expect(abortEndOf(signal)).toEqual(TIMEOUT);
  });
});
