import type { Outcome } from './outcome.js';
import { neverArrived } from './retry-reason.js';

/** What is known of a call that ended; a `CallRecord` is one. */
export interface EndedCall {
  readonly outcome: Outcome | null;
  /** In order; the last one counts. */
  readonly httpStatuses: readonly number[];
  readonly jsonrpc: { readonly errorCode: number | null };
  /** As `error.type` has it: with `NETWORK_ERROR`, Node's or undici's code. */
  readonly errorType?: string | null;
  /** The header `Retry-After` as received. */
  readonly retryAfter?: string | null;
}

export interface RetryCircumstances {
  /** The call changes nothing. Unknown when absent: then it isn't assumed. */
  readonly readOnly?: boolean;
  /** Doing it twice is as doing it once, by its nature or by an idempotency key. */
  readonly idempotent?: boolean;
  /** 1 for the call that was sent first. @default 1 */
  readonly attempt?: number;
  /** Between 0 (included) and 1, as `Math.random`, which is the default. */
  readonly random?: () => number;
  /** Epoch milliseconds, for a `Retry-After` that is a date. @default Date.now */
  readonly now?: () => number;
}

export interface RetryAdvice {
  /**
   * - `conditional`: the same call may be sent again after `delayMs`
   * - `after_fix`: not the same call; something must change first (arguments, credentials, session, headers)
   * - `after_input`: this is no failure; a follow-up with the input that was asked for goes on
   * - `no`: don't
   */
  readonly retry: 'conditional' | 'no' | 'after_input' | 'after_fix';
  readonly reason: RetryAdviceReason;
  /** Retries after the first attempt, of which some may have been made: 2, or 0 where none is advised. */
  readonly maxRetries: number;
  /** How long to wait; 0 where no retry is advised. */
  readonly delayMs: number;
  /** Where `delayMs` is from. */
  readonly honours: 'retry-after' | 'backoff';
}

export type RetryAdviceReason =
  | 'not_failed'
  | 'input_required'
  | 'cancelled'
  | 'outcome_unknown'
  | 'temporary'
  | 'rate_limited'
  | 'never_arrived'
  | 'unknown_side_effects'
  | 'retries_used_up'
  | 'authorization'
  | 'request_refused'
  | 'jsonrpc_error'
  | 'incompatible_server'
  | 'tool_error';

const MAX_RETRIES = 2;
const BASE_DELAY_MS = 200;
/** A server may ask for more; whoever waits longer than a minute should decide that for itself. */
const MAX_DELAY_MS = 60_000;

/** Statuses of a server or gateway that may be well again in a moment (RFC 9110 section 15). */
const TEMPORARY = new Set([408, 500, 502, 503, 504]);
const TOO_MANY_REQUESTS = 429;

/**
 * Whether to send a call again, and when. It advises; this package never retries.
 *
 * @example
 * retryAdvice(call, { readOnly: true, attempt: call.attempt })
 * // { retry: 'conditional', reason: 'temporary', maxRetries: 2, delayMs: 137, honours: 'backoff' }
 * @see docs/retries.md for the table
 */
export function retryAdvice(call: EndedCall, circumstances: RetryCircumstances = {}): RetryAdvice {
  switch (call.outcome) {
    case 'TOOL_SUCCESS':
    case 'SUCCESS':
    case 'TASK_CREATED':
    case 'ACCEPTED':
      return refuse('no', 'not_failed');
    case 'INPUT_REQUIRED':
      return refuse('after_input', 'input_required');
    case 'CANCELLED':
      return refuse('no', 'cancelled');
    case 'UNCLASSIFIED':
    case null:
      return refuse('no', 'outcome_unknown');
    case 'TIMEOUT':
    case 'STREAM_INCOMPLETE':
      return ifHarmless(call, circumstances);
    case 'NETWORK_ERROR':
      return neverArrived(call.errorType)
        ? again('never_arrived', call, circumstances)
        : ifHarmless(call, circumstances);
    case 'HTTP_ERROR':
      return onStatus(call, circumstances);
    case 'JSONRPC_ERROR':
      return refuse(isRequestAtFault(call.jsonrpc.errorCode) ? 'after_fix' : 'no', 'jsonrpc_error');
    case 'TOOL_ERROR':
      return refuse('after_fix', 'tool_error');
    case 'MALFORMED_JSON':
    case 'INVALID_ENVELOPE':
    case 'INVALID_TOOL_RESULT':
    case 'INVALID_RESULT':
      return refuse('no', 'incompatible_server');
  }
}

function onStatus(call: EndedCall, circumstances: RetryCircumstances): RetryAdvice {
  const status = call.httpStatuses.at(-1) ?? 0;
  // The server says that it didn't act, so side effects don't matter.
  if (status === TOO_MANY_REQUESTS) return again('rate_limited', call, circumstances);
  if (status === 401 || status === 403) return refuse('after_fix', 'authorization');
  if (TEMPORARY.has(status)) return ifHarmless(call, circumstances);
  return refuse('after_fix', 'request_refused');
}

/** It may have been done already: only what does no harm when done twice is done again. */
function ifHarmless(call: EndedCall, circumstances: RetryCircumstances): RetryAdvice {
  if (circumstances.readOnly !== true && circumstances.idempotent !== true) {
    return refuse('no', 'unknown_side_effects');
  }
  return again('temporary', call, circumstances);
}

function again(reason: RetryAdviceReason, call: EndedCall, circumstances: RetryCircumstances): RetryAdvice {
  const { attempt = 1, random = Math.random, now = Date.now } = circumstances;
  if (attempt > MAX_RETRIES) return refuse('no', 'retries_used_up');
  const asked = retryAfterMs(call.retryAfter, now);
  return {
    retry: 'conditional',
    reason,
    maxRetries: MAX_RETRIES,
    // Full jitter: clients that failed together don't come back together.
    delayMs: asked ?? Math.round(random() * BASE_DELAY_MS * 2 ** Math.max(0, attempt - 1)),
    honours: asked === undefined ? 'backoff' : 'retry-after',
  };
}

/**
 * The three forms of a date: https://www.rfc-editor.org/rfc/rfc9110.html#section-5.6.7. `Date.parse` alone reads a date
 * into almost any text with a number in it ("-5", "Retry 10"), one long past, and the advice would be "at once".
 */
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? .*\d\d:\d\d:\d\d( GMT| \d{4})$/;

/** Seconds or a date: https://www.rfc-editor.org/rfc/rfc9110.html#section-10.2.3 */
function retryAfterMs(header: string | null | undefined, now: () => number): number | undefined {
  if (header === null || header === undefined) return undefined;
  const text = header.trim();
  const delay = /^\d+$/.test(text) ? Number(text) * 1000 : httpDate(text) - now();
  return Number.isNaN(delay) ? undefined : Math.min(MAX_DELAY_MS, Math.max(0, delay));
}

function httpDate(text: string): number {
  const zone = HTTP_DATE.exec(text)?.[1];
  if (zone === undefined) return Number.NaN;
  // The form without a zone is in GMT too; `Date.parse` would take it for local time.
  return Date.parse(zone === ' GMT' ? text : `${text} GMT`);
}

/** The request itself is at fault: https://www.jsonrpc.org/specification#error_object, and MCP's -32020 to -32022. */
function isRequestAtFault(code: number | null): boolean {
  if (code === null) return false;
  return (code >= -32602 && code <= -32600) || (code >= -32022 && code <= -32020);
}

function refuse(retry: 'no' | 'after_input' | 'after_fix', reason: RetryAdviceReason): RetryAdvice {
  return { retry, reason, maxRetries: 0, delayMs: 0, honours: 'backoff' };
}
