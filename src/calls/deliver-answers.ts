import { answersIn } from '../protocol/index.js';
import type { Calls } from './open-send.js';

/** Where a message was seen: the same server and session as the calls it may answer. */
export interface Place {
  readonly endpoint: string;
  readonly sessionId: string | undefined;
}

/**
 * Gives the responses in one JSON value to the calls that wait for them, whatever stream they came on: clients find
 * the request by its id alone.
 *
 * @param toAll - also to calls whose own exchange is still open. On a stream that answers no request of its own, a
 * response can be meant for nobody else.
 * @returns `true` when some open call was meant
 */
export function deliverAnswers(calls: Calls, place: Place, value: unknown, toAll = false): boolean {
  let meant = false;
  for (const { id, message } of answersIn(value)) {
    const open = calls.open.find(place.endpoint, place.sessionId, id);
    if (open.length > 0) meant = true;
    const waiting = toAll ? open : open.filter((call) => call.waiting);
    if (waiting.length === 1) waiting[0]?.answer(message);
    // Without sessions nobody can say whose answer it is.
    else for (const call of waiting) call.answerUnclear();
  }
  return meant;
}
