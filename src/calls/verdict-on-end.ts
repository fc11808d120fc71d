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
  return seen.classify(status, body);
}

/**
 * The request was taken, with a 202 and nothing that could be a response: the answer comes on another stream. Letting
 * such a body go unread means nothing (the official SDKs do it), an aborted signal does.
 *
 * @param answersElsewhere - HTTP+SSE, where servers answer with any 2xx: its specification names no status
 */
export function wasTakenOnly(
  end: SendEnd,
  { status, form, bodyText, obstacle }: SeenAtEnd,
  answersElsewhere: boolean,
): boolean {
  if (status === undefined || (answersElsewhere ? !isSuccess(status) : status !== 202)) return false;
  if (form === 'event-stream' || obstacle !== undefined) return false;
  if (end.kind === 'aborted') return end.bySignal !== true;
  return end.kind === 'not_read' || (end.kind === 'complete' && parseJson(bodyText ?? '') === undefined);
}

/** The first revision without resumption: a stream that was cut before the response is lost. */
const WITHOUT_RESUMPTION = '2026-07-28';

/**
 * The stream ended before the response, and its events had ids: a GET may resume it.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery
 */
export function mayBeResumed(
  end: SendEnd,
  { status, form, obstacle }: SeenAtEnd,
  protocolVersion: string | undefined,
): boolean {
  if (end.kind !== 'complete' && end.kind !== 'failed') return false;
  if (status === undefined || !isSuccess(status) || form !== 'event-stream') return false;
  // Revisions are dates.
  return obstacle === undefined && (protocolVersion ?? '') < WITHOUT_RESUMPTION;
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
