import { parseJson, settleStream, type Verdict, verdictOf } from '../protocol/index.js';
import type { BodyForm, BodyObstacle, SendEnd } from '../wire/listener.js';

/** What had been seen when the exchange ended, without a response to the call so far. */
export interface SeenAtEnd {
  /** Absent when no response came. */
  readonly status: number | undefined;
  readonly form: BodyForm | undefined;
  /** A whole body that isn't an event stream. */
  readonly bodyText: string | undefined;
  readonly obstacle: BodyObstacle | undefined;
  readonly malformed: boolean;
  readonly foreign: boolean;
  readonly classify: (status: number, body: string) => Verdict;
}

/** A 2xx. */
export function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299;
}

/** The verdict on a call whose exchange has ended. */
export function verdictOnEnd(end: SendEnd, seen: SeenAtEnd): Verdict {
  const { status } = seen;
  if (status === undefined) return withoutResponse(end);
  // Transport precedence: what isn't 2xx is HTTP_ERROR, however its body ended.
  if (!isSuccess(status)) return seen.classify(status, seen.bodyText ?? '');
  if (end.kind === 'aborted') return verdictOf('CANCELLED');
  if (end.kind === 'timeout') return verdictOf('TIMEOUT');
  if (end.kind === 'not_read') return verdictOf('UNCLASSIFIED', { reason: 'body_not_read' });
  if (seen.obstacle !== undefined) return verdictOf('UNCLASSIFIED', { reason: seen.obstacle });
  if (end.kind === 'failed') return verdictOf('STREAM_INCOMPLETE');
  if (seen.form === 'event-stream') return settleStream(seen);
  const body = seen.bodyText ?? '';
  // The response to a request that was answered 202 comes on another stream, which isn't looked at. Its body is empty or
  // a text for people ("Accepted", of the SDKs' HTTP+SSE servers).
  if (status === 202 && parseJson(body) === undefined)
    return verdictOf('UNCLASSIFIED', { reason: 'body_not_read' });
  return seen.classify(status, body);
}

function withoutResponse(end: SendEnd): Verdict {
  switch (end.kind) {
    case 'aborted':
      return verdictOf('CANCELLED');
    case 'timeout':
      return verdictOf('TIMEOUT');
    case 'failed':
      return verdictOf('NETWORK_ERROR');
    case 'complete':
    case 'not_read':
      return verdictOf('UNCLASSIFIED', { reason: 'body_not_read' });
  }
}
