import { saysTimeout } from '../protocol/index.js';
import type { SendEnd } from './listener.js';

/** Codes with which undici says that the application, or whoever holds the body, let go. */
const ABORT_CODES = new Set(['ABORT_ERR', 'UND_ERR_ABORTED']);
// Its `code` is `HPE_…` up to undici 6, and `undefined` where the parser's constants have moved (7 and 8).
const PARSER_ERROR = 'HTTPParserError';
const COLLECTED_TEXT = 'garbage collected';

/**
 * What the reason of a failed exchange means.
 *
 * `reason` is anything: undici publishes what an application gave to `abort()` or `cancel()` as it is, also a string,
 * and says with a string of its own that a response was collected before anybody read it.
 *
 * An error of the network has a `code` (Node's, OpenSSL's or undici's), but for the one that undici 7 and 8 have for
 * what isn't HTTP; what an application aborts with seldom has.
 */
export function sendEndOf(reason: unknown): SendEnd {
  if (typeof reason === 'string') {
    if (reason.includes(COLLECTED_TEXT)) return { kind: 'not_read' };
    return saysTimeout(reason) ? { kind: 'timeout' } : { kind: 'aborted' };
  }
  if (typeof reason !== 'object' || reason === null) return { kind: 'aborted' };
  const { name, code, message, cause } = errorFields(reason);
  if (name === 'TimeoutError') return { kind: 'timeout' };
  if (name === 'AbortError') return { kind: 'aborted' };
  if (code !== undefined && !ABORT_CODES.has(code)) {
    if (/^UND_ERR_.*TIMEOUT$/.test(code)) return { kind: 'timeout', code };
    return { kind: 'failed', code, message };
  }
  if (name === PARSER_ERROR) return { kind: 'failed', code: name, message };
  // `fetch` rejects with a TypeError whose `cause` is what happened.
  if (name === 'TypeError') {
    // One step: a cause may lead back to where it came from.
    if (typeof cause === 'object' && cause !== null && errorFields(cause).name !== name) {
      const inner = sendEndOf(cause);
      if (inner.kind !== 'aborted') return inner;
    }
    return { kind: 'failed', code: name, message };
  }
  return saysTimeout(message) ? { kind: 'timeout' } : { kind: 'aborted' };
}

/** What an aborted signal's reason means: an abort is the application's, or a timeout's, and never the network's. */
export function abortEndOf(signal: AbortSignal): SendEnd {
  const end = sendEndOf(signal.reason);
  if (end.kind === 'timeout') return end;
  if (end.kind === 'failed' && saysTimeout(end.message)) return { kind: 'timeout' };
  return { kind: 'aborted', bySignal: true };
}

interface ErrorFields {
  name: string;
  code: string | undefined;
  message: string;
  cause: unknown;
}

function errorFields(error: object): ErrorFields {
  const { name, code, message, cause } = error as Partial<Record<keyof ErrorFields, unknown>>;
  return {
    name: typeof name === 'string' ? name : '',
    // DOMException's `code` is a number.
    code: typeof code === 'string' && code !== '' ? code : undefined,
    message: typeof message === 'string' ? message : '',
    cause,
  };
}
