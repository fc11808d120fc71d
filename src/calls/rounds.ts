import { type Asked, answers, FOLLOW_UP_PARAMS, followUpIn } from '../protocol/index.js';
import type { Call } from './call.js';
import type { Place } from './deliver-answers.js';
import { paramsDigest } from './params-digest.js';

/** A round of a dialogue that asked for input. */
export interface Round {
  readonly number: number;
  /** How telemetry refers to it. */
  readonly reference: unknown;
}

export interface Rounds {
  asked(place: Place, call: Call, asked: Asked, reference: unknown): void;
  /** The round that this call answers. */
  followedUp(place: Place, call: Call): Round | undefined;
}

interface OpenRound extends Round {
  readonly asked: Asked;
  readonly digest: string;
}

// Dialogues about one tool at once; of more, the oldest are taken for abandoned.
const MAX_OF_A_KIND = 100;

/**
 * Dialogues under way. A person may take hours to answer, and most dialogues that are abandoned never say so: they are
 * bounded by number alone.
 */
export function dialogueRounds(limit: number): Rounds {
  const rounds = new Map<string, OpenRound[]>();
  let count = 0;
  const keyOf = ({ endpoint, sessionId }: Place, { message, target }: Call) =>
    [
      endpoint,
      sessionId ?? '',
      message.method,
      target.toolName ?? target.promptName ?? target.resourceUri ?? '',
    ].join('\n');

  function forgetOldest(): void {
    for (const [key, open] of rounds) {
      if (count <= limit) return;
      count -= open.length;
      rounds.delete(key);
    }
  }

  return {
    asked(place, call, asked, reference) {
      const key = keyOf(place, call);
      const open = rounds.get(key) ?? [];
      rounds.delete(key);
      rounds.set(key, open);
      const digest = paramsDigest(call.message.params, FOLLOW_UP_PARAMS);
      open.push({ number: call.mrtrRound ?? 1, reference, asked: withoutState(asked), digest });
      count++;
      if (open.length > MAX_OF_A_KIND) {
        open.shift();
        count--;
      }
      forgetOldest();
    },
    followedUp(place, call) {
      const sent = followUpIn(call.message.params);
      const open = sent === undefined ? undefined : rounds.get(keyOf(place, call));
      if (sent === undefined || open === undefined) return undefined;
      const followUp = withoutState(sent);
      const digest = paramsDigest(call.message.params, FOLLOW_UP_PARAMS);
      // It stays: a follow-up that fails is sent again, and answers the same round.
      return open.findLast((round) => round.digest === digest && answers(followUp, round.asked));
    },
  };
}

const NOTHING: ReadonlySet<string> = new Set();

/** The state is the server's, of any length: a digest of it is kept. */
function withoutState({ keys, requestState }: Asked): Asked {
  return { keys, requestState: requestState === undefined ? undefined : paramsDigest(requestState, NOTHING) };
}
