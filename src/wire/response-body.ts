import { formOf } from './body-form.js';
import { codingsOf, decodeBody } from './content-encoding.js';
import { EventStream } from './event-stream.js';
import { KeptBytes } from './kept-bytes.js';
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
  // Still encoded, too short to tell its form, or not at its end.
  readonly #kept = new KeptBytes();
  #decoder: StreamingDecoder | undefined;
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
    this.#keep(chunk);
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
    if (this.#form === undefined) this.#decideForm(this.#kept.take(), true);
    if (this.#form === 'json') {
      const text = this.#kept.take().toString('utf8');
      // `response.json()` drops a byte order mark too (https://encoding.spec.whatwg.org/#utf-8-decode).
      this.#sink.body(text.startsWith('\ufeff') ? text.slice(1) : text, this.seen);
    }
  }

  #decode(): void {
    const decoded = decodeBody(this.#kept.take(), this.#codings, this.#maxBytes);
    if (decoded.ok) this.#decideForm(decoded.bytes, true);
    else this.#giveUp(decoded.reason);
  }

  #decoded(bytes: Uint8Array): void {
    this.#read(bytes);
    if (this.#sink.done) this.#decoder?.stop();
  }

  #read(chunk: Uint8Array): void {
    if (this.#form === 'event-stream') this.#stream?.write(chunk);
    else if (this.#form === 'json') this.#keep(chunk);
    else if (this.#kept.length === 0) this.#decideForm(chunk, false);
    else this.#decideForm(Buffer.concat([this.#kept.take(), chunk]), false);
  }

  #decideForm(start: Uint8Array, last: boolean): void {
    const form = formOf(start, this.#declared, last);
    if (form === undefined) {
      this.#kept.add(start);
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

  #keep(chunk: Uint8Array): void {
    if (this.#kept.length + chunk.length > this.#maxBytes) this.#giveUp('body_too_large');
    else this.#kept.add(chunk);
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
    this.#kept.take();
    this.#sink.obstacle(reason);
  }
}
