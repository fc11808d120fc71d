import type { Negotiation } from './outcome.js';

/** A failed exchange, as far as it decides whether the failure was to be expected. */
export interface FailedExchange {
  readonly method: string;
  /** Absent when no response came. */
  readonly status?: number | undefined;
  /** The JSON-RPC error's code. */
  readonly code?: number | undefined;
  /** The response's `WWW-Authenticate`. */
  readonly wwwAuthenticate?: string | undefined;
  /** The request had an `Authorization`. */
  readonly authorizationSent: boolean;
  /** The response had a `Location`. */
  readonly location?: boolean | undefined;
  /** The client follows redirects itself, or that can't be told (`redirect: 'manual'`). */
  readonly redirectFollowedByClient: boolean;
}

/** MCP's "unsupported protocol version"; `error.data.supported` lists what the server speaks. */
const UNSUPPORTED_PROTOCOL_VERSION = -32022;

/** The statuses that fetch follows: https://fetch.spec.whatwg.org/#redirect-status */
const REDIRECT_STATUSES: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Refusals that say nothing about the method asked for: credentials, patience, rate. */
const UNRELATED_REFUSALS: ReadonlySet<number> = new Set([401, 403, 408, 429]);

/**
 * Which protocol's normal first move a failed exchange is; `undefined` when it is a failure like any other.
 * @see docs/telemetry.md, "Negotiation isn't failure"
 */
export function negotiationOf(exchange: FailedExchange): Negotiation | undefined {
  if (asksForAuthorization(exchange)) return 'authorization';
  if (refusesVersion(exchange)) return 'version';
  return redirects(exchange) ? 'redirect' : undefined;
}

/** @see https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization#scope-challenge-handling */
function asksForAuthorization({ status, wwwAuthenticate, authorizationSent }: FailedExchange): boolean {
  if (status !== 401 && status !== 403) return false;
  // A challenge is at least the name of a scheme.
  if (wwwAuthenticate === undefined || wwwAuthenticate.trim() === '') return false;
  return !authorizationSent || (status === 403 && challengeError(wwwAuthenticate) === 'insufficient_scope');
}

/**
 * A client that speaks 2026-07-28 probes with `server/discover`; a server that doesn't know it says so by a status or
 * by a JSON-RPC error, and the client goes on with `initialize`.
 */
function refusesVersion({ method, status, code }: FailedExchange): boolean {
  if (code === UNSUPPORTED_PROTOCOL_VERSION) return true;
  if (method !== 'server/discover' || status === undefined) return false;
  if (status >= 200 && status <= 299) return code !== undefined;
  return status >= 400 && status <= 499 && !UNRELATED_REFUSALS.has(status);
}

function redirects({ status, location, redirectFollowedByClient }: FailedExchange): boolean {
  return (
    status !== undefined && REDIRECT_STATUSES.has(status) && location === true && redirectFollowedByClient
  );
}

/**
 * The `error` of a bearer challenge. Whole parameters are taken, so that text inside a quoted value isn't read as one;
 * the lookbehind keeps the search linear in a long run of letters.
 * @see https://www.rfc-editor.org/rfc/rfc6750.html#section-3
 */
function challengeError(wwwAuthenticate: string): string | undefined {
  const parameters = /(?<![\w-])([\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]*))/g;
  for (const [, name, quoted, token] of wwwAuthenticate.matchAll(parameters)) {
    if (name?.toLowerCase() === 'error') return quoted ?? token;
  }
  return undefined;
}
