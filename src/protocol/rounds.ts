import { isJsonObject, own, ownString } from './json.js';

/**
 * The dialogue of a multi round-trip request: the server answers `input_required`, the client sends the request again,
 * with a new id and what was asked for.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic#message-patterns
 */

/** What an `input_required` result has for its follow-up to be known by. */
export interface Asked {
  /** The names of the requests, sorted. */
  readonly keys: readonly string[];
  /** A follow-up has to send it back as it is: opaque, and of any length. */
  readonly requestState: string | undefined;
}

/** What a follow-up sends back. */
export type FollowUp = Asked;

// More questions than this nobody answers in one round; without their names, `requestState` must tell.
const MAX_KEYS = 64;

/** The params that a follow-up has beyond those of the request it goes on with. */
export const FOLLOW_UP_PARAMS: ReadonlySet<string> = new Set(['_meta', 'inputResponses', 'requestState']);

export function askedIn(result: unknown): Asked {
  return { keys: keysOf(own(result, 'inputRequests')), requestState: ownString(result, 'requestState') };
}

/** @returns `undefined` for params that follow nothing up */
export function followUpIn(params: unknown): FollowUp | undefined {
  const responses = own(params, 'inputResponses');
  const requestState = ownString(params, 'requestState');
  if (!isJsonObject(responses) && requestState === undefined) return undefined;
  return { keys: keysOf(responses), requestState };
}

/** `true` when the follow-up answers what was asked: by its state or, without one, by the names of the questions. */
export function answers(followUp: FollowUp, asked: Asked): boolean {
  if (asked.requestState !== undefined) return followUp.requestState === asked.requestState;
  if (followUp.requestState !== undefined || asked.keys.length === 0) return false;
  return followUp.keys.length === asked.keys.length && followUp.keys.every((key, i) => key === asked.keys[i]);
}

function keysOf(value: unknown): string[] {
  return isJsonObject(value) ? Object.keys(value).sort().slice(0, MAX_KEYS) : [];
}
