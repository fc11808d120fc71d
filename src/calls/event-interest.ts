import { RESPONSE_KEYS, SUBSCRIPTION_ACKNOWLEDGED } from '../protocol/index.js';
import type { EventInterest } from '../wire/listener.js';

const RESPONSES: EventInterest = {
  needles: RESPONSE_KEYS.map((key) => Buffer.from(key)),
  serverMessages: false,
  firstEvent: false,
  whileOpen: false,
};

const ACKNOWLEDGEMENTS: EventInterest = {
  needles: [...RESPONSES.needles, Buffer.from(SUBSCRIPTION_ACKNOWLEDGED)],
  serverMessages: true,
  firstEvent: false,
  whileOpen: true,
};

/** On a stream that isn't one call's own: answers, and the event by which HTTP+SSE (2024-11-05) names its endpoint. */
export const ANSWERS: EventInterest = { ...RESPONSES, firstEvent: true, whileOpen: true };

/** Which events of a stream can end calls of these methods: responses, or a subscription's acknowledgement. */
export function eventInterestOf(methods: readonly string[]): EventInterest {
  return methods.includes('subscriptions/listen') ? ACKNOWLEDGEMENTS : RESPONSES;
}
