import * as zlib from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { codingsOf, decodeBody } from '../../src/wire/content-encoding.js';

const { zstdCompressSync } = zlib as unknown as { zstdCompressSync?: (bytes: Uint8Array) => Buffer };

describe('the codings of a Content-Encoding, in the order to undo them', () => {
  it.each([
    [undefined, []],
    ['', []],
    [' , ,', []],
    ['identity', []],
    ['gzip', ['gzip']],
    ['GZip', ['gzip']],
    ['gzip, br', ['br', 'gzip']],
    ['deflate,identity , gzip', ['gzip', 'deflate']],
    ['x-secret', ['x-secret']],
  ])('%s: %o', (value, expected) => {
    expect(codingsOf(value)).toEqual(expected);
  });
});

const bytes = Buffer.from('{"jsonrpc":"2.0","id":1,"result":{}}'.repeat(50));
const MAX = bytes.length;
const raw = zlib.deflateRawSync(bytes);
const UNSUPPORTED = { ok: false, reason: 'unsupported_encoding' };
const TOO_LARGE = { ok: false, reason: 'body_too_large' };
const DECODED = { ok: true, bytes };
const zstd = zstdCompressSync?.(bytes);

const rows: readonly [rule: string, encoded: Buffer, codings: string[], expected: object][] = [
  ['without a coding, as it is', bytes, [], DECODED],
  ['gzip', zlib.gzipSync(bytes), ['gzip'], DECODED],
  ['x-gzip, its old name', zlib.gzipSync(bytes), ['x-gzip'], DECODED],
  ['br', zlib.brotliCompressSync(bytes), ['br'], DECODED],
  ['deflate with its zlib header', zlib.deflateSync(bytes), ['deflate'], DECODED],
  ['deflate without it', raw, ['deflate'], DECODED],
  ['zstd, where Node has it', zstd ?? bytes, ['zstd'], zstd === undefined ? UNSUPPORTED : DECODED],
  ['two codings', zlib.brotliCompressSync(zlib.gzipSync(bytes)), ['br', 'gzip'], DECODED],
  ['four codings', bytes, ['gzip', 'gzip', 'gzip', 'gzip'], UNSUPPORTED],
  ['a coding that nobody knows', bytes, ['compress'], UNSUPPORTED],
  ['a known one inside an unknown one', zlib.gzipSync(bytes), ['secret', 'gzip'], UNSUPPORTED],
  ['what is not gzip', bytes, ['gzip'], UNSUPPORTED],
  ['what is not brotli', bytes, ['br'], UNSUPPORTED],
  ['what is not deflate in either form', Buffer.from([0xff, 0xff]), ['deflate'], UNSUPPORTED],
  ['nothing', Buffer.alloc(0), ['gzip'], { ok: true, bytes: Buffer.alloc(0) }],
  [
    'nothing in a coding that nobody knows',
    Buffer.alloc(0),
    ['secret'],
    { ok: true, bytes: Buffer.alloc(0) },
  ],
  ['one byte more than allowed', zlib.gzipSync(Buffer.alloc(MAX + 1)), ['gzip'], TOO_LARGE],
  ['one byte more, in brotli', zlib.brotliCompressSync(Buffer.alloc(MAX + 1)), ['br'], TOO_LARGE],
  [
    'a layer between that is too large',
    zlib.gzipSync(zlib.gzipSync(Buffer.alloc(5_000 * MAX))),
    ['gzip', 'gzip'],
    TOO_LARGE,
  ],
];

describe('a coded body', () => {
  it.each(rows)('%s', (_, encoded, codings, expected) => {
    expect(decodeBody(encoded, codings, MAX)).toEqual(expected);
  });
});

const encoders: readonly (readonly [string, (body: Buffer) => Buffer])[] = [
  ['gzip', zlib.gzipSync],
  ['deflate', zlib.deflateSync],
  ['br', zlib.brotliCompressSync],
  ...(zstdCompressSync === undefined ? [] : ([['zstd', zstdCompressSync]] as const)),
];

describe.each(encoders)('in %s', (coding, encode) => {
  it('what was cut anywhere gives a beginning of what it was', () => {
    const encoded = encode(bytes);
    for (let end = 0; end <= encoded.length; end++) {
      const decoded = decodeBody(encoded.subarray(0, end), [coding], MAX);
      if (!decoded.ok) throw new Error(`cut at ${end}: ${decoded.reason}`);
      expect(bytes.subarray(0, decoded.bytes.length)).toEqual(decoded.bytes);
    }
  });

  it('whatever the bytes are, nothing is thrown and nothing is longer than allowed', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (garbage) => {
        const decoded = decodeBody(Buffer.from(garbage), [coding], 100);
        expect(decoded.ok ? decoded.bytes.length : 0).toBeLessThanOrEqual(100);
      }),
      { numRuns: 200 },
    );
  });
});
