import {
  type Cancellation,
  cancellationIn,
  classifyResponse,
  parseJson,
  type RequestId,
  responseIn,
  saysTimeout,
  verdictOf,
} from '../protocol/index.js';
import type {
  BodyObstacle,
  BodySeen,
  EventInterest,
  ExchangeRequest,
  ExchangeResponse,
  SendEnd,
  SendListener,
} from '../wire/listener.js';
import type { Call, StreamEnd } from './call.js';
import { deliverAnswers } from './deliver-answers.js';
import { eventInterestOf } from './event-interest.js';
import type { CallScope } from './observer.js';
import type { Calls } from './open-send.js';
import { type CallOwner, SentCall } from './sent-call.js';
import { isSuccess, mayBeResumed, type SeenAtEnd, verdictOnEnd, wasTakenOnly } from './verdict-on-end.js';

/** The calls of one send: one, or those of a batch. Each ends by itself, once. */
export class SentCalls implements SendListener, CallOwner {
  readonly calls: Calls;
  readonly endpoint: string;
  readonly followsRedirectsItself: boolean;
  readonly client: object | undefined;
  readonly #entries: SentCall[] = [];
  readonly #cancellations: Cancellation[] = [];
  #openCount = 0;

  // Of the last exchange.
  lastRequest: ExchangeRequest | undefined;
  lastResponse: ExchangeResponse | undefined;
  #bodyText: string | undefined;
  #obstacle: BodyObstacle | undefined;
  // Of its stream, and of those that resumed it.
  #malformed = false;
  #foreign = false;
  #earlierEvents = 0;
  #lastEventId: string | undefined;

  constructor(calls: Calls, endpoint: string, followsRedirectsItself: boolean, client: object | undefined) {
    this.calls = calls;
    this.endpoint = endpoint;
    this.followsRedirectsItself = followsRedirectsItself;
    this.client = client;
  }

  get done(): boolean {
    return this.#openCount === 0;
  }

  get interest(): EventInterest {
    return eventInterestOf(this.#entries.map(({ call }) => call.message.method));
  }

  get sessionId(): string | undefined {
    return this.lastRequest?.headers.get('mcp-session-id');
  }

  add(call: Call, scope: CallScope, batchIds: ReadonlySet<RequestId> | undefined): void {
    const { message } = call;
    const entry = new SentCall(this, call, scope, batchIds);
    const cancellation = message.kind === 'notification' ? cancellationIn(message) : undefined;
    if (cancellation !== undefined) this.#cancellations.push(cancellation);
    this.#entries.push(entry);
    this.#openCount++;
    this.calls.open.add(entry);
  }

  decided(): void {
    this.#openCount--;
    if (this.done) this.calls.resumable.delete(this);
  }

  run<T>(carried: object, fn: () => T): T {
    return (this.#entries[0] as SentCall).scope.run(carried, fn);
  }

  request(request: ExchangeRequest): void {
    const answered = this.lastResponse;
    this.lastRequest = request;
    this.lastResponse = undefined;
    this.#bodyText = undefined;
    this.#obstacle = undefined;
    const { sessionId } = this;
    const protocolVersion = request.headers.get('mcp-protocol-version');
    for (const entry of this.#open()) {
      const { call, scope } = entry;
      call.sessionId = sessionId;
      call.protocolVersion ??= protocolVersion;
      if (call.message.kind === 'request') this.calls.history.sent(entry, scope, request.previous, answered);
      call.postCount++;
      this.calls.peers.recall(this.endpoint, call);
      scope.exchange(request.token);
    }
    for (const { requestId, reason } of this.#cancellations.splice(0)) {
      const meant = this.calls.open.find(this.endpoint, sessionId, requestId);
      // Two clients at one URL count their ids from the same number: nobody can say whose call is given up.
      if (meant.length === 1) meant[0]?.cancel(reason !== undefined && saysTimeout(reason));
    }
  }

  httpVersion(version: string): void {
    for (const { call } of this.#open()) call.httpVersion = version;
  }

  response(response: ExchangeResponse): void {
    this.lastResponse = response;
    const { status, headers } = response;
    const contentType = headers.get('content-type');
    const retryAfter = headers.get('retry-after');
    for (const entry of this.#untold()) {
      const { call, scope } = entry;
      call.statuses.push(status);
      call.retryAfter = retryAfter;
      scope.httpResponse(status, contentType);
      // Any 2xx takes a notification, whatever its body: servers send 202, 200, 204, `null`, `{}`.
      if (call.message.kind === 'notification' && isSuccess(status)) entry.finish(verdictOf('ACCEPTED'));
      else entry.tell();
    }
  }

  event(data: string, _type: string, seen: BodySeen): void {
    if (!this.#isSuccess()) return;
    const parsed = parseJson(data);
    if (parsed === undefined) {
      this.#malformed = true;
      return;
    }
    let foreign = false;
    for (const entry of this.#open()) {
      const reading = responseIn(parsed.value, entry.answered);
      if (reading.kind === 'foreign') foreign = true;
      if (reading.kind !== 'verdict') continue;
      const { call } = entry;
      call.body = this.#withEarlier(seen);
      call.streamEnd = 'response';
      // What ended the stream that this one resumed.
      call.end = undefined;
      if (entry.needsResult(reading.verdict)) entry.keepResult(parsed.value);
      entry.finish(reading.verdict);
    }
    // An answer to another open call isn't a stranger, wherever it comes.
    if (foreign && !deliverAnswers(this.calls, this, parsed.value)) this.#foreign = true;
  }

  body(text: string, seen: BodySeen): void {
    this.#bodyText = text;
    for (const { call } of this.#open()) call.body = seen;
  }

  obstacle(reason: BodyObstacle): void {
    this.#obstacle ??= reason;
    if (reason !== 'observer_error') return;
    for (const entry of this.#open()) entry.finish(verdictOf('UNCLASSIFIED', { reason }));
  }

  end(end: SendEnd, seen: BodySeen | undefined, endedAt?: number): void {
    this.#lastEventId = seen?.lastEventId ?? this.#lastEventId;
    const isStream = this.#isSuccess() && seen?.form === 'event-stream';
    for (const entry of this.#untold()) {
      entry.tell();
      if (entry.call.verdict !== undefined) continue;
      const { call } = entry;
      call.end = end;
      if (seen !== undefined) call.body = this.#withEarlier(seen);
      if (isStream) {
        call.streamEnd = streamEndOf(end);
        if (call.streamEnd === 'cut') entry.scope.streamCut();
      }
      this.#endOne(entry, end, seen, endedAt);
    }
  }

  /** A GET has resumed the stream; from now on its events and its end are told as those of the first. */
  resumed(response: ExchangeResponse): void {
    this.calls.resumable.delete(this);
    for (const entry of this.#open()) {
      const { call, scope } = entry;
      entry.stopWaiting();
      call.resumptions++;
      this.#earlierEvents = call.body?.events ?? 0;
      scope.httpResponse(response.status, response.headers.get('content-type'));
      scope.streamResumed();
    }
  }

  #endOne(entry: SentCall, end: SendEnd, seen: BodySeen | undefined, endedAt: number | undefined): void {
    const { call } = entry;
    const atEnd: SeenAtEnd = {
      status: this.lastResponse?.status,
      form: seen?.form,
      bodyText: this.#bodyText,
      obstacle: this.#obstacle,
      malformed: this.#malformed,
      foreign: this.#foreign,
      classify: (status, body) => classifyResponse({ status, body, request: entry.answered }),
    };
    const verdict = verdictOnEnd(end, atEnd);
    if (this.#bodyText !== undefined && entry.needsResult(verdict))
      entry.keepResult(parseJson(this.#bodyText)?.value);
    if (wasTakenOnly(end, atEnd, this.calls.endpoints.isAnnounced(this.endpoint)))
      entry.wait(verdictOf('STREAM_INCOMPLETE'), undefined);
    else if (this.#lastEventId && mayBeResumed(end, atEnd, call.protocolVersion)) {
      entry.wait(verdict, performance.now());
      this.calls.resumable.add(this, this.#lastEventId);
    } else entry.finish(verdict, endedAt);
  }

  /** A copy: entries end while they are gone through. */
  #open(): SentCall[] {
    return this.#entries.filter(({ call }) => call.verdict === undefined);
  }

  #untold(): SentCall[] {
    return this.#entries.filter((entry) => entry.untold || entry.call.verdict === undefined);
  }

  #isSuccess(): boolean {
    return this.lastResponse !== undefined && isSuccess(this.lastResponse.status);
  }

  #withEarlier(seen: BodySeen): BodySeen {
    return this.#earlierEvents === 0 ? seen : { ...seen, events: seen.events + this.#earlierEvents };
  }
}

function streamEndOf(end: SendEnd): StreamEnd {
  if (end.kind === 'complete') return 'closed';
  return end.kind === 'failed' ? 'cut' : 'aborted';
}
