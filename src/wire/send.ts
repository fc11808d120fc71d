import { Exchange } from './exchange.js';
import type { BodySeen, SendEnd, SendListener } from './listener.js';
import { abortEndOf } from './send-end.js';

/** What a fetch tells of itself before it goes out; an undici request without a fetch has none of it. */
export interface FetchCall {
  /** Path and query of the first request, to know it by among others made meanwhile. */
  readonly path: string;
  readonly signal: AbortSignal | undefined;
  readonly followsRedirects: boolean;
}

/**
 * One send and its exchanges, usually one: `fetch` follows redirects with further requests. Decides when the send is
 * over: when the last exchange has ended and nothing says that another one follows.
 */
export class Send {
  readonly listener: SendListener;
  readonly maxBodyBytes: number;
  readonly #fetch: FetchCall | undefined;
  #current: Exchange | undefined;
  /** The fetch's promise hasn't settled. */
  #open: boolean;
  /** An end that counts unless another exchange follows. */
  #held: { end: SendEnd; seen: BodySeen | undefined; endedAt: number } | undefined;
  #ended = false;

  constructor(listener: SendListener, maxBodyBytes: number, fetchCall?: FetchCall) {
    this.listener = listener;
    this.maxBodyBytes = maxBodyBytes;
    this.#fetch = fetchCall;
    this.#open = fetchCall !== undefined;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /**
   * `true` when a request made in this fetch's context is the fetch's own: the first one by its path, a later one only
   * after a redirect. Others, such as a proxy's CONNECT or an interceptor's request for a token, aren't.
   */
  accepts(method: string, path: string): boolean {
    if (this.#fetch === undefined || this.#ended || !this.#open) return false;
    if (this.#current !== undefined) return this.#held !== undefined && this.#current.isRedirect;
    // Through a plain HTTP proxy the path is an absolute URL (RFC 9112 section 3.2.2).
    return method === 'POST' && (path === this.#fetch.path || path.endsWith(this.#fetch.path));
  }

  /** Another request of this send goes out. */
  begin(request: object, headers: unknown): Exchange {
    const previous = this.#held;
    this.#held = undefined;
    this.#current = new Exchange(this, request, headers, previous);
    return this.#current;
  }

  exchangeEnded(exchange: Exchange, end: SendEnd): void {
    if (exchange !== this.#current) return;
    const said = end.kind === 'complete' ? end : this.#whoGaveUp(end);
    // A redirect hop ends before the next request is made, and a failed one before the promise rejects.
    const mayContinue =
      exchange.status === undefined || (exchange.isRedirect && this.#fetch?.followsRedirects);
    if (this.#open && mayContinue)
      this.#held = { end: said, seen: exchange.seen, endedAt: performance.now() };
    else this.#end(said, exchange.seen);
  }

  /** The fetch's promise was fulfilled: a response came, from the wire or from a mock that never was on it. */
  fulfilled(): void {
    this.#open = false;
    if (this.#held !== undefined) this.#end(this.#held.end, this.#held.seen);
    else if (this.#current === undefined) this.#end({ kind: 'not_read' }, undefined);
  }

  /** The fetch's promise was rejected: nobody can read a response any more. */
  rejected(end: SendEnd): void {
    this.#open = false;
    const seen = this.#current?.seen;
    const said = this.#whoGaveUp(end);
    if (this.#held !== undefined && this.#held.end.kind !== 'complete') this.#end(this.#held.end, seen);
    // A redirect that may not be followed (`redirect: 'error'`) is a response all the same.
    else if (said.kind === 'failed' && this.#current?.status !== undefined)
      this.#end({ kind: 'complete' }, seen);
    else this.#end(said, seen);
  }

  // Whatever error an abort shows itself as, the signal tells that it was one, and why.
  #whoGaveUp(end: SendEnd): SendEnd {
    return this.#fetch?.signal?.aborted ? abortEndOf(this.#fetch.signal) : end;
  }

  #end(end: SendEnd, seen: BodySeen | undefined): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#held = undefined;
    this.listener.end(end, seen);
  }
}
