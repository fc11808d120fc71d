import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { paramsDigest } from '../../src/calls/params-digest.js';

const META: ReadonlySet<string> = new Set(['_meta']);
const digest = (params: unknown): string => paramsDigest(params, META);

const long = 'x'.repeat(10_000);

describe('equal', () => {
  it.each([
    ['in another order of keys', { a: 1, b: { c: 2, d: [3] } }, { b: { d: [3], c: 2 }, a: 1 }],
    ['with another _meta', { a: 1, _meta: { progressToken: 1 } }, { a: 1 }],
    ['nothing and nothing', undefined, undefined],
    ['long strings that differ far inside', { a: `${long}1${long}` }, { a: `${long}2${long}` }],
  ])('%s', (_what, one, other) => {
    expect(digest(one)).toBe(digest(other));
  });
});

describe('different', () => {
  it.each([
    ['a number and its text', { a: 1 }, { a: '1' }],
    ['nothing and an empty object', undefined, {}],
    ['null and an absent key', { a: null }, {}],
    ['an array in another order', { a: [1, 2] }, { a: [2, 1] }],
    ['values that only look alike when put together', { a: '1', b: '' }, { a: '', b: '1' }],
    ['a nested _meta', { a: { _meta: 1 } }, { a: {} }],
    ['an array and an object with its indices', { a: ['x'] }, { a: { 0: 'x' } }],
    ['long strings of different length', { a: long }, { a: `${long}x` }],
    ['long strings with another end', { a: `${long}1` }, { a: `${long}2` }],
    ['a __proto__ of its own', JSON.parse('{"__proto__":1}'), {}],
  ])('%s', (_what, one, other) => {
    expect(digest(one)).not.toBe(digest(other));
  });
});

it('is a function of the value alone, whatever the value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(digest(value)).toMatch(/^[0-9a-f]{32}$/);
      expect(digest(JSON.parse(JSON.stringify(value)))).toBe(digest(value));
    }),
  );
});

it('survives any depth', () => {
  const deep: unknown = JSON.parse(`${'['.repeat(5_000)}${']'.repeat(5_000)}`);
  expect(digest({ deep })).toMatch(/^[0-9a-f]{32}$/);
});

it('of a megabyte of arguments costs less than parsing them, which every call does anyway', () => {
  const shapes = [
    { text: 'x'.repeat(1_000_000) },
    { rows: Array.from({ length: 20_000 }, (_, i) => ({ id: i, name: `row number ${i}` })) },
  ];
  for (const shape of shapes) {
    const text = JSON.stringify(shape);
    const cpu = (act: () => unknown): number => {
      const start = process.cpuUsage();
      for (let i = 0; i < 20; i++) act();
      const { user, system } = process.cpuUsage(start);
      return user + system;
    };
    cpu(() => digest(shape));
    expect(cpu(() => digest(shape))).toBeLessThan(cpu(() => JSON.parse(text)) * 2);
  }
});
