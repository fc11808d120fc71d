import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type EndedCall, OUTCOMES, type RetryAdvice, retryAdvice } from '../../src/protocol/index.js';

const NOW = Date.parse('2026-12-02T12:00:00Z');
const at = (iso: string): string => new Date(iso).toUTCString();

function call(fields: Partial<EndedCall>): EndedCall {
  return { outcome: 'TOOL_SUCCESS', httpStatuses: [200], jsonrpc: { errorCode: null }, ...fields };
}

const http = (status: number, retryAfter: string | null = null): EndedCall =>
  call({ outcome: 'HTTP_ERROR', httpStatuses: [status], retryAfter });
const rpc = (errorCode: number): EndedCall => call({ outcome: 'JSONRPC_ERROR', jsonrpc: { errorCode } });
const network = (errorType: string): EndedCall =>
  call({ outcome: 'NETWORK_ERROR', httpStatuses: [], errorType });

const fixed = { random: () => 0.5, now: () => NOW };

type Row = readonly [rule: string, EndedCall, advice: Partial<RetryAdvice>];

/** The advice where nothing is known of side effects. */
const unknownEffects: Row[] = [
  ['a success', call({}), { retry: 'no', reason: 'not_failed' }],
  ['an accepted notification', call({ outcome: 'ACCEPTED' }), { retry: 'no', reason: 'not_failed' }],
  ['a created task', call({ outcome: 'TASK_CREATED' }), { retry: 'no', reason: 'not_failed' }],
  ['input is asked for', call({ outcome: 'INPUT_REQUIRED' }), { retry: 'after_input' }],
  ['the application gave up', call({ outcome: 'CANCELLED' }), { retry: 'no', reason: 'cancelled' }],
  ['nobody knows', call({ outcome: 'UNCLASSIFIED' }), { retry: 'no', reason: 'outcome_unknown' }],
  ['not over yet', call({ outcome: null }), { retry: 'no', reason: 'outcome_unknown' }],
  ['503: it may have been done', http(503), { retry: 'no', reason: 'unknown_side_effects' }],
  ['a reset: it may have been done', network('ECONNRESET'), { retry: 'no', reason: 'unknown_side_effects' }],
  ['a timeout', call({ outcome: 'TIMEOUT' }), { retry: 'no', reason: 'unknown_side_effects' }],
  ['a cut stream', call({ outcome: 'STREAM_INCOMPLETE' }), { retry: 'no', reason: 'unknown_side_effects' }],
  [
    'a refused connection: it never arrived',
    network('ECONNREFUSED'),
    { retry: 'conditional', reason: 'never_arrived' },
  ],
  [
    '429: the server did not act',
    http(429),
    { retry: 'conditional', reason: 'rate_limited', delayMs: 100, honours: 'backoff' },
  ],
  ['429 that says when', http(429, '3'), { retry: 'conditional', delayMs: 3_000, honours: 'retry-after' }],
  ['401', http(401), { retry: 'after_fix', reason: 'authorization' }],
  ['403', http(403), { retry: 'after_fix', reason: 'authorization' }],
  ['404: the session or the path', http(404), { retry: 'after_fix', reason: 'request_refused' }],
  ['400', http(400), { retry: 'after_fix', reason: 'request_refused' }],
  ['-32602: other arguments', rpc(-32602), { retry: 'after_fix', reason: 'jsonrpc_error' }],
  ['-32601: another method', rpc(-32601), { retry: 'after_fix' }],
  ['-32020: other headers', rpc(-32020), { retry: 'after_fix' }],
  ['-32603: the server failed inside', rpc(-32603), { retry: 'no', reason: 'jsonrpc_error' }],
  ['-32000: whatever the server means by it', rpc(-32000), { retry: 'no', reason: 'jsonrpc_error' }],
  ['isError: the tool ran', call({ outcome: 'TOOL_ERROR' }), { retry: 'after_fix', reason: 'tool_error' }],
  ['no JSON', call({ outcome: 'MALFORMED_JSON' }), { retry: 'no', reason: 'incompatible_server' }],
  ['no envelope', call({ outcome: 'INVALID_ENVELOPE' }), { retry: 'no', reason: 'incompatible_server' }],
  [
    'no tool result',
    call({ outcome: 'INVALID_TOOL_RESULT' }),
    { retry: 'no', reason: 'incompatible_server' },
  ],
  ['no result', call({ outcome: 'INVALID_RESULT' }), { retry: 'no', reason: 'incompatible_server' }],
];

describe('retryAdvice, where nothing is known of side effects', () => {
  it.each(unknownEffects)('%s', (_rule, ended, advice) => {
    const given = retryAdvice(ended, fixed);
    expect(given).toMatchObject(advice);
    expect(given.maxRetries).toBe(given.retry === 'conditional' ? 2 : 0);
  });
});

describe('retryAdvice, where it does no harm to do it twice', () => {
  it.each([
    ['read-only', { readOnly: true }],
    ['idempotent', { idempotent: true, readOnly: false }],
  ])('%s calls may be sent again after what may have been done', (_kind, circumstances) => {
    for (const ended of [
      http(503),
      http(500),
      http(408),
      network('ECONNRESET'),
      call({ outcome: 'TIMEOUT' }),
    ]) {
      expect(retryAdvice(ended, { ...fixed, ...circumstances })).toEqual({
        retry: 'conditional',
        reason: 'temporary',
        maxRetries: 2,
        delayMs: 100,
        honours: 'backoff',
      });
    }
  });

  it('what was done wrong stays wrong', () => {
    expect(retryAdvice(rpc(-32602), { readOnly: true }).retry).toBe('after_fix');
    expect(retryAdvice(http(404), { readOnly: true }).retry).toBe('after_fix');
  });
});

describe('the delay', () => {
  it.each([
    [1, 200],
    [2, 400],
  ])('before retry %i is anything up to %i ms', (attempt, most) => {
    const delayMs = (random: number) =>
      retryAdvice(http(503), { readOnly: true, attempt, random: () => random }).delayMs;
    expect([delayMs(0), delayMs(0.5), delayMs(0.9999)]).toEqual([0, most / 2, most]);
  });

  it('two retries are enough', () => {
    expect(retryAdvice(http(503), { readOnly: true, attempt: 3 })).toMatchObject({
      retry: 'no',
      reason: 'retries_used_up',
      maxRetries: 0,
    });
  });

  it.each([
    ['seconds', '5', 5_000],
    ['a date', at('2026-12-02T12:00:09Z'), 9_000],
    ['a date without a zone (asctime), which is in GMT', 'Wed Dec  2 12:00:09 2026', 9_000],
    ['a date in the past', at('2026-12-02T11:00:00Z'), 0],
    ['zero', '0', 0],
    ['more than a minute is cut to one', '86400', 60_000],
    ['white space around it', ' 5 ', 5_000],
  ])('Retry-After in %s is honoured', (_form, retryAfter, delayMs) => {
    expect(retryAdvice(http(503, retryAfter), { ...fixed, readOnly: true })).toMatchObject({
      delayMs,
      honours: 'retry-after',
    });
  });

  it.each(['soon', 'Soon 5', 'Retry 10', '-1', '1.5s', '', 'Wed'])(
    'Retry-After %o is nothing to go by',
    (retryAfter) => {
      expect(retryAdvice(http(503, retryAfter), { ...fixed, readOnly: true })).toMatchObject({
        delayMs: 100,
        honours: 'backoff',
      });
    },
  );
});

it('never throws, and never advises more than two retries or a minute', () => {
  const anyCall = fc.record({
    outcome: fc.constantFrom(...OUTCOMES, null),
    httpStatuses: fc.array(fc.integer({ min: 100, max: 599 }), { maxLength: 3 }),
    jsonrpc: fc.record({ errorCode: fc.option(fc.integer()) }),
    errorType: fc.option(fc.string()),
    retryAfter: fc.option(
      fc.oneof(fc.string(), fc.nat().map(String), fc.date({ noInvalidDate: true }).map(String)),
    ),
  });
  const circumstances = fc.record(
    { readOnly: fc.boolean(), idempotent: fc.boolean(), attempt: fc.integer({ min: -3, max: 9 }) },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(anyCall, circumstances, (ended, given) => {
      const advice = retryAdvice(ended, given);
      expect(advice.maxRetries).toBeLessThanOrEqual(2);
      expect(advice.delayMs).toBeGreaterThanOrEqual(0);
      expect(advice.delayMs).toBeLessThanOrEqual(60_000);
      expect(advice.retry === 'conditional').toBe(advice.maxRetries > 0);
    }),
    { numRuns: 1_000 },
  );
});
