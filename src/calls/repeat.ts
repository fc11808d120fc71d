import type { Negotiation, RequestId, RetryOrigin, RetryReason, Verdict } from '../protocol/index.js';
import type { Call } from './call.js';
import type { Caller } from './observer.js';
import { paramsDigest } from './params-digest.js';

/** What tells a sending from others, and the same sending when it comes again. */
export interface Sending {
  readonly call: Call;
  readonly endpoint: string;
  readonly sessionId: string | undefined;
  /** A digest: header values aren't kept. */
  readonly authorization: string | undefined;
  /** An object that sends of one client share. */
  readonly client: object | undefined;
  readonly caller: Caller;
}

/** An attempt that failed, for as long as a repeat may refer to it. */
export interface Attempt {
  readonly id: RequestId | undefined;
  readonly endpoint: string;
  readonly sessionId: string | undefined;
  readonly authorization: string | undefined;
  readonly client: WeakRef<object> | undefined;
  readonly caller: Caller;
  /** Params without `_meta`; and `_meta`. */
  readonly digest: string;
  readonly metaDigest: string;
  readonly verdict: Verdict;
  readonly negotiation: Negotiation | undefined;
  /** Where the client was sent to, with a redirect that it follows itself. */
  readonly redirectedTo: string | undefined;
  readonly reason: RetryReason | undefined;
  /** Node's or undici's code, with a failure of the network. */
  readonly networkCode: string | undefined;
  /** Of the monotonic clock, milliseconds. */
  readonly endedAt: number;
  readonly attempt: number;
  readonly origin: RetryOrigin;
  /** Why it was sent itself, where it was a repeat; and whether that is only inferred. */
  readonly retryReason: RetryReason | undefined;
  readonly retryInferred: boolean | undefined;
  readonly postCount: number;
  readonly statuses: readonly number[];
  /** How telemetry refers to it. */
  readonly reference: unknown;
  /** How certainly it has been repeated; 0 for not at all. */
  repeatedAs: number;
}

/** Who sent a call again, as far as that can be known. */
export type Repeat =
  | { readonly kind: 'redirect'; readonly earlier: Attempt }
  | {
      readonly kind: 'retry';
      readonly origin: RetryOrigin;
      readonly inferred: boolean;
      readonly reason: RetryReason;
      /** With the id and the bytes of the earlier one. */
      readonly sameMessage: boolean;
      readonly earlier: Attempt;
    };

const META_ONLY: ReadonlySet<string> = new Set(['_meta']);
const NOTHING: ReadonlySet<string> = new Set();

/** Polls and heartbeats: that they come again is what they are for. */
const REPEATED_BY_NATURE = new Set(['ping', 'tasks/get', 'tasks/result', 'tasks/list']);

export const digestOf = (params: unknown): string => paramsDigest(params, META_ONLY);

export const metaDigestOf = (params: unknown): string =>
  paramsDigest((params as { _meta?: unknown } | undefined)?._meta, NOTHING);

/**
 * What an earlier attempt says of a call that begins after it ended.
 *
 * A JSON-RPC client takes a new id for each request (JSON-RPC 2.0 section 4), so the same id with the same bytes comes
 * from below it. But two clients at one URL count alike: who it was is known only where something shows that it is
 * the same client. Everything else is the application's doing, or somebody's.
 */
export function repeatOf(earlier: Attempt, sending: Sending, sameMeta: boolean): Repeat | undefined {
  const { call } = sending;
  const { message } = call;
  const sameId = message.kind === 'request' && message.id === earlier.id;
  const sameMessage = sameId && sameMeta;
  if (earlier.negotiation === 'redirect') {
    const followed = sameMessage && call.url.href === earlier.redirectedTo;
    return followed ? { kind: 'redirect', earlier } : undefined;
  }
  if (sending.endpoint !== earlier.endpoint || earlier.negotiation === 'version') return undefined;
  const { reason } = earlier;
  if (reason === undefined) return undefined;
  const told = { kind: 'retry', reason, sameMessage, earlier } as const;
  const proof = isSameClient(earlier, sending);
  // Below the JSON-RPC layer nobody reads bodies: what failed there is sent again from above it, whatever the id.
  const seenBelow = earlier.verdict.layer === 'transport';

  if (sameMessage && seenBelow && proof === true) {
    const proven =
      reason === 'authorization'
        ? isAuthorizedAnew(earlier, sending)
        : reason === 'session_expired' && sending.sessionId !== earlier.sessionId;
    return { ...told, origin: 'sdk', inferred: !proven };
  }
  const { trace } = sending.caller;
  const sameTrace = trace !== undefined && trace === earlier.caller.trace;
  if (reason === 'header_mismatch' && !sameId) {
    // The MCP SDK v2 reads the tools again and tries once more, once: what follows that may be anybody's doing.
    const untraced = trace === undefined && earlier.caller.trace === undefined;
    const isThatTry = earlier.attempt === 1 && (sameTrace || (untraced && proof === true));
    return { ...told, origin: isThatTry ? 'sdk' : 'unknown', inferred: !isThatTry };
  }
  if (REPEATED_BY_NATURE.has(message.method)) return undefined;
  // With the same id it may have come from below the client or, from another client, from above it.
  const mayBeBelow = sameMessage && seenBelow && proof === undefined;
  return { ...told, origin: sameTrace && !mayBeBelow ? 'application' : 'unknown', inferred: true };
}

function isAuthorizedAnew(earlier: Attempt, { authorization }: Sending): boolean {
  return authorization !== undefined && authorization !== earlier.authorization;
}

/** @returns `undefined` where nothing tells */
function isSameClient(earlier: Attempt, sending: Sending): boolean | undefined {
  const client = earlier.client?.deref();
  if (client !== undefined && client === sending.client) return true;
  const bothInSession = earlier.sessionId !== undefined && sending.sessionId !== undefined;
  if (bothInSession && earlier.sessionId === sending.sessionId) return true;
  // An expired session is replaced, and the same client goes on with the next.
  if (bothInSession && earlier.reason !== 'session_expired') return false;
  return undefined;
}
