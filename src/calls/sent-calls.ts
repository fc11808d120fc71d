import {
  type AnsweredMessage,
  type Cancellation,
  cancellationIn,
  classifyResponse,
  negotiationOf,
  parseJson,
  type RequestId,
  responseIn,
  saysTimeout,
  type Verdict,
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
import { eventInterestOf } from './event-interest.js';
import type { CallScope } from './observer.js';
import type { OpenCall } from './open-calls.js';
import type { Calls } from './open-send.js';
import { isSuccess, verdictOnEnd } from './verdict-on-end.js';

interface Entry extends OpenCall {
  readonly call: Call;
  readonly scope: CallScope;
  readonly answered: AnsweredMessage;
}

/** The calls of one send: one, or those of a batch. Each ends by itself, once. */
export class SentCalls implements SendListener {
  readonly #calls: Calls;
  readonly #endpoint: string;
  readonly #followsRedirectsItself: boolean;
  readonly #entries: Entry[] = [];
  readonly #cancellations: Cancellation[] = [];
  #openCount = 0;

  // Of the last exchange.
  #request: ExchangeRequest | undefined;
  #response: ExchangeResponse | undefined;
  #bodyText: string | undefined;
  #obstacle: BodyObstacle | undefined;
  // Of its stream.
  #malformed = false;
  #foreign = false;

  constructor(calls: Calls, endpoint: string, followsRedirectsItself: boolean) {
    this.#calls = calls;
    this.#endpoint = endpoint;
    this.#followsRedirectsItself = followsRedirectsItself;
  }

  get done(): boolean {
    return this.#openCount === 0;
  }

  get interest(): EventInterest {
    return eventInterestOf(this.#entries.map(({ call }) => call.message.method));
  }

  add(call: Call, scope: CallScope, batchIds: ReadonlySet<RequestId> | undefined): void {
    const { message } = call;
    const id = message.kind === 'request' ? message.id : undefined;
    const entry: Entry = {
      call,
      scope,
      answered: {
        method: message.method,
        params: message.params,
        ...(id !== undefined && { id }),
        ...(batchIds !== undefined && { siblingIds: batchIds }),
      },
      endpoint: this.#endpoint,
      id,
      get sessionId() {
        return call.sessionId;
      },
      evict: () => this.#finish(entry, verdictOf('UNCLASSIFIED', { reason: 'evicted' })),
      cancel: (timedOut) => this.#finish(entry, verdictOf(timedOut ? 'TIMEOUT' : 'CANCELLED')),
    };
    const cancellation = message.kind === 'notification' ? cancellationIn(message) : undefined;
    if (cancellation !== undefined) this.#cancellations.push(cancellation);
    this.#entries.push(entry);
    this.#openCount++;
    this.#calls.open.add(entry);
  }

  run<T>(fn: () => T): T {
    return (this.#entries[0] as Entry).scope.run(fn);
  }

  request(request: ExchangeRequest): void {
    this.#request = request;
    this.#response = undefined;
    this.#bodyText = undefined;
    this.#obstacle = undefined;
    const sessionId = request.headers.get('mcp-session-id');
    const protocolVersion = request.headers.get('mcp-protocol-version');
    for (const entry of this.#open()) {
      const { call, scope } = entry;
      call.sessionId = sessionId;
      call.protocolVersion ??= protocolVersion;
      call.postCount++;
      this.#calls.peers.recall(this.#endpoint, call);
      scope.exchange(request.token);
    }
    for (const { requestId, reason } of this.#cancellations.splice(0)) {
      this.#calls.open
        .find(this.#endpoint, sessionId, requestId)
        ?.cancel(reason !== undefined && saysTimeout(reason));
    }
  }

  httpVersion(version: string): void {
    for (const { call } of this.#open()) call.httpVersion = version;
  }

  response(response: ExchangeResponse): void {
    this.#response = response;
    const { status, headers } = response;
    const contentType = headers.get('content-type');
    const retryAfter = headers.get('retry-after');
    for (const entry of this.#open()) {
      const { call, scope } = entry;
      call.statuses.push(status);
      call.retryAfter = retryAfter;
      scope.httpResponse(status, contentType);
      // Any 2xx takes a notification, whatever its body: servers send 202, 200, 204, `null`, `{}`.
      if (call.message.kind === 'notification' && isSuccess(status))
        this.#finish(entry, verdictOf('ACCEPTED'));
    }
  }

  event(data: string, seen: BodySeen): void {
    if (!this.#isSuccess()) return;
    const parsed = parseJson(data);
    if (parsed === undefined) {
      this.#malformed = true;
      return;
    }
    for (const entry of this.#open()) {
      const reading = responseIn(parsed.value, entry.answered);
      if (reading.kind === 'foreign') this.#foreign = true;
      if (reading.kind !== 'verdict') continue;
      entry.call.body = seen;
      entry.call.streamEnd = 'response';
      this.#keepResult(entry, parsed.value);
      this.#finish(entry, reading.verdict);
    }
  }

  body(text: string, seen: BodySeen): void {
    this.#bodyText = text;
    for (const { call } of this.#open()) call.body = seen;
  }

  obstacle(reason: BodyObstacle): void {
    this.#obstacle ??= reason;
    if (reason !== 'observer_error') return;
    for (const entry of this.#open()) this.#finish(entry, verdictOf('UNCLASSIFIED', { reason }));
  }

  end(end: SendEnd, seen: BodySeen | undefined): void {
    for (const entry of this.#open()) {
      const { call } = entry;
      call.end = end;
      if (seen !== undefined) call.body = seen;
      if (this.#isSuccess() && seen?.form === 'event-stream') call.streamEnd = streamEndOf(end);
      const verdict = verdictOnEnd(end, {
        status: this.#response?.status,
        form: seen?.form,
        bodyText: this.#bodyText,
        obstacle: this.#obstacle,
        malformed: this.#malformed,
        foreign: this.#foreign,
        classify: (status, body) => classifyResponse({ status, body, request: entry.answered }),
      });
      if (this.#calls.observer.wantsContent && this.#bodyText !== undefined) {
        this.#keepResult(entry, parseJson(this.#bodyText)?.value);
      }
      this.#finish(entry, verdict);
    }
  }

  /** A copy: entries end while they are gone through. */
  #open(): Entry[] {
    return this.#entries.filter(({ call }) => call.verdict === undefined);
  }

  #isSuccess(): boolean {
    return this.#response !== undefined && isSuccess(this.#response.status);
  }

  #keepResult(entry: Entry, value: unknown): void {
    if (!this.#calls.observer.wantsContent) return;
    const messages: readonly unknown[] = Array.isArray(value) ? value : [value];
    const own = messages.find((message) => (message as { id?: unknown } | null)?.id === entry.id);
    entry.call.result = (own as { result?: unknown } | undefined)?.result;
  }

  #finish(entry: Entry, verdict: Verdict): void {
    const { call } = entry;
    // A finished call never changes: a late cancel notice or a second end is ignored.
    if (call.verdict !== undefined) return;
    call.verdict = verdict;
    call.durationMs = Math.max(0, performance.now() - call.startedAt);
    this.#openCount--;
    this.#calls.open.delete(entry);
    const newSessionId = this.#response?.headers.get('mcp-session-id');
    this.#calls.peers.learn(this.#endpoint, call, verdict, newSessionId);
    call.negotiation = this.#negotiationOf(call, verdict);
    entry.scope.ended();
  }

  #negotiationOf(call: Call, verdict: Verdict): Call['negotiation'] {
    if (verdict.layer === undefined) return undefined;
    return negotiationOf({
      method: call.message.method,
      status: this.#response?.status,
      code: verdict.code,
      wwwAuthenticate: this.#response?.headers.get('www-authenticate'),
      authorizationSent: this.#request?.headers.get('authorization') !== undefined,
      location: this.#response?.headers.get('location') !== undefined,
      redirectFollowedByClient: this.#followsRedirectsItself,
    });
  }
}

function streamEndOf(end: SendEnd): StreamEnd {
  if (end.kind === 'complete') return 'closed';
  return end.kind === 'failed' ? 'cut' : 'aborted';
}
