import { askedIn, isAmbiguous, toolHintsIn, type Verdict, verdictOf } from '../protocol/index.js';
import type { ExchangeRequest, ExchangeResponse } from '../wire/listener.js';
import { type Attempts, recentAttempts } from './attempts.js';
import type { CallScope } from './observer.js';
import type { Repeat, Sending } from './repeat.js';
import { dialogueRounds, type Rounds } from './rounds.js';
import { type KnownTools, knownTools } from './tool-hints.js';
import { isSuccess } from './verdict-on-end.js';

/** Puts a call in relation to those before it: what it repeats, what it goes on with. */
export interface CallHistory {
  /**
   * A request of it goes out.
   *
   * @param previous - the end of the same send's exchange before this one, if there was one
   * @param answered - what that one was answered with, if it was
   */
  sent(
    sending: Sending,
    scope: CallScope,
    previous: ExchangeRequest['previous'],
    answered: ExchangeResponse | undefined,
  ): void;
  /**
   * It has its verdict.
   *
   * @param result - of the response, where there is one
   */
  ended(sending: Sending, scope: CallScope, result: unknown, redirectedTo: string | undefined): void;
}

const MAX_ATTEMPTS = 1_000;
const MAX_ROUNDS = 1_000;
const MAX_TOOLS = 10_000;

export function callHistory(retryWindowMillis: number): CallHistory {
  const attempts: Attempts = recentAttempts(MAX_ATTEMPTS, retryWindowMillis);
  const rounds: Rounds = dialogueRounds(MAX_ROUNDS);
  const tools: KnownTools = knownTools(MAX_TOOLS);

  function repeats(repeat: Repeat, sending: Sending, scope: CallScope): void {
    const { call } = sending;
    const { earlier } = repeat;
    if (repeat.kind === 'redirect' || repeat.sameMessage) {
      call.postCount += earlier.postCount;
      call.statuses.unshift(...earlier.statuses);
    }
    if (repeat.kind === 'redirect') {
      call.attempt = earlier.attempt;
      call.retryOrigin = earlier.origin;
      call.retryReason = earlier.retryReason;
      call.retryInferred = earlier.retryInferred;
      scope.linked('redirect_of', earlier.reference);
      return;
    }
    call.attempt = earlier.attempt + 1;
    call.retryReason = repeat.reason;
    if (!call.originSaid) {
      call.retryOrigin = repeat.origin;
      call.retryInferred = repeat.inferred;
    }
    scope.linked('retry_of', earlier.reference);
    scope.retried(Math.max(0, call.startedAt - earlier.endedAt));
    if (isUnsafe(sending, earlier.verdict, earlier.networkCode)) scope.unsafelyRepeated();
  }

  /** The tool may have run, and may now do once more what should be done once. */
  function isUnsafe(
    { call, endpoint, sessionId }: Sending,
    earlier: Verdict,
    networkCode: string | undefined,
  ): boolean {
    const { toolName } = call.target;
    return (
      toolName !== undefined &&
      isAmbiguous(earlier, networkCode) &&
      !tools.isRepeatable(endpoint, sessionId, toolName)
    );
  }

  function begun(sending: Sending, scope: CallScope): void {
    const { call } = sending;
    const repeat = attempts.repeated(sending);
    if (repeat !== undefined) repeats(repeat, sending, scope);
    const round = rounds.followedUp(sending, call);
    if (round === undefined) return;
    call.mrtrRound = round.number + 1;
    scope.linked('mrtr_round_of', round.reference);
  }

  return {
    sent(sending, scope, previous, answered) {
      const { call } = sending;
      if (call.postCount === 0) begun(sending, scope);
      else if (previous !== undefined && !isRedirect(answered)) {
        const status = answered?.status;
        call.attempt++;
        call.retryReason = status === undefined || isSuccess(status) ? 'network' : `status_${status}`;
        if (call.retryOrigin === 'none') call.retryOrigin = 'transport';
        scope.retried(performance.now() - previous.endedAt);
        const { end } = previous;
        const networkCode = end.kind === 'failed' ? end.code : undefined;
        if (isUnsafe(sending, verdictOfAttempt(status), networkCode)) scope.unsafelyRepeated();
      }
    },
    ended(sending, scope, result, redirectedTo) {
      const { call, endpoint, sessionId } = sending;
      const { verdict, message, end } = call;
      if (verdict?.layer !== undefined) {
        const networkCode = end?.kind === 'failed' || end?.kind === 'timeout' ? end.code : undefined;
        attempts.failed(sending, { networkCode, redirectedTo, reference: scope.reference });
      } else if (verdict?.outcome === 'INPUT_REQUIRED') {
        call.mrtrRound ??= 1;
        rounds.asked(sending, call, askedIn(result), scope.reference);
      } else if (message.method === 'tools/list' && verdict?.outcome === 'SUCCESS') {
        tools.learn(endpoint, sessionId, toolHintsIn(result));
      }
    },
  };
}

/** As what an attempt would have ended that undici sends again. */
function verdictOfAttempt(status: number | undefined): Verdict {
  if (status === undefined) return verdictOf('NETWORK_ERROR');
  return isSuccess(status) ? verdictOf('STREAM_INCOMPLETE') : verdictOf('HTTP_ERROR', { status });
}

/** What `fetch` follows with another request, which is no repeat. */
function isRedirect(response: ExchangeResponse | undefined): boolean {
  if (response === undefined || response.status < 300 || response.status > 399) return false;
  return response.headers.get('location') !== undefined;
}
