import { headerFields } from './header-fields.js';
import type { BodySeen, ExchangeRequest, ResponseListener, SendEnd } from './listener.js';
import { ResponseBody } from './response-body.js';
import type { RequestObserver } from './undici-request.js';

/** What an exchange belongs to. */
export interface ExchangeOwner {
  readonly listener: ResponseListener;
  readonly maxBodyBytes: number;
  /** Told once, after everything else of the exchange. */
  exchangeEnded(exchange: Exchange, end: SendEnd): void;
  /** undici has announced that it sends this request once more. */
  willBeSentAgain?(exchange: Exchange): void;
}

/** With it undici's RetryHandler ends an attempt; up to undici 6 at once, from 7 on after the response's own end. */
const SENT_AGAIN = 'UND_ERR_REQ_RETRY';

/** One HTTP request and its response, from the moment undici made it. Ends once, whatever is published after. */
export class Exchange implements RequestObserver {
  status: number | undefined;
  readonly #owner: ExchangeOwner;
  #location = false;
  #body: ResponseBody | undefined;
  #ended = false;

  constructor(
    owner: ExchangeOwner,
    request: object,
    headers: unknown,
    previous?: ExchangeRequest['previous'],
  ) {
    this.#owner = owner;
    owner.listener.request({ token: request, headers: headerFields(headers), previous });
  }

  /** A 3xx with `Location`: what `fetch` follows (https://fetch.spec.whatwg.org/#http-redirect-fetch). */
  get isRedirect(): boolean {
    return this.#location && this.status !== undefined && this.status >= 300 && this.status < 400;
  }

  get seen(): BodySeen | undefined {
    return this.#body?.seen;
  }

  /** Nothing of this exchange matters any more. */
  get over(): boolean {
    return this.#ended || this.#owner.listener.done;
  }

  headSent(head: string): void {
    if (!this.over) this.#owner.listener.httpVersion(/^[A-Z]+ \S+ HTTP\/1\.1\r\n/.test(head) ? '1.1' : '2');
  }

  headers(status: number, published: unknown): void {
    // undici 5 to 7 publish informational responses too; the one that answers is still to come.
    if (this.#ended || status < 200) return;
    const headers = headerFields(published);
    this.status = status;
    this.#location = headers.get('location') !== undefined;
    const { listener, maxBodyBytes } = this.#owner;
    listener.response({ status, headers });
    if (!listener.done) this.#body = new ResponseBody(headers, listener.interest, maxBodyBytes, listener);
  }

  chunk(bytes: Uint8Array): void {
    if (!this.over) this.#body?.write(bytes);
  }

  end(end: SendEnd): void {
    if (this.#ended) {
      if (end.kind === 'failed' && end.code === SENT_AGAIN) this.#owner.willBeSentAgain?.(this);
      return;
    }
    this.#ended = true;
    const body = this.#owner.listener.done ? undefined : this.#body;
    if (body === undefined) this.#owner.exchangeEnded(this, end);
    else body.end(() => this.#owner.exchangeEnded(this, end));
  }

  failed(): void {
    this.#ended = true;
    this.#owner.listener.obstacle('observer_error');
  }
}
