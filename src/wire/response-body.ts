import { StringDecoder } from 'node:string_decoder';
import { codingsOf, decodeBody } from './content-encoding.js';
import { EventStream, looksLikeEventStream } from './event-stream.js';
import type { BodyForm, BodyObstacle, BodySeen, EventInterest, HeaderFields } from './listener.js';

export interface ResponseBodySink {
  event(data: string, seen: BodySeen): void;
  body(text: string, seen: BodySeen): void;
  obstacle(reason: BodyObstacle): void;
}

/**
 * Reads a response's body as it passes, as what it is and not as what `Content-Type` says: JSON labelled as an event
 * stream is read as JSON, and the reverse. Keeps no chunk of the application's: what must wait is copied or decoded.
 */
export class ResponseBody {
  readonly #declared: BodyForm | undefined;
  readonly #codings: readonly string[];
  readonly #interest: EventInterest;
  readonly #maxBytes: number;
  readonly #sink: ResponseBodySink;

  #form: BodyForm | undefined;
  #stream: EventStream | undefined;
  #text = '';
  #utf8: StringDecoder | undefined;
  // Still encoded, or too short to tell its form.
  #waiting: Buffer[] = [];
  #bytes = 0;
  #givenUp = false;

  constructor(headers: HeaderFields, interest: EventInterest, maxBytes: number, sink: ResponseBodySink) {
    const contentType = headers.get('content-type')?.toLowerCase();
    if (contentType?.includes('text/event-stream')) this.#declared = 'event-stream';
    else if (contentType?.includes('json')) this.#declared = 'json';
    this.#codings = codingsOf(headers.get('content-encoding'));
    this.#interest = interest;
    this.#maxBytes = maxBytes;
    this.#sink = sink;
  }

  get seen(): BodySeen {
    const form = this.#form ?? this.#declared ?? 'json';
    return {
      form,
      contentTypeMismatch:
        this.#form !== undefined && this.#declared !== undefined && form !== this.#declared,
      events: this.#stream?.events ?? 0,
    };
  }

  write(chunk: Uint8Array): void {
    if (this.#givenUp) return;
    if (this.#codings.length === 0) {
      this.#read(chunk);
      return;
    }
    this.#bytes += chunk.length;
    if (this.#bytes > this.#maxBytes) this.#giveUp('body_too_large');
    // A copy: the application may write into its chunk, or transfer it to a worker.
    else this.#waiting.push(Buffer.from(chunk));
  }

  /** The body has ended, well or not. Tells the text of a body that isn't an event stream. */
  end(): void {
    if (this.#givenUp) return;
    if (this.#codings.length > 0) this.#decode();
    else if (this.#form === undefined) this.#decideForm(Buffer.concat(this.#waiting), true);
    if (!this.#givenUp && this.#form === 'json') {
      const text = this.#text + (this.#utf8?.end() ?? '');
      this.#text = '';
      // `response.json()` drops a byte order mark too (https://encoding.spec.whatwg.org/#utf-8-decode).
      this.#sink.body(text.startsWith('\ufeff') ? text.slice(1) : text, this.seen);
    }
  }

  #decode(): void {
    const decoded = decodeBody(Buffer.concat(this.#waiting), this.#codings, this.#maxBytes);
    this.#waiting = [];
    this.#bytes = 0;
    if (decoded.ok) this.#decideForm(decoded.bytes, true);
    else this.#giveUp(decoded.reason);
  }

  #read(chunk: Uint8Array): void {
    if (this.#form === 'event-stream') this.#stream?.write(chunk);
    else if (this.#form === 'json') this.#addText(chunk);
    else if (this.#waiting.length === 0) this.#decideForm(chunk, false);
    else this.#decideForm(Buffer.concat([...this.#waiting, chunk]), false);
  }

  #decideForm(start: Uint8Array, last: boolean): void {
    this.#waiting = [];
    const form = formOf(start, this.#declared, last);
    if (form === undefined) {
      this.#waiting.push(Buffer.from(start));
      return;
    }
    this.#form = form;
    if (form === 'event-stream') {
      this.#stream = new EventStream(this.#interest, this.#maxBytes, {
        event: (data) => this.#sink.event(data, this.seen),
        oversized: () => this.#sink.obstacle('body_too_large'),
      });
    }
    this.#read(start);
  }

  #addText(chunk: Uint8Array): void {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#maxBytes) {
      this.#giveUp('body_too_large');
      return;
    }
    this.#utf8 ??= new StringDecoder('utf8');
    this.#text += this.#utf8.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length));
  }

  #giveUp(reason: BodyObstacle): void {
    this.#givenUp = true;
    this.#waiting = [];
    this.#text = '';
    this.#utf8 = undefined;
    this.#sink.obstacle(reason);
  }
}

const WHITESPACE = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf]);
const MAX_BYTES_TO_TELL = 64;

/** The form of a body by its first bytes; `undefined` when more of them are needed. */
function formOf(start: Uint8Array, declared: BodyForm | undefined, last: boolean): BodyForm | undefined {
  const first = start.find((byte) => !WHITESPACE.has(byte));
  const isJsonStart = first === 0x7b || first === 0x5b;
  if (isJsonStart) return 'json';
  const wait = !last && start.length < MAX_BYTES_TO_TELL;
  if (declared === 'event-stream') return first === undefined && wait ? undefined : 'event-stream';
  const looksLikeStream = looksLikeEventStream(start);
  if (looksLikeStream === undefined && wait) return undefined;
  return looksLikeStream ? 'event-stream' : 'json';
}
