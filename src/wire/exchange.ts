import { headerFields } from './header-fields.js';
import type { BodySeen, SendEnd } from './listener.js';
import { ResponseBody } from './response-body.js';
import type { Send } from './send.js';
import type { RequestObserver } from './undici-request.js';

/** One HTTP request and its response, from the moment undici made it. Ends once, whatever is published after. */
export class Exchange implements RequestObserver {
  status: number | undefined;
  readonly #send: Send;
  #location = false;
  #body: ResponseBody | undefined;
  #ended = false;

  constructor(send: Send, request: object, headers: unknown) {
    this.#send = send;
    send.listener.request({ token: request, headers: headerFields(headers) });
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
    return this.#ended || this.#send.listener.done;
  }

  headSent(head: string): void {
    if (!this.over) this.#send.listener.httpVersion(/^[A-Z]+ \S+ HTTP\/1\.1\r\n/.test(head) ? '1.1' : '2');
  }

  headers(status: number, published: unknown): void {
    // undici 5 to 7 publish informational responses too; the one that answers is still to come.
    if (this.#ended || status < 200) return;
    const headers = headerFields(published);
    this.status = status;
    this.#location = headers.get('location') !== undefined;
    const { listener, maxBodyBytes } = this.#send;
    listener.response({ status, headers });
    if (!listener.done) this.#body = new ResponseBody(headers, listener.interest, maxBodyBytes, listener);
  }

  chunk(bytes: Uint8Array): void {
    if (!this.over) this.#body?.write(bytes);
  }

  end(end: SendEnd): void {
    if (this.#ended) return;
    this.#ended = true;
    if (!this.#send.listener.done) this.#body?.end();
    this.#send.exchangeEnded(this, end);
  }

  failed(): void {
    this.#ended = true;
    this.#send.listener.obstacle('observer_error');
  }
}
