import {
  type AnsweredMessage,
  negotiationOf,
  type RequestId,
  responseIn,
  type Verdict,
  verdictOf,
} from '../protocol/index.js';
import type { ExchangeRequest, ExchangeResponse } from '../wire/listener.js';
import type { Call } from './call.js';
import type { Caller, CallScope } from './observer.js';
import type { OpenCall } from './open-calls.js';
import type { Calls } from './open-send.js';
import { digestOf, type Sending } from './repeat.js';
import type { WaitingCall } from './waiting-calls.js';

/** The send that a call belongs to. */
export interface CallOwner {
  readonly calls: Calls;
  readonly endpoint: string;
  readonly followsRedirectsItself: boolean;
  readonly client: object | undefined;
  /** Of the last exchange. */
  readonly lastRequest: ExchangeRequest | undefined;
  readonly lastResponse: ExchangeResponse | undefined;
  /** This call has its verdict. */
  decided(): void;
}

/** One call under way. Ends once; from then on nothing changes. */
export class SentCall implements OpenCall, WaitingCall, Sending {
  readonly call: Call;
  readonly scope: CallScope;
  readonly answered: AnsweredMessage;
  readonly id: RequestId | undefined;
  readonly #owner: CallOwner;
  /** What it ends as when no answer comes, and since when that was so. */
  #ifNone: { verdict: Verdict; at: number | undefined } | undefined;
  #unclear = false;
  #told = false;

  constructor(
    owner: CallOwner,
    call: Call,
    scope: CallScope,
    siblingIds: ReadonlySet<RequestId> | undefined,
  ) {
    const { message } = call;
    this.#owner = owner;
    this.call = call;
    this.scope = scope;
    this.id = message.kind === 'request' ? message.id : undefined;
    this.answered = {
      method: message.method,
      params: message.params,
      ...(this.id !== undefined && { id: this.id }),
      ...(siblingIds !== undefined && { siblingIds }),
    };
  }

  get endpoint(): string {
    return this.#owner.endpoint;
  }

  get sessionId(): string | undefined {
    return this.call.sessionId;
  }

  get client(): object | undefined {
    return this.#owner.client;
  }

  get caller(): Caller {
    return this.scope.caller;
  }

  get authorization(): string | undefined {
    const header = this.#owner.lastRequest?.headers.get('authorization');
    return header === undefined ? undefined : digestOf(header);
  }

  get waiting(): boolean {
    return this.#ifNone !== undefined;
  }

  /** The verdict is there, but what the POST itself was answered isn't known yet. */
  get untold(): boolean {
    return this.call.verdict !== undefined && !this.#told;
  }

  /**
   * The exchange has ended; the answer may still come on another stream.
   *
   * @param at - when it ended, where that is when the call ends unless an answer comes
   */
  wait(verdict: Verdict, at: number | undefined): void {
    this.#ifNone = { verdict, at };
    this.#owner.calls.waiting.add(this);
  }

  stopWaiting(): void {
    this.#ifNone = undefined;
    this.#owner.calls.waiting.delete(this);
  }

  answer(message: unknown): void {
    const reading = responseIn(message, this.answered);
    if (reading.kind !== 'verdict' || this.call.verdict !== undefined) return;
    this.call.streamEnd = 'response';
    if (this.needsResult(reading.verdict)) this.keepResult(message);
    this.#decide(reading.verdict, performance.now());
    // In HTTP+SSE (2024-11-05) the answer races with the POST's own 202: what that was is still to come.
    if (this.#owner.lastResponse === undefined) this.call.toldLate = true;
    else this.tell();
  }

  answerUnclear(): void {
    this.#unclear = true;
  }

  expire(): void {
    if (this.#ifNone !== undefined) this.#finishWaiting(this.#ifNone.verdict, this.#ifNone.at);
  }

  close(): void {
    if (this.untold) this.tell();
    // A stream that ended without the answer did so, whoever would have resumed it; other answers may have been near.
    else if (this.#ifNone?.at !== undefined) this.expire();
    else this.evict();
  }

  evict(): void {
    if (this.untold) this.tell();
    else this.finish(verdictOf('UNCLASSIFIED', { reason: 'evicted' }));
  }

  cancel(timedOut: boolean): void {
    this.finish(verdictOf(timedOut ? 'TIMEOUT' : 'CANCELLED'));
  }

  abandon(end: 'closed' | 'cut'): void {
    if (this.call.verdict === undefined) this.call.streamEnd = end;
    this.#finishWaiting(verdictOf('STREAM_INCOMPLETE'), undefined);
  }

  /** Whether somebody needs the result in the response: parsing a body for it costs as much as reading it did. */
  needsResult(verdict: Verdict): boolean {
    return (
      this.#owner.calls.observer.wantsContent ||
      verdict.outcome === 'INPUT_REQUIRED' ||
      (this.call.message.method === 'tools/list' && verdict.outcome === 'SUCCESS')
    );
  }

  /** @param at - when it ended, where that was earlier */
  finish(verdict: Verdict, at?: number): void {
    if (!this.#decide(verdict, at ?? performance.now())) return;
    if (at !== undefined) this.call.toldLate = true;
    this.tell();
  }

  keepResult(value: unknown): void {
    const messages: readonly unknown[] = Array.isArray(value) ? value : [value];
    const own = messages.find((message) => (message as { id?: unknown } | null)?.id === this.id);
    this.call.result = (own as { result?: unknown } | undefined)?.result;
  }

  tell(): void {
    const { call } = this;
    const {
      calls,
      endpoint,
      lastRequest: request,
      lastResponse: response,
      followsRedirectsItself,
    } = this.#owner;
    if (call.verdict === undefined || this.#told) return;
    this.#told = true;
    calls.open.delete(this);
    calls.peers.learn(endpoint, call, call.verdict, response?.headers.get('mcp-session-id'));
    if (call.verdict.layer !== undefined) {
      call.negotiation = negotiationOf({
        method: call.message.method,
        status: response?.status,
        code: call.verdict.code,
        wwwAuthenticate: response?.headers.get('www-authenticate'),
        authorizationSent: request?.headers.get('authorization') !== undefined,
        location: response?.headers.get('location') !== undefined,
        redirectFollowedByClient: followsRedirectsItself,
      });
    }
    // The server doesn't know the session any more: https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management
    if (response?.status === 404 && call.sessionId !== undefined)
      calls.peers.forget(endpoint, call.sessionId);
    calls.history.ended(this, this.scope, call.result, this.#redirectedTo());
    this.scope.ended();
  }

  #redirectedTo(): string | undefined {
    const location = this.#owner.lastResponse?.headers.get('location');
    if (this.call.negotiation !== 'redirect' || location === undefined) return undefined;
    return URL.canParse(location, this.call.url.href) ? new URL(location, this.call.url).href : undefined;
  }

  #finishWaiting(verdict: Verdict, at: number | undefined): void {
    const said = this.#unclear ? verdictOf('UNCLASSIFIED', { reason: 'body_not_read' }) : verdict;
    this.finish(said, at);
  }

  /** @returns `false` when it was over already: a late cancel notice or a second end changes nothing. */
  #decide(verdict: Verdict, at: number): boolean {
    const { call } = this;
    if (call.verdict !== undefined) return false;
    call.verdict = verdict;
    call.durationMs = Math.max(0, at - call.startedAt);
    this.stopWaiting();
    this.#owner.decided();
    return true;
  }
}
