import type { Verdict } from './verdict.js';

/** Why a request was sent again: what had become of it before. */
export type RetryReason =
  | 'authorization'
  | 'session_expired'
  | 'header_mismatch'
  | `status_${number}`
  | 'network'
  | 'timeout'
  | 'stream_incomplete'
  | 'protocol'
  | 'tool_error';

/**
 * @param hadSession - the request was sent in a session: a 404 then means that it has ended
 * @returns `undefined` for what explains no repeat: a success, a cancellation, an outcome that isn't known
 * @see docs/retries.md, "Origin"
 */
export function retryReasonOf(verdict: Verdict, hadSession: boolean): RetryReason | undefined {
  switch (verdict.outcome) {
    case 'HTTP_ERROR':
      return httpReason(verdict, hadSession);
    case 'NETWORK_ERROR':
      return 'network';
    case 'TIMEOUT':
      return 'timeout';
    case 'STREAM_INCOMPLETE':
      return 'stream_incomplete';
    case 'TOOL_ERROR':
      return 'tool_error';
    default:
      return verdict.layer === 'protocol' ? 'protocol' : undefined;
  }
}

/** The headers don't say what the body says: https://modelcontextprotocol.io/specification/2026-07-28/basic/transports */
const HEADER_MISMATCH = -32020;

function httpReason({ status, code }: Verdict, hadSession: boolean): RetryReason {
  if (status === 401 || status === 403) return 'authorization';
  if (status === 404 && hadSession) return 'session_expired';
  if (status === 400 && code === HEADER_MISMATCH) return 'header_mismatch';
  return `status_${status ?? 0}`;
}

/**
 * Codes of a connection that was never made: the request didn't leave.
 * https://nodejs.org/api/errors.html#common-system-errors
 */
const NEVER_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** @param networkCode - Node's or undici's code of a `NETWORK_ERROR` */
export function neverArrived(networkCode: string | null | undefined): boolean {
  return typeof networkCode === 'string' && NEVER_SENT.has(networkCode);
}

/**
 * `true` when nobody can know whether the server acted: it may have done so, and the answer was lost.
 *
 * @param networkCode - Node's or undici's, with `NETWORK_ERROR`
 */
export function isAmbiguous({ outcome, status }: Verdict, networkCode: string | undefined): boolean {
  if (outcome === 'STREAM_INCOMPLETE') return true;
  if (outcome === 'NETWORK_ERROR' || outcome === 'TIMEOUT') return !neverArrived(networkCode);
  return outcome === 'HTTP_ERROR' && status !== undefined && status >= 500;
}
