import * as zlib from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { titled } from '../protocol/titled.js';
import { event, JSON_HEADERS, SSE_HEADERS, toolResult } from '../support/json-rpc.js';
import { answered, type ExchangeRow, failure, observedExchanges } from '../support/observed-exchanges.js';
import { CUT, type Step } from '../support/scripted-server.js';

type Coder = (bytes: Buffer) => Buffer;

// Node has zstd from 22.15 on; without it, nobody can read such a body.
const { zstdCompressSync } = zlib as unknown as { zstdCompressSync?: Coder };

const codings: readonly (readonly [coding: string, encode: Coder])[] = [
  ['gzip', zlib.gzipSync],
  ['x-gzip', zlib.gzipSync],
  ['GZIP', zlib.gzipSync],
  ['br', zlib.brotliCompressSync],
  ['deflate', zlib.deflateSync],
  ['gzip, br', (bytes) => zlib.brotliCompressSync(zlib.gzipSync(bytes))],
  ['deflate, identity , gzip', (bytes) => zlib.gzipSync(zlib.deflateSync(bytes))],
  ['identity', (bytes) => bytes],
  ...(zstdCompressSync === undefined ? [] : ([['zstd', zstdCompressSync]] as const)),
];

const SUCCESS = { 'mcp.outcome': 'TOOL_SUCCESS', 'mcp.result.type': 'complete' };
const INCOMPLETE = failure('STREAM_INCOMPLETE', 'transport');
const unclassified = (reason: string) => ({
  'mcp.outcome': 'UNCLASSIFIED',
  'mcp.unclassified.reason': reason,
});
const stream = (end: string, events: number) => ({ 'mcp.stream.end': end, 'mcp.stream.events': events });

const LIMIT = 100_000;
const text = 'grüße, 世界, 😀'.repeat(20);
const message = toolResult({ content: [{ type: 'text', text }] });
const progress = event('{"jsonrpc":"2.0","method":"notifications/progress","params":{}}');
const events = [progress, progress, event(message)];
const encoded = (coding: string, headers: object, ...body: Step[]) => ({
  headers: { ...headers, 'content-encoding': coding },
  body,
});

const rows: ExchangeRow[] = [
  ...codings.map(
    ([coding, encode]): ExchangeRow => ({
      rule: `JSON in ${coding} is read`,
      answer: encoded(coding, JSON_HEADERS, encode(Buffer.from(message))),
      attributes: answered(200, SUCCESS),
    }),
  ),
  ...codings.map(
    ([coding, encode]): ExchangeRow => ({
      rule: `a stream in ${coding} is read, in chunks`,
      answer: encoded(coding, SSE_HEADERS, ...halves(encode(Buffer.from(events.join(''))))),
      attributes: answered(200, { ...SUCCESS, ...stream('response', 3) }),
    }),
  ),
  {
    rule: 'a stream whose events are flushed one by one is read',
    answer: encoded('gzip', SSE_HEADERS, ...flushed(events)),
    attributes: answered(200, { ...SUCCESS, ...stream('response', 3) }),
  },
  {
    rule: 'a coded stream that is cut before the response is incomplete, and its events are counted',
    answer: encoded('gzip', SSE_HEADERS, ...flushed(events).slice(0, 3), CUT),
    attributes: answered(200, { ...INCOMPLETE, ...stream('cut', 2) }),
    failure: expect.stringContaining('the body ended before the response') as never,
    events: { 'mcp.stream.cut': { 'mcp.stream.events': 2 } },
  },
  {
    rule: 'a coded stream that is cut after the response has its response',
    answer: encoded('gzip', SSE_HEADERS, ...flushed(events), CUT),
    attributes: answered(200, { ...SUCCESS, ...stream('response', 3) }),
  },
  {
    rule: 'coded JSON that is cut is incomplete',
    answer: encoded('gzip', JSON_HEADERS, zlib.gzipSync(message).subarray(0, 40), CUT),
    attributes: answered(200, INCOMPLETE),
    failure: expect.stringContaining('the body ended before the response') as never,
  },
  {
    rule: 'an empty body needs no decoding',
    answer: encoded('gzip', JSON_HEADERS),
    attributes: answered(200, INCOMPLETE),
    failure: 'the body ended before the response',
  },
  {
    rule: 'a bomb is too large, however small it comes',
    answer: encoded('gzip', JSON_HEADERS, zlib.gzipSync(Buffer.alloc(LIMIT + 1))),
    attributes: answered(200, unclassified('body_too_large')),
  },
  {
    rule: 'a bomb inside a bomb is too large',
    answer: encoded('gzip, gzip', JSON_HEADERS, zlib.gzipSync(zlib.gzipSync(Buffer.alloc(LIMIT + 1)))),
    attributes: answered(200, unclassified('body_too_large')),
  },
  {
    rule: 'a body that is too large coded is too large',
    answer: encoded('br', JSON_HEADERS, ...halves(Buffer.alloc(LIMIT + 1))),
    attributes: answered(200, unclassified('body_too_large')),
  },
  {
    rule: "four codings are nobody's server",
    answer: encoded('gzip, gzip, gzip, gzip', JSON_HEADERS, message),
    attributes: answered(200, unclassified('unsupported_encoding')),
  },
  {
    rule: 'an error response in a coding nobody knows has its status all the same',
    answer: { ...encoded('x-secret', JSON_HEADERS, message), status: 500 },
    attributes: answered(500, failure('HTTP_ERROR', 'transport', '500')),
    failure: 'HTTP 500',
  },
];

/** What fetch itself can't read: the application has an error, and the span says what was on the wire. */
const unreadable: ExchangeRow[] = [
  {
    rule: 'deflate without its zlib header, as some servers send it',
    answer: encoded('deflate', JSON_HEADERS, zlib.deflateRawSync(message)),
    attributes: answered(200, SUCCESS),
  },
  ...(zstdCompressSync === undefined
    ? [
        {
          rule: 'zstd, where Node has none',
          answer: encoded('zstd', JSON_HEADERS, message),
          attributes: answered(200, unclassified('unsupported_encoding')),
        },
      ]
    : []),
];

const BOM = '\ufeff';
const forms: ExchangeRow[] = [
  {
    rule: 'JSON after a byte order mark',
    answer: { headers: JSON_HEADERS, body: [BOM + message] },
    attributes: answered(200, SUCCESS),
  },
  {
    rule: 'a stream after a byte order mark, byte by byte',
    answer: { headers: SSE_HEADERS, body: bytewise(BOM + event('{"error"}') + event(toolResult())) },
    attributes: answered(200, { ...SUCCESS, ...stream('response', 2) }),
  },
  {
    rule: 'JSON after a byte order mark, byte by byte',
    answer: { headers: JSON_HEADERS, body: bytewise(BOM + toolResult()) },
    attributes: answered(200, SUCCESS),
  },
  {
    rule: 'JSON after two byte order marks is not JSON: only one is dropped',
    answer: { headers: JSON_HEADERS, body: [BOM + BOM + message] },
    attributes: answered(200, failure('MALFORMED_JSON', 'protocol')),
    failure: 'the response is not JSON',
  },
  {
    rule: 'JSON in UTF-8 that is split inside characters',
    answer: { headers: JSON_HEADERS, body: bytewise(toolResult({ content: [], t: 'é世😀' })) },
    attributes: answered(200, SUCCESS),
  },
  {
    rule: 'a stream in UTF-8 that is split inside characters',
    answer: { headers: SSE_HEADERS, body: bytewise(event(toolResult({ content: [], t: 'é世😀' }))) },
    attributes: answered(200, { ...SUCCESS, ...stream('response', 1) }),
  },
  ...['\r\n', '\r', '\n'].map(
    (eol): ExchangeRow => ({
      rule: `a stream whose lines end in ${JSON.stringify(eol)}`,
      // A last CR may be half of a CRLF: the comment shows that it isn't.
      answer: {
        headers: SSE_HEADERS,
        body: bytewise(`${(progress + event(toolResult())).replaceAll('\n', eol)}: bye${eol}`),
      },
      attributes: answered(200, { ...SUCCESS, ...stream('response', 2) }),
    }),
  ),
  {
    rule: 'a response over several data lines',
    answer: { headers: SSE_HEADERS, body: [event(JSON.stringify(JSON.parse(toolResult()), null, 2))] },
    attributes: answered(200, { ...SUCCESS, ...stream('response', 1) }),
  },
  {
    rule: 'JSON that is said to be UTF-16 and is UTF-8 is read as what it is',
    answer: { headers: { 'content-type': 'application/json; charset=utf-16' }, body: [message] },
    attributes: answered(200, SUCCESS),
  },
];

describe('a coded body', () => {
  const exchanges = observedExchanges({ config: { maxBodyBytes: LIMIT } });
  it.each(titled([...rows, ...unreadable]))('%s', (_, row) => exchanges.check(row));
});

describe('the form of a body', () => {
  const exchanges = observedExchanges();
  it.each(titled(forms))('%s', (_, row) => exchanges.check(row));
});

function halves(bytes: Buffer): Buffer[] {
  const middle = Math.floor(bytes.length / 2);
  return [bytes.subarray(0, middle), bytes.subarray(middle)];
}

function bytewise(characters: string): Buffer[] {
  return [...Buffer.from(characters)].map((byte) => Buffer.from([byte]));
}

/** One gzip stream, flushed after each part. It has no trailer. */
function flushed(parts: readonly string[]): Buffer[] {
  const flush = zlib.constants.Z_SYNC_FLUSH;
  // Each part's blocks refer to no other's, so that they can be made one by one.
  const header = zlib.gzipSync('').subarray(0, 10);
  return [header, ...parts.map((part) => zlib.deflateRawSync(part, { finishFlush: flush }))];
}
