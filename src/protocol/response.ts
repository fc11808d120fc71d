import { belongsTo, openEnvelope, rpcErrorIn } from './envelope.js';
import { isJsonObject, own, parseJson } from './json.js';
import { SUBSCRIPTION_ACKNOWLEDGED } from './methods.js';
import type { RequestId } from './request.js';
import { classifyResult } from './result.js';
import { type Verdict, verdictOf } from './verdict.js';

/** A response has one of these in its text. What has neither needn't be decoded or parsed. */
export const RESPONSE_KEYS = ['"result"', '"error"'] as const;

/** The message that a response answers, as far as it decides what the response means. */
export interface AnsweredMessage {
  /** Absent for a notification. */
  readonly id?: RequestId;
  readonly method: string;
  readonly params?: unknown;
  /** The ids of the other requests in the same batch: their responses aren't strangers. */
  readonly siblingIds?: ReadonlySet<RequestId>;
}

/** What one JSON value, the body or an event of a stream, says about one request. */
export type Reading =
  /** The response has come. */
  | { readonly kind: 'verdict'; readonly verdict: Verdict }
  /** A response, but to nobody who asked here. It counts when nothing better comes. */
  | { readonly kind: 'foreign' }
  /** The response to another request of the batch. */
  | { readonly kind: 'sibling' }
  /** A request or notification of the server (its id may equal ours), a heartbeat, anything else. */
  | { readonly kind: 'none' };

/**
 * What a whole response means.
 *
 * @param response.status - the HTTP status
 * @param response.body - the whole decoded body, which isn't an event stream
 * @param response.request - what was sent; without `id` it is a notification
 * @returns a verdict, whatever the arguments are. Never throws.
 *
 * @example
 * classifyResponse({
 *   status: 200,
 *   body: '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}',
 *   request: { id: 1, method: 'tools/list' },
 * }) // { outcome: 'JSONRPC_ERROR', layer: 'protocol', code: -32601, message: 'Method not found' }
 * @see docs/telemetry.md, "Outcomes"
 */
export function classifyResponse(response: {
  readonly status: number;
  readonly body: string;
  readonly request: AnsweredMessage;
}): Verdict {
  try {
    const { status, body, request } = response;
    if (!Number.isInteger(status)) return verdictOf('UNCLASSIFIED', { reason: 'observer_error' });
    if (status < 200 || status > 299) return httpError(status, body, request);
    if (typeof request.method !== 'string') return verdictOf('UNCLASSIFIED', { reason: 'observer_error' });
    if (request.id === undefined) return verdictOf('ACCEPTED');
    if (typeof body !== 'string') return verdictOf('UNCLASSIFIED', { reason: 'body_not_read' });
    return classifyBody(body, request, request.id);
  } catch {
    // Only arguments that aren't what the signature says get here: no object, or properties that throw when read.
    return verdictOf('UNCLASSIFIED', { reason: 'observer_error' });
  }
}

function httpError(status: number, body: unknown, request: AnsweredMessage | undefined): Verdict {
  const value = typeof body === 'string' ? parseJson(body)?.value : undefined;
  return verdictOf('HTTP_ERROR', { status, ...errorIn(value, request) });
}

/** With a single object the id isn't asked for: servers that gave up early make one up (`"server-error"`). */
function errorIn(value: unknown, request: AnsweredMessage | undefined): ReturnType<typeof rpcErrorIn> {
  if (!Array.isArray(value)) return rpcErrorIn(value);
  const id = request?.id;
  const errors = value.filter((message) => rpcErrorIn(message) !== undefined);
  return rpcErrorIn(
    errors.find((message) => id !== undefined && own(message, 'id') === id) ??
      errors.find((message) => (own(message, 'id') ?? null) === null),
  );
}

function classifyBody(body: string, request: AnsweredMessage, id: RequestId): Verdict {
  const parsed = parseJson(body);
  if (parsed === undefined) return verdictOf(isBlank(body) ? 'STREAM_INCOMPLETE' : 'MALFORMED_JSON');
  const { value } = parsed;
  const reading = responseIn(value, request);
  if (reading.kind === 'verdict') return reading.verdict;
  // The batch was answered, but this request wasn't.
  if (reading.kind === 'sibling') return verdictOf('STREAM_INCOMPLETE');
  if (!Array.isArray(value)) return envelopeVerdict(value, request, id);
  if (reading.kind === 'foreign') return verdictOf('INVALID_ENVELOPE', { defect: 'id_mismatch' });
  return verdictOf('INVALID_ENVELOPE', { defect: value.some(isJsonObject) ? 'neither' : 'not_object' });
}

/** Nothing but white space: `trim` takes a byte order mark for such, too. */
const isBlank = (body: string): boolean => body.trim() === '';

/**
 * Looks in one JSON value for the response to `request`. An array is looked at message by message, in every revision;
 * there, the response with the request's own id goes before an error without one.
 */
export function responseIn(value: unknown, request: AnsweredMessage): Reading {
  if (!Array.isArray(value)) return readMessage(value, request);
  let best: Reading = NONE;
  for (const message of value) {
    const reading = readMessage(message, request);
    if (reading.kind === 'verdict' && own(message, 'id') === request.id) return reading;
    if (RANK[reading.kind] > RANK[best.kind]) best = reading;
  }
  return best;
}

/** The responses in one JSON value and the ids they answer, whoever asked. */
export function answersIn(value: unknown): { readonly id: string | number; readonly message: unknown }[] {
  const messages: readonly unknown[] = Array.isArray(value) ? value : [value];
  return messages.flatMap((message) => {
    const id = own(message, 'id');
    if ((typeof id !== 'string' && typeof id !== 'number') || own(message, 'jsonrpc') !== '2.0') return [];
    if (own(message, 'result') === undefined && own(message, 'error') === undefined) return [];
    return [{ id, message }];
  });
}

const NONE: Reading = { kind: 'none' };
const RANK: Readonly<Record<Reading['kind'], number>> = { none: 0, sibling: 1, foreign: 2, verdict: 3 };

function readMessage(message: unknown, request: AnsweredMessage): Reading {
  const { id } = request;
  if (id === undefined || !isJsonObject(message)) return NONE;
  if (request.method === 'subscriptions/listen' && own(message, 'method') === SUBSCRIPTION_ACKNOWLEDGED) {
    return { kind: 'verdict', verdict: verdictOf('ACCEPTED') };
  }
  if (!Object.hasOwn(message, 'result') && !Object.hasOwn(message, 'error')) return NONE;
  const messageId = own(message, 'id');
  // With our id it is meant for us, however broken; otherwise only JSON-RPC counts, and no heartbeat that has an "error".
  if (messageId !== id && own(message, 'jsonrpc') !== '2.0') return NONE;
  if (belongsTo(message, id)) return { kind: 'verdict', verdict: envelopeVerdict(message, request, id) };
  return { kind: isSibling(messageId, request) ? 'sibling' : 'foreign' };
}

function isSibling(id: unknown, { siblingIds }: AnsweredMessage): boolean {
  return (typeof id === 'string' || typeof id === 'number') && siblingIds?.has(id) === true;
}

function envelopeVerdict(value: unknown, request: AnsweredMessage, id: RequestId): Verdict {
  const envelope = openEnvelope(value, id);
  switch (envelope.kind) {
    case 'defect':
      return verdictOf('INVALID_ENVELOPE', { defect: envelope.defect });
    case 'error':
      return verdictOf('JSONRPC_ERROR', { code: envelope.code, message: envelope.message });
    case 'result':
      return classifyResult(envelope.result, request);
  }
}

/**
 * The verdict on a 2xx stream that ended without the response.
 *
 * @param seen.malformed - an event that might have been the response wasn't JSON
 * @param seen.foreign - a response to an unknown id came
 */
export function settleStream(seen: { readonly malformed: boolean; readonly foreign: boolean }): Verdict {
  if (seen.malformed) return verdictOf('MALFORMED_JSON');
  if (seen.foreign) return verdictOf('INVALID_ENVELOPE', { defect: 'id_mismatch' });
  return verdictOf('STREAM_INCOMPLETE');
}
