import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { paramsDigest } from '../../src/calls/params-digest.js';
import { anyText, jsonText } from '../protocol/generators.js';

const META: ReadonlySet<string> = new Set(['_meta']);
const digest = (params: unknown): string => paramsDigest(params, META);

const long = 'x'.repeat(100_000);
const manyKeys = (count: number, value: unknown = 0): Record<string, unknown> =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`key${i}`, value]));
const reversed = (object: Record<string, unknown>): unknown =>
  Object.fromEntries(Object.entries(object).reverse());

describe('params are the same', () => {
  it.each<[string, unknown, unknown]>([
    ['in another order of keys, at any depth', { a: 1, b: { c: 1, d: 2 } }, { b: { d: 2, c: 1 }, a: 1 }],
    ['in another order of many keys', manyKeys(2_000), reversed(manyKeys(2_000))],
    ['with another _meta', { a: 1, _meta: { progressToken: 1 } }, { a: 1, _meta: { progressToken: 2 } }],
    ['without _meta', { a: 1, _meta: {} }, { a: 1 }],
    ['absent twice', undefined, undefined],
    // The rule of the bounded prefix, written down in docs/retries.md.
    [
      'where long strings differ in the middle only',
      { text: `${long}a${long}` },
      { text: `${long}b${long}` },
    ],
    [
      'where only what follows thousands of values differs',
      [...Array(5_000).fill(0), 1],
      [...Array(5_000).fill(0), 2],
    ],
  ])('%s', (_, first, second) => {
    expect(digest(first)).toBe(digest(second));
  });
});

describe('params differ', () => {
  it.each<[string, unknown, unknown]>([
    ['in a value', { a: 1 }, { a: 2 }],
    ['in the type of a value', { a: 1 }, { a: '1' }],
    ['in a key', { a: 1 }, { b: 1 }],
    ['in a key that is missing', { a: 1, b: undefined }, { a: 1 }],
    ['null is not absent', { a: null }, {}],
    ['an empty array is not an empty object', { a: [] }, { a: {} }],
    ['in the order of an array', [1, 2], [2, 1]],
    ['in how values are nested', [[1], 2], [[1, 2]]],
    ['where a string looks like two', ['a";"b'], ['a', 'b']],
    ['in a _meta that is not the params own', { a: { _meta: 1 } }, { a: { _meta: 2 } }],
    ['in the beginning of a long string', { text: `a${long}` }, { text: `b${long}` }],
    ['in the end of a long string', { text: `${long}a` }, { text: `${long}b` }],
    ['in the length of a long string', { text: long }, { text: `${long}x` }],
    ['in the length of a long array', Array(5_000).fill(0), Array(5_001).fill(0)],
    ['in the number of many keys', manyKeys(5_000), manyKeys(5_001)],
    // Sorting them would cost more than reading the request did: in doubt, no repeat.
    ['in the order of more keys than are looked at', manyKeys(5_000), reversed(manyKeys(5_000))],
    ['in the first of many values', [1, ...Array(5_000).fill(0)], [2, ...Array(5_000).fill(0)]],
  ])('%s', (_, first, second) => {
    expect(digest(first)).not.toBe(digest(second));
  });
});

describe('a digest of params', () => {
  it('is sixteen bytes, in which no argument can be read', () => {
    expect(digest({ password: 'hunter2' })).toMatch(/^[0-9a-f]{32}$/);
  });

  it('does not throw, however deep the nesting', () => {
    const deep = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth));
    expect(digest({ a: deep(5_000) })).toBe(digest({ a: deep(5_000) }));
    expect(digest({ a: deep(3) })).not.toBe(digest({ a: deep(4) }));
    let objects: unknown = {};
    for (let i = 0; i < 20_000; i++) objects = { o: objects };
    expect(digest(objects)).toMatch(/^[0-9a-f]{32}$/);
  });

  it('is equal exactly where small params are equal, whatever they are', () => {
    fc.assert(
      fc.property(jsonText, jsonText, (first, second) => {
        const [a, b] = [JSON.parse(first) as unknown, JSON.parse(second) as unknown];
        expect(digest({ a }) === digest({ a: b })).toBe(canonical(a) === canonical(b));
        expect(digest({ a })).toBe(digest({ a: JSON.parse(first) as unknown }));
      }),
      { numRuns: 2000, seed: 20_260_728 },
    );
  });

  it('takes any text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(digest({ [text]: text })).toMatch(/^[0-9a-f]{32}$/);
      }),
      { seed: 20_260_728 },
    );
  });
});

/** JSON with sorted keys; a lone surrogate is what a digest of UTF-8 makes of it. */
function canonical(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(wellFormed(value));
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  const entries = Object.entries(value).map(
    ([key, inner]) => `${JSON.stringify(wellFormed(key))}:${canonical(inner)}`,
  );
  return `{${entries.sort().join(',')}}`;
}

const MEGABYTE = 1_000_000;

/** Arguments of about a megabyte each, of every shape that costs something. */
const megabytes: [string, unknown][] = [
  ['one string', { content: 'x'.repeat(MEGABYTE) }],
  ['one string of characters that take three bytes', { content: '\u3042'.repeat(MEGABYTE / 3) }],
  ['many short strings', Array.from({ length: MEGABYTE / 10 }, (_, i) => `s${i % 1000000}`)],
  ['many keys', manyKeys(MEGABYTE / 12)],
  ['many objects', Array.from({ length: MEGABYTE / 40 }, (_, i) => ({ id: i, name: `row ${i}`, on: true }))],
  ['many strings of a few kilobytes', Array.from({ length: 250 }, (_, i) => `${i}`.padEnd(4_000, 'y'))],
  ['numbers', Array.from({ length: MEGABYTE / 8 }, (_, i) => i * 7)],
];

describe('the digest of a megabyte of arguments', () => {
  // Reading the request once costs a JSON.parse anyway. Both are measured in turns in the same run, as the median of
  // many, so that a machine under load slows both. It is about half of it.
  it.each(megabytes)('costs less than parsing them does: %s', (_, args) => {
    const text = JSON.stringify({ name: 'tool', arguments: args });
    const params: unknown = JSON.parse(text);
    const parse: number[] = [];
    const hash: number[] = [];
    for (let i = 0; i < 15; i++) {
      parse.push(millisecondsOf(() => JSON.parse(text)));
      hash.push(millisecondsOf(() => digest(params)));
    }
    const ratio = median(hash) / Math.max(median(parse), FASTEST_PARSE_MS);
    expect(ratio).toBeLessThan(1);
  });
});

// One plain string is parsed by copying it: less than any digest of it costs, and too little to compare with.
const FASTEST_PARSE_MS = 2;

function millisecondsOf(act: () => unknown): number {
  const start = performance.now();
  act();
  return performance.now() - start;
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[values.length >> 1] ?? 0;
}

function wellFormed(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8');
}
