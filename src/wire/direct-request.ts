import type { Exchange } from './exchange.js';
import { headerFields } from './header-fields.js';
import type { SendEnd } from './listener.js';
import { isIgnored, isKnownAsMcp, mayBeJsonRpc } from './recognise.js';
import { retrierOf } from './resends.js';
import { Send } from './send.js';
import { type RequestObserver, type UndiciRequest, urlOf } from './undici-request.js';
import type { Wire } from './wire.js';

/**
 * A request that came without a `fetch` that was seen: `undici.request`, undici's own `fetch` from npm, a `fetch`
 * captured before it was wrapped. Becomes a send when its body is known; `fetch` hands undici a generator, so there
 * the body shows only as it is sent.
 */
export class DirectRequest implements RequestObserver {
  readonly #wire: Wire;
  readonly #request: UndiciRequest;
  readonly #url: URL;
  readonly #context: unknown;
  readonly #madeAt = { epoch: Date.now(), monotonic: performance.now() };
  #sent: Buffer[] = [];
  #sentBytes = 0;
  #head: string | undefined;
  #exchange: Exchange | undefined;
  #decided = false;

  constructor(wire: Wire, request: UndiciRequest, url: URL) {
    this.#wire = wire;
    this.#request = request;
    this.#url = url;
    this.#context = wire.listener.captureContext();
    if (request.body instanceof Uint8Array) this.#open(request.body);
  }

  get over(): boolean {
    return this.#decided && (this.#exchange === undefined || this.#exchange.over);
  }

  sent(chunk: unknown): void {
    if (this.#decided) return;
    const bytes =
      typeof chunk === 'string' ? Buffer.from(chunk) : chunk instanceof Uint8Array ? chunk : undefined;
    if (bytes === undefined) return;
    this.#sentBytes += bytes.length;
    // In doubt, see less: a request that can't be read makes no call.
    if (this.#sentBytes > this.#wire.maxBodyBytes) this.#giveUp();
    // A copy: the bytes are the application's.
    else this.#sent.push(Buffer.from(bytes));
  }

  bodySent(): void {
    if (!this.#decided) this.#open(Buffer.concat(this.#sent));
  }

  headSent(head: string): void {
    if (this.#exchange === undefined) this.#head = head;
    else this.#exchange.headSent(head);
  }

  headers(status: number, published: unknown): void {
    // Some responses come before the whole request has gone out, or where its end isn't published.
    this.bodySent();
    this.#exchange?.headers(status, published);
  }

  chunk(bytes: Uint8Array): void {
    this.#exchange?.chunk(bytes);
  }

  end(end: SendEnd): void {
    this.bodySent();
    this.#exchange?.end(end);
  }

  failed(): void {
    this.#giveUp();
    this.#exchange?.failed();
  }

  #open(body: Uint8Array): void {
    this.#giveUp();
    if (!mayBeJsonRpc(body)) return;
    const { listener, endpoints, maxBodyBytes } = this.#wire;
    const sendListener = listener.open({
      url: this.#url,
      body: Buffer.from(body.buffer, body.byteOffset, body.length).toString('utf8'),
      knownAsMcp: () => isKnownAsMcp(this.#url, headerFields(this.#request.headers), endpoints),
      context: this.#context,
      madeAt: this.#madeAt,
      followsRedirectsItself: true,
    });
    if (sendListener === undefined) return;
    const send = new Send({
      listener: sendListener,
      maxBodyBytes,
      resends: this.#wire.resends,
      resendKey: {
        url: this.#url,
        body: this.#request.body instanceof Uint8Array ? this.#request.body : undefined,
      },
      retrier: retrierOf(this.#request),
    });
    this.#exchange = send.begin(this.#request, this.#request.headers);
    if (this.#head !== undefined) this.#exchange.headSent(this.#head);
  }

  #giveUp(): void {
    this.#decided = true;
    this.#sent = [];
  }
}

/**
 * Looks at a request made without a `fetch` that was seen.
 *
 * @returns `undefined` when it can't be MCP, which is decided from its headers, or from its body where that is at hand
 */
export function directRequest(wire: Wire, request: UndiciRequest): DirectRequest | undefined {
  const { endpoints } = wire;
  const bodyAtHand = request.body instanceof Uint8Array;
  if (bodyAtHand && !mayBeJsonRpc(request.body as Uint8Array)) return undefined;
  const needsUrl = bodyAtHand || endpoints.included !== undefined;
  if (!needsUrl && !isKnownAsMcp(NO_URL, headerFields(request.headers), NO_ENDPOINTS)) return undefined;
  const url = urlOf(request);
  if (url === undefined || isIgnored(url, endpoints)) return undefined;
  if (!bodyAtHand && !isKnownAsMcp(url, headerFields(request.headers), endpoints)) return undefined;
  const direct = new DirectRequest(wire, request, url);
  return direct.over ? undefined : direct;
}

const NO_ENDPOINTS = { included: undefined, ignored: undefined };
const NO_URL = new URL('http://localhost');
