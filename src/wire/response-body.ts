import { StringDecoder } from 'node:string_decoder';
import { asBuffer } from './as-buffer.js';
import { formOf } from './body-form.js';
import { codingsOf, decodeBody } from './content-encoding.js';
import { EventStream } from './event-stream.js';
import type { BodyForm, BodyObstacle, BodySeen, EventInterest, HeaderFields } from './listener.js';
import { type StreamingDecoder, streamingDecoder } from './streaming-decoder.js';

export interface ResponseBodySink {
  readonly done: boolean;
  event(data: string, type: string, seen: BodySeen): void;
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
  #decoder: StreamingDecoder | undefined;
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
    if (interest.whileOpen && this.#declared === 'event-stream' && this.#codings.length > 0) {
      this.#decoder = streamingDecoder(this.#codings, maxBytes, {
        decoded: (bytes) => this.#decoded(bytes),
        obstacle: (reason) => this.#giveUp(reason),
        failed: () => this.#giveUp('observer_error'),
      });
    }
  }

  get seen(): BodySeen {
    const form = this.#form ?? this.#declared ?? 'json';
    return {
      form,
      contentTypeMismatch:
        this.#form !== undefined && this.#declared !== undefined && form !== this.#declared,
      events: this.#stream?.events ?? 0,
      lastEventId: this.#stream?.lastEventId,
    };
  }

  write(chunk: Uint8Array): void {
    if (this.#givenUp) return;
    if (this.#codings.length === 0) {
      this.#read(chunk);
      return;
    }
    if (this.#decoder !== undefined) {
      this.#decoder.write(chunk);
      return;
    }
    this.#bytes += chunk.length;
    if (this.#bytes > this.#maxBytes) this.#giveUp('body_too_large');
    // A copy: the application may write into its chunk, or transfer it to a worker.
    else this.#waiting.push(Buffer.from(chunk));
  }

  /**
   * The body has ended, well or not. Tells the text of a body that isn't an event stream.
   *
   * @param done - called when everything has been told; at once, but for a stream that is decoded as it comes
   */
  end(done: () => void): void {
    if (this.#givenUp) done();
    else if (this.#decoder !== undefined) {
      this.#decoder.end(() => {
        this.#finish();
        done();
      });
    } else {
      if (this.#codings.length > 0) this.#decode();
      this.#finish();
      done();
    }
  }

  #finish(): void {
    if (this.#givenUp) return;
    if (this.#form === undefined) this.#decideForm(Buffer.concat(this.#waiting), true);
    if (this.#form === 'json') {
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

  #decoded(bytes: Uint8Array): void {
    this.#read(bytes);
    if (this.#sink.done) this.#decoder?.stop();
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
        event: (data, type) => this.#sink.event(data, type, this.seen),
        oversized: () => this.#oversized(),
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
    // Most bodies are one chunk. One that ends in ASCII ends with a whole character: nothing waits for the next one.
    if (this.#utf8 === undefined && (chunk.at(-1) ?? 0) < 0x80)
      this.#text += asBuffer(chunk).toString('utf8');
    else {
      this.#utf8 ??= new StringDecoder('utf8');
      this.#text += this.#utf8.write(asBuffer(chunk));
    }
  }

  #oversized(): void {
    // Of a bomb, nothing more is decoded; where nothing was compressed, the next event may be the response.
    if (this.#decoder === undefined) this.#sink.obstacle('body_too_large');
    else this.#giveUp('body_too_large');
  }

  #giveUp(reason: BodyObstacle): void {
    if (this.#givenUp) return;
    this.#givenUp = true;
    this.#decoder?.stop();
    this.#waiting = [];
    this.#text = '';
    this.#utf8 = undefined;
    this.#sink.obstacle(reason);
  }
}
