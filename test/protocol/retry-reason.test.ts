import { describe, expect, it } from 'vitest';
import {
  isAmbiguous,
  OUTCOMES,
  type Outcome,
  type RetryReason,
  retryReasonOf,
  type Verdict,
  verdictOf,
} from '../../src/protocol/index.js';
import { titled } from './titled.js';

interface Row {
  readonly rule: string;
  readonly verdict: Verdict;
  readonly hadSession?: boolean;
  readonly networkCode?: string;
  readonly reason: RetryReason | undefined;
  readonly ambiguous: boolean;
}

const http = (status: number, code?: number): Verdict =>
  verdictOf('HTTP_ERROR', code === undefined ? { status } : { status, code });

const rows: Row[] = [
  { rule: '401: authorization', verdict: http(401), reason: 'authorization', ambiguous: false },
  { rule: '403: authorization', verdict: http(403), reason: 'authorization', ambiguous: false },
  {
    rule: '404 in a session: it has expired',
    verdict: http(404),
    hadSession: true,
    reason: 'session_expired',
    ambiguous: false,
  },
  { rule: '404 without a session: a status', verdict: http(404), reason: 'status_404', ambiguous: false },
  {
    rule: '400 with -32020: the headers do not say what the body says',
    verdict: http(400, -32020),
    reason: 'header_mismatch',
    ambiguous: false,
  },
  {
    rule: '400 with another code: a status',
    verdict: http(400, -32602),
    reason: 'status_400',
    ambiguous: false,
  },
  {
    rule: '500 with -32020 is no header mismatch',
    verdict: http(500, -32020),
    reason: 'status_500',
    ambiguous: true,
  },
  {
    rule: '429: refused before it was done',
    verdict: http(429),
    reason: 'status_429',
    ambiguous: false,
  },
  ...[500, 502, 503, 504, 599].map(
    (status): Row => ({
      rule: `${status}: it may have been done`,
      verdict: http(status),
      reason: `status_${status}`,
      ambiguous: true,
    }),
  ),
  {
    rule: 'a timeout: it may have been done',
    verdict: verdictOf('TIMEOUT'),
    reason: 'timeout',
    ambiguous: true,
  },
  {
    rule: 'an incomplete stream: it may have been done',
    verdict: verdictOf('STREAM_INCOMPLETE'),
    reason: 'stream_incomplete',
    ambiguous: true,
  },
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'].map(
    (networkCode): Row => ({
      rule: `${networkCode}: it never left`,
      verdict: verdictOf('NETWORK_ERROR'),
      networkCode,
      reason: 'network',
      ambiguous: false,
    }),
  ),
  ...['ECONNRESET', 'UND_ERR_SOCKET', 'EPIPE', undefined].map(
    (networkCode): Row => ({
      rule: `${networkCode ?? 'a failure without a code'}: it may have been done`,
      verdict: verdictOf('NETWORK_ERROR'),
      ...(networkCode !== undefined && { networkCode }),
      reason: 'network',
      ambiguous: true,
    }),
  ),
  ...(
    ['MALFORMED_JSON', 'INVALID_ENVELOPE', 'JSONRPC_ERROR', 'INVALID_TOOL_RESULT', 'INVALID_RESULT'] as const
  ).map(
    (outcome): Row => ({
      rule: `${outcome}: protocol`,
      verdict: verdictOf(outcome),
      reason: 'protocol',
      ambiguous: false,
    }),
  ),
  {
    rule: 'a tool that says that it failed has been run, and said so',
    verdict: verdictOf('TOOL_ERROR'),
    reason: 'tool_error',
    ambiguous: false,
  },
  ...(
    [
      'TOOL_SUCCESS',
      'SUCCESS',
      'INPUT_REQUIRED',
      'TASK_CREATED',
      'ACCEPTED',
      'CANCELLED',
      'UNCLASSIFIED',
    ] as const
  ).map(
    (outcome): Row => ({
      rule: `${outcome} explains no repeat`,
      verdict: verdictOf(outcome),
      reason: undefined,
      ambiguous: false,
    }),
  ),
];

describe('why a call is sent again', () => {
  it.each(titled(rows))('%s', (_, { verdict, hadSession, networkCode, reason, ambiguous }) => {
    expect(retryReasonOf(verdict, hadSession ?? false)).toBe(reason);
    expect(isAmbiguous(verdict, networkCode)).toBe(ambiguous);
  });

  it('is told of every outcome', () => {
    const outcomes = new Set<Outcome>(rows.map(({ verdict }) => verdict.outcome));
    expect(outcomes).toEqual(new Set(OUTCOMES));
  });
});
