import { createParser } from 'eventsource-parser';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EventStream } from '../../src/wire/event-stream.js';

const INTEREST = {
  needles: [Buffer.from('"result"'), Buffer.from('"error"')],
  serverMessages: false,
  firstEvent: false,
  whileOpen: false,
};

interface Seen {
  candidates: string[];
  events: number;
  lastEventId: string | undefined;
}

function scan(chunks: readonly Buffer[], maxEventBytes = 1_000_000, firstEvent = false): Seen {
  const candidates: string[] = [];
  const stream = new EventStream({ ...INTEREST, firstEvent }, maxEventBytes, {
    event: (data, type) => candidates.push(`${type} ${data}`),
    oversized: () => candidates.push('(oversized)'),
  });
  for (const chunk of chunks) stream.write(chunk);
  return { candidates, events: stream.events, lastEventId: stream.lastEventId };
}

/** The same by decoding every event, as a client does. */
function decodeAll(text: string, eol: string, firstEvent: boolean): Seen {
  const events: { data: string; event?: string | undefined }[] = [];
  const parser = createParser({ onEvent: (event) => events.push(event) });
  parser.feed(text);
  const nonEmpty = events.filter(({ data }) => data !== '');
  const candidates = nonEmpty.filter(
    ({ data }, i) => (firstEvent && i === 0) || /"result"|"error"/.test(data),
  );
  return {
    candidates: candidates.map(({ data, event }) => `${event ?? ''} ${data}`),
    events: nonEmpty.length,
    lastEventId: lastEventIdIn(text, eol),
  };
}

/** The parser doesn't tell the id of an event without data; by the standard it counts. */
function lastEventIdIn(text: string, eol: string): string | undefined {
  let last: string | undefined;
  let ofThisEvent: string | undefined;
  for (const each of text.split(eol)) {
    if (each === '') last = ofThisEvent ?? last;
    else if (/^id(?::|$)/.test(each)) ofThisEvent = each.replace(/^id:? ?/, '');
    if (each === '') ofThisEvent = undefined;
  }
  return last;
}

function split(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  const starts = [0, ...places];
  return starts.map((start, i) => bytes.subarray(start, starts[i + 1] ?? bytes.length));
}

const line = fc.oneof(
  fc.constantFrom(
    'data: {"jsonrpc":"2.0","id":1,"result":{"content":[]}}',
    'data: {"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"ü€😀"}}',
    'data: {"jsonrpc":"2.0","method":"notifications/progress","params":{}}',
    'data:',
    'data',
    'data: ',
    'data:x',
    'datum: "result"',
    ': comment "result"',
    'id: 7',
    'id:é€',
    'id',
    'identity: 8',
    'event: message',
    'event: endpoint',
  ),
  fc.string({ maxLength: 8 }).map((text) => `data: ${text.replace(/[\r\n]/g, '')}`),
);
const stream = fc.tuple(
  fc.constantFrom('\n', '\r\n'),
  fc.array(fc.array(line, { maxLength: 4 }), { maxLength: 6 }),
);

describe('EventStream', () => {
  it('sees what decoding every event shows, wherever the bytes are cut', () => {
    fc.assert(
      fc.property(
        stream,
        fc.array(fc.nat(), { maxLength: 12 }),
        fc.boolean(),
        ([eol, events], cuts, firstEvent) => {
          const text = events.map((lines) => [...lines, '', ''].join(eol)).join('');
          const seen = scan(split(Buffer.from(text), cuts), 1_000_000, firstEvent);
          expect(seen).toEqual(decodeAll(text, eol, firstEvent));
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it('cut after every byte, with a BOM and with each line end', () => {
    for (const eol of ['\n', '\r\n', '\r']) {
      const bytes = Buffer.from(`\ufeffid: 1${eol}data:${eol}${eol}data: {"id":1,"result":"é"}${eol}${eol}`);
      const everyByte = [...bytes].map((byte) => Buffer.from([byte]));
      expect(scan(everyByte)).toEqual({
        candidates: [' {"id":1,"result":"é"}'],
        events: 1,
        lastEventId: '1',
      });
    }
  });

  it('an event without its closing blank line is not dispatched', () => {
    const seen = scan([Buffer.from('id: 3\ndata: {"result":1}\n')]);
    expect(seen).toEqual({ candidates: [], events: 0, lastEventId: undefined });
  });

  it('whether an event is past the limit does not depend on where it is cut', () => {
    const event = 'data: {"result":1}\n';
    const bytes = Buffer.from(`${event}\n`);
    for (const cut of bytes.keys()) {
      expect(scan(split(bytes, [cut]), event.length)).toMatchObject({
        candidates: [' {"result":1}'],
        events: 1,
      });
      expect(scan(split(bytes, [cut]), event.length - 1)).toMatchObject({
        candidates: ['(oversized)'],
        events: 1,
      });
    }
  });

  it('an event past the limit is given up, and the next one is seen', () => {
    const long = Buffer.from(`id: 5\ndata: ${'x'.repeat(5_000)}\n\ndata: {"result":1}\n\n`);
    const seen = scan(split(long, [1_000, 2_000, 3_000, 4_000]), 500);
    expect(seen).toEqual({ candidates: ['(oversized)', ' {"result":1}'], events: 2, lastEventId: '5' });
  });
});
