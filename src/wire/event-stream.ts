import { createParser } from 'eventsource-parser';
import { asBuffer } from './as-buffer.js';
import {
  BOM_LENGTH,
  CR,
  dataValueStart,
  idValueStart,
  LF,
  nextLineEnd,
  startsLikeBom,
  startsWith,
} from './event-lines.js';
import type { EventInterest } from './listener.js';

const RELEASE_ABOVE_BYTES = 256 * 1024;
// How messages that ask or tell begin when `JSON.stringify` or pydantic wrote them; a response begins otherwise.
const METHOD_FIRST = Buffer.from('{"method":');
const METHOD_SECOND = Buffer.from('{"jsonrpc":"2.0","method":');

export interface EventStreamSink {
  /** An event that may matter, as `interest` says; `type` is empty where the event names none. */
  event(data: string, type: string): void;
  /** An event is longer than the limit; whether it mattered isn't known. */
  oversized(): void;
}

/**
 * Finds, in the bytes of an event stream, the few events that matter.
 *
 * A stream may hold thousands of progress notifications before its response, and decoding each of them costs more
 * than the application's own reading (about 0.5 µs an event, since undici merges small events into large reads). So
 * lines are found by a byte search, events are counted, and only those that can be the response are decoded, by
 * `eventsource-parser`.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
 */
export class EventStream {
  /** Events with non-empty data so far. */
  events = 0;
  /** The last event id, as of the last read. */
  lastEventId: string | undefined;

  readonly #interest: EventInterest;
  readonly #maxEventBytes: number;
  readonly #sink: EventStreamSink;

  // Bytes of the unfinished event, in a buffer that grows: each byte is copied at most once between two reads.
  #held = Buffer.alloc(0);
  #heldLength = 0;
  #atStreamStart = true;

  // Of the unfinished event: where its current line starts, and what its lines have shown.
  #lineStart = 0;
  #dataLines = 0;
  #hasData = false;
  #fromServer = false;
  #tooLong = false;
  // Where the value of its `id` line is, if there was one: streams may number each event, and only the last one counts.
  #idStart = 0;
  #idEnd = -1;
  // The id of an event whose bytes were given up.
  #idOfDropped: string | undefined;
  // Of the last event that has ended, in the bytes of this read.
  #lastIdStart = 0;
  #lastIdEnd = -1;
  // Of a line so long that its start isn't held any more.
  #insideDroppedLine = false;
  // The last byte of the read before was a CR: an LF that comes now belongs to it.
  #skipLf = false;

  constructor(interest: EventInterest, maxEventBytes: number, sink: EventStreamSink) {
    this.#interest = interest;
    this.#maxEventBytes = maxEventBytes;
    this.#sink = sink;
  }

  write(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    let bytes = this.#join(chunk);
    if (this.#atStreamStart) {
      if (bytes.length < BOM_LENGTH && startsLikeBom(bytes)) {
        this.#hold(bytes, 0);
        return;
      }
      this.#atStreamStart = false;
      if (startsLikeBom(bytes)) bytes = bytes.subarray(BOM_LENGTH);
    }
    this.#scan(bytes);
  }

  #join(chunk: Uint8Array): Buffer {
    const view = asBuffer(chunk);
    if (this.#heldLength === 0) return view;
    this.#append(view);
    return this.#held.subarray(0, this.#heldLength);
  }

  #append(bytes: Buffer): void {
    const needed = this.#heldLength + bytes.length;
    if (needed > this.#held.length) {
      const grown = Buffer.allocUnsafe(Math.max(needed, this.#held.length * 2, 1024));
      this.#held.copy(grown, 0, 0, this.#heldLength);
      this.#held = grown;
    }
    bytes.copy(this.#held, this.#heldLength);
    this.#heldLength = needed;
  }

  #hold(bytes: Buffer, from: number): void {
    const rest = bytes.length - from;
    if (this.#heldLength > 0) {
      // `bytes` is a view of what is held: move its rest to the front, and give back what one long event took.
      if (this.#held.length > RELEASE_ABOVE_BYTES && rest < RELEASE_ABOVE_BYTES) {
        this.#held = Buffer.from(bytes.subarray(from));
      } else {
        this.#held.set(bytes.subarray(from), 0);
      }
      this.#heldLength = rest;
    } else if (rest > 0) {
      this.#append(bytes.subarray(from));
    }
  }

  #scan(bytes: Buffer): void {
    // Without a CR in sight, which is nearly always, line ends are found by one native byte search each.
    const anyCr = bytes.includes(CR, this.#lineStart);
    let eventStart = 0;
    let lineStart = this.#lineStart;
    if (this.#skipLf) {
      this.#skipLf = false;
      if (bytes[lineStart] === LF) {
        if (lineStart === eventStart) eventStart++;
        lineStart++;
      }
    }
    for (;;) {
      const lineEnd = anyCr ? nextLineEnd(bytes, lineStart) : bytes.indexOf(LF, lineStart);
      if (lineEnd === -1) break;
      if (this.#insideDroppedLine) this.#insideDroppedLine = false;
      else if (lineEnd > lineStart) this.#line(bytes, lineStart, lineEnd);
      else {
        this.#dispatch(bytes, eventStart, lineStart);
        eventStart = lineEnd + 1;
      }
      if (bytes[lineEnd] === CR) {
        if (lineEnd + 1 === bytes.length) this.#skipLf = true;
        else if (bytes[lineEnd + 1] === LF) {
          if (eventStart === lineEnd + 1) eventStart++;
          lineStart = lineEnd + 2;
          continue;
        }
      }
      lineStart = lineEnd + 1;
    }
    this.#keepRest(bytes, eventStart, lineStart);
  }

  #keepRest(bytes: Buffer, eventStart: number, lineStart: number): void {
    if (this.#lastIdEnd !== -1) {
      this.lastEventId = bytes.toString('utf8', this.#lastIdStart, this.#lastIdEnd);
      this.#lastIdEnd = -1;
    }
    if (!this.#tooLong && bytes.length - eventStart <= this.#maxEventBytes) {
      this.#hold(bytes, eventStart);
      this.#lineStart = lineStart - eventStart;
      if (this.#idEnd !== -1) {
        this.#idStart -= eventStart;
        this.#idEnd -= eventStart;
      }
      return;
    }
    this.#tooLong = true;
    if (this.#idEnd !== -1) {
      this.#idOfDropped = bytes.toString('utf8', this.#idStart, this.#idEnd);
      this.#idEnd = -1;
    }
    // The event's own bytes are given up; of its unfinished line a few are kept, to tell its field by.
    const rest = bytes.length - lineStart;
    if (rest > 16) {
      if (!this.#insideDroppedLine) this.#line(bytes, lineStart, bytes.length);
      this.#insideDroppedLine = true;
    }
    this.#hold(bytes, this.#insideDroppedLine ? bytes.length : lineStart);
    this.#lineStart = 0;
  }

  #line(bytes: Buffer, start: number, end: number): void {
    const value = dataValueStart(bytes, start, end);
    if (value === -1) {
      this.#idLine(bytes, start, end);
      return;
    }
    this.#dataLines++;
    if (value < end) this.#hasData = true;
    this.#fromServer = startsWith(bytes, value, METHOD_SECOND) || startsWith(bytes, value, METHOD_FIRST);
  }

  #idLine(bytes: Buffer, start: number, end: number): void {
    const value = idValueStart(bytes, start, end);
    if (value === -1) return;
    this.#idStart = value;
    this.#idEnd = end;
  }

  #dispatch(bytes: Buffer, start: number, end: number): void {
    if (this.#hasData || this.#dataLines > 1) {
      this.events++;
      // Also where it came in one piece: what is said must not depend on how the bytes were cut.
      if (this.#tooLong || end - start > this.#maxEventBytes) this.#sink.oversized();
      else if (this.#mayMatter(bytes, start, end)) this.#decode(bytes, start, end);
    }
    this.#takeId();
    this.#dataLines = 0;
    this.#hasData = false;
    this.#fromServer = false;
    this.#tooLong = false;
  }

  // An event's id counts when the event has ended, also one without data: that is what priming events are for.
  #takeId(): void {
    if (this.#idEnd !== -1) {
      this.#lastIdStart = this.#idStart;
      this.#lastIdEnd = this.#idEnd;
      this.#idEnd = -1;
    } else if (this.#idOfDropped !== undefined) {
      this.lastEventId = this.#idOfDropped;
      this.#lastIdEnd = -1;
    }
    this.#idOfDropped = undefined;
  }

  get #isFirst(): boolean {
    return this.#interest.firstEvent && this.events === 1;
  }

  #mayMatter(bytes: Buffer, start: number, end: number): boolean {
    if (this.#isFirst) return true;
    if (this.#fromServer && this.#dataLines === 1 && !this.#interest.serverMessages) return false;
    const event = bytes.subarray(start, end);
    return this.#interest.needles.some((needle) => event.includes(needle));
  }

  #decode(bytes: Buffer, start: number, end: number): void {
    const parser = createParser({
      onEvent: ({ data, event: type }) => {
        // What was found may have stood in a comment or in another field.
        if (this.#isFirst || this.#interest.needles.some((needle) => data.includes(needle.toString())))
          this.#sink.event(data, type ?? '');
      },
    });
    parser.feed(`${bytes.toString('utf8', start, end)}\n\n`);
  }
}
