import { retryReasonOf } from '../protocol/index.js';
import type { Call } from './call.js';
import { type Attempt, digestOf, metaDigestOf, type Repeat, repeatOf, type Sending } from './repeat.js';

/** Attempts that failed a short while ago, bounded in number and time. */
export interface Attempts {
  /** Keeps what a repeat is known by; nothing of a call that didn't fail. */
  failed(sending: Sending, details: FailureDetails): void;
  /**
   * The earlier attempt that this one repeats. Each is repeated once, and what comes after refers to the repeat; but who
   * only might have repeated it doesn't keep it from who certainly does.
   */
  repeated(sending: Sending): Repeat | undefined;
}

export interface FailureDetails {
  /** Node's or undici's code. */
  readonly networkCode: string | undefined;
  /** Where the client was sent to. */
  readonly redirectedTo: string | undefined;
  /** How telemetry refers to the call. */
  readonly reference: unknown;
}

// What one tool's failures in a row leave behind; more of them at once are clients that nobody can tell apart.
const MAX_OF_A_KIND = 50;

// How certainly one attempt repeats another; 0 for one that nobody has repeated.
const POSSIBLE = 1;
const IN_TRACE = 2;
const BY_CLIENT = 3;
const REDIRECT = 4;

export function recentAttempts(limit: number, windowMillis: number): Attempts {
  const byKind = new Map<string, Attempt[]>();
  let count = 0;

  function forget(before: number): void {
    // Kinds are in the order of their last failure.
    for (const [kind, attempts] of byKind) {
      const newest = attempts.at(-1);
      if (count <= limit && newest !== undefined && newest.endedAt >= before) return;
      count -= attempts.length;
      byKind.delete(kind);
    }
  }

  return {
    failed(sending, details) {
      const attempt = attemptOf(sending, details);
      if (attempt === undefined) return;
      const kind = kindOf(sending.call);
      const attempts = byKind.get(kind) ?? [];
      byKind.delete(kind);
      byKind.set(kind, attempts);
      attempts.push(attempt);
      count++;
      if (attempts.length > MAX_OF_A_KIND) {
        attempts.shift();
        count--;
      }
      forget(attempt.endedAt - windowMillis);
    },
    repeated(sending) {
      const { call } = sending;
      const attempts = byKind.get(kindOf(call));
      if (attempts === undefined) return undefined;
      const since = call.startedAt - windowMillis;
      let digest: string | undefined;
      let metaDigest: string | undefined;
      let best: { repeat: Repeat; certainty: number } | undefined;
      for (const attempt of attempts) {
        // What began before the failure isn't its repeat.
        if (attempt.endedAt > call.startedAt || attempt.endedAt < since) continue;
        if (attempt.repeatedAs >= mostCertain(attempt, call)) continue;
        digest ??= digestOf(call.message.params);
        if (digest !== attempt.digest) continue;
        metaDigest ??= metaDigestOf(call.message.params);
        const repeat = repeatOf(attempt, sending, metaDigest === attempt.metaDigest);
        if (repeat === undefined) continue;
        const certainty = certaintyOf(repeat, sending);
        if (certainty <= attempt.repeatedAs || certainty < (best?.certainty ?? 0)) continue;
        best = { repeat, certainty };
      }
      if (best === undefined) return undefined;
      best.repeat.earlier.repeatedAs = best.certainty;
      return best.repeat;
    },
  };
}

/** How certain a repeat of this attempt could be at most: a storm of failures leaves many that need no closer look. */
function mostCertain({ id, negotiation, reason }: Attempt, { message }: Call): number {
  if (negotiation === 'redirect') return REDIRECT;
  const sameId = message.kind === 'request' && message.id === id;
  return sameId || reason === 'header_mismatch' ? BY_CLIENT : IN_TRACE;
}

/** Of several attempts that fit, the one that fits best counts, and of equal ones the last. */
function certaintyOf(repeat: Repeat, { caller }: Sending): number {
  if (repeat.kind === 'redirect') return REDIRECT;
  if (repeat.origin === 'sdk') return BY_CLIENT;
  return caller.trace !== undefined && caller.trace === repeat.earlier.caller.trace ? IN_TRACE : POSSIBLE;
}

function kindOf({ message, target }: Call): string {
  return `${message.method}\n${target.toolName ?? target.promptName ?? target.resourceUri ?? ''}`;
}

function attemptOf(sending: Sending, details: FailureDetails): Attempt | undefined {
  const { call, endpoint, sessionId, authorization, client, caller } = sending;
  const { message, verdict } = call;
  if (verdict?.layer === undefined || message.kind !== 'request') return undefined;
  return {
    id: message.id,
    endpoint,
    sessionId,
    authorization,
    client: client === undefined ? undefined : new WeakRef(client),
    caller,
    digest: digestOf(message.params),
    metaDigest: metaDigestOf(message.params),
    verdict,
    negotiation: call.negotiation,
    reason: retryReasonOf(verdict, sessionId !== undefined),
    endedAt: call.startedAt + (call.durationMs ?? 0),
    attempt: call.attempt,
    origin: call.retryOrigin ?? 'none',
    retryReason: call.retryReason,
    retryInferred: call.retryInferred,
    postCount: call.postCount,
    statuses: [...call.statuses],
    ...details,
    repeatedAs: 0,
  };
}
