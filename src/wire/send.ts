import { Exchange } from './exchange.js';
import type { BodySeen, SendEnd, SendListener } from './listener.js';
import type { ResendKey, Resends, Retrier } from './resends.js';
import { abortEndOf } from './send-end.js';

/** What a fetch tells of itself before it goes out; an undici request without a fetch has none of it. */
export interface FetchCall {
  /** Path and query of the first request, to know it by among others made meanwhile. */
  readonly path: string;
  readonly signal: AbortSignal | undefined;
  readonly followsRedirects: boolean;
}

export interface SendOptions {
  readonly listener: SendListener;
  readonly maxBodyBytes: number;
  readonly resends: Resends;
  readonly resendKey: ResendKey;
  /** Absent for a request without a fetch. */
  readonly fetch?: FetchCall;
  /** Whether undici itself may send the request again. */
  readonly retrier?: Retrier | undefined;
}

/** An end that counts unless another exchange follows. */
interface HeldEnd {
  readonly end: SendEnd;
  readonly seen: BodySeen | undefined;
  readonly endedAt: number;
}

/**
 * What the context of a fetch refers to its send by, until that is over. A socket keeps the context in which it was
 * opened for as long as it lives, and would keep the whole call with it.
 */
export interface SendReference {
  send: Send | undefined;
}

/** The longest that undici's RetryAgent waits by default (`maxTimeout`), and a second for the request to be made. */
const LONGEST_WAIT_MILLIS = 31_000;

/**
 * One send and its exchanges, usually one: `fetch` follows redirects with further requests, undici's RetryAgent makes
 * another after a failure. Decides when the send is over: when the last exchange has ended and nothing says that
 * another one follows.
 */
export class Send {
  readonly listener: SendListener;
  readonly maxBodyBytes: number;
  readonly reference: SendReference = { send: this };
  readonly #options: SendOptions;
  #current: Exchange | undefined;
  /** The fetch's promise hasn't settled. */
  #open: boolean;
  #held: HeldEnd | undefined;
  /** undici said that what is held is followed. */
  #announced = false;
  #ended = false;

  constructor(options: SendOptions) {
    this.listener = options.listener;
    this.maxBodyBytes = options.maxBodyBytes;
    this.#options = options;
    this.#open = options.fetch !== undefined;
  }

  /**
   * `true` when a request made in this fetch's context is the fetch's own: the first one by its path, a later one only
   * after a redirect. Others, such as a proxy's CONNECT or an interceptor's request for a token, aren't.
   */
  accepts(method: string, path: string): boolean {
    const { fetch } = this.#options;
    if (fetch === undefined || this.#ended || !this.#open) return false;
    if (this.#current !== undefined) return this.#held !== undefined && this.#current.isRedirect;
    // Through a plain HTTP proxy the path is an absolute URL (RFC 9112 section 3.2.2).
    return method === 'POST' && (path === fetch.path || path.endsWith(fetch.path));
  }

  /** Another request of this send goes out. */
  begin(request: object, headers: unknown): Exchange {
    const previous = this.#held;
    this.#letGo();
    this.#announced = false;
    this.#current = new Exchange(this, request, headers, previous);
    return this.#current;
  }

  exchangeEnded(exchange: Exchange, end: SendEnd): void {
    if (exchange !== this.#current) return;
    const { seen } = exchange;
    const said = end.kind === 'complete' ? end : this.#whoGaveUp(end);
    if (!this.#mayContinue(exchange, said) || !this.#hold({ end: said, seen, endedAt: performance.now() }))
      this.#end(said, seen);
    // The announcement comes on the same stack, or not at all.
    else if (this.#options.retrier === 'possible') {
      queueMicrotask(() => {
        if (!this.#announced) this.#options.resends.giveUp(this);
      });
    }
  }

  willBeSentAgain(exchange: Exchange): void {
    if (exchange === this.#current && this.#held !== undefined) this.#announced = true;
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

  /** undici hasn't sent it again in time. */
  notSentAgain(): void {
    if (this.#held !== undefined) this.#end(this.#held.end, this.#held.seen, this.#held.endedAt);
  }

  #mayContinue(exchange: Exchange, end: SendEnd): boolean {
    const { fetch, retrier } = this.#options;
    const { status } = exchange;
    // A redirect hop ends before the next request is made, and a failed one before the promise rejects.
    if (fetch !== undefined) {
      return this.#open && (status === undefined || (exchange.isRedirect && fetch.followsRedirects));
    }
    if (retrier === undefined) return false;
    if (status === undefined) return retrier === 'present' && end.kind === 'failed';
    return status >= 400;
  }

  #hold(held: HeldEnd): boolean {
    const { resends, resendKey, fetch } = this.#options;
    this.#held = held;
    // A fetch's promise tells when nothing follows.
    if (fetch !== undefined) {
      resends.hold(this, resendKey, undefined);
      return true;
    }
    return resends.hold(this, resendKey, LONGEST_WAIT_MILLIS);
  }

  #letGo(): void {
    if (this.#held === undefined) return;
    this.#held = undefined;
    this.#options.resends.release(this);
  }

  // Whatever error an abort shows itself as, the signal tells that it was one, and why.
  #whoGaveUp(end: SendEnd): SendEnd {
    const signal = this.#options.fetch?.signal;
    return signal?.aborted ? abortEndOf(signal) : end;
  }

  #end(end: SendEnd, seen: BodySeen | undefined, endedAt?: number): void {
    if (this.#ended) return;
    this.#ended = true;
    this.reference.send = undefined;
    this.#letGo();
    this.listener.end(end, seen, endedAt);
  }
}
