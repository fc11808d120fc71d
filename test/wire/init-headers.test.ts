import { describe, expect, it } from 'vitest';
import { initHeaders } from '../../src/wire/init-headers.js';

const NULL_PROTOTYPE = Object.assign(Object.create(null) as object, { Accept: 'a' });

describe('the headers given to fetch', () => {
  it.each([
    ['a plain object', { Accept: 'a', 'X-Other': 'b' }],
    ['an object without a prototype', NULL_PROTOTYPE],
    ['pairs', [['Accept', 'a']]],
    ["Node's Headers", new Headers({ accept: 'a' })],
  ])('are read from %s', (_, headers) => {
    expect(initHeaders(headers)?.get('accept')).toBe('a');
    expect(initHeaders(headers)?.get('absent')).toBeUndefined();
  });

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a text', 'accept: a'],
    ['a Map, whose iterator is its own', new Map([['accept', 'a']])],
    ['an object of a class of the application', new (class Custom extends Headers {})({ accept: 'a' })],
    ['a proxy', new Proxy({ accept: 'a' }, {})],
  ])('are not read from %s', (_, headers) => {
    expect(initHeaders(headers)).toBeUndefined();
  });

  it.each([
    ['pairs that are none', ['accept', 'a'], undefined],
    ['a pair among what is none', [7, ['accept', 'a'], null], 'a'],
    [
      'two pairs of one name',
      [
        ['accept', 'a'],
        ['Accept', 'b'],
      ],
      'a, b',
    ],
    ['values that are no texts', { accept: 7 }, undefined],
  ])('%s', (_, headers, expected) => {
    expect(initHeaders(headers)?.get('accept')).toBe(expected);
  });
});

describe('reading runs nothing of the application', () => {
  const explode = (): never => {
    throw new Error('ran');
  };

  it('no getter', () => {
    const headers = Object.defineProperty({ other: 'b' }, 'accept', { get: explode, enumerable: true });
    expect(initHeaders(headers)?.get('accept')).toBeUndefined();
    expect(initHeaders(headers)?.get('other')).toBe('b');
  });

  it('no iterator, not even of a one-shot generator', () => {
    function* pairs() {
      yield ['accept', 'a'];
    }
    const generator = pairs();
    expect(initHeaders(generator)).toBeUndefined();
    expect([...generator]).toEqual([['accept', 'a']]);
  });

  it('no trap of a proxy', () => {
    const traps = new Proxy({}, { get: () => explode });
    expect(initHeaders(new Proxy({}, traps))).toBeUndefined();
  });

  it("no Headers that the application put in the place of Node's", () => {
    const original = globalThis.Headers;
    const headers = new original({ accept: 'a' });
    globalThis.Headers = class extends original {
      override get = explode;
    };
    try {
      expect(initHeaders(headers)?.get('accept')).toBe('a');
      expect(initHeaders(new Headers({ accept: 'a' }))).toBeUndefined();
    } finally {
      globalThis.Headers = original;
    }
  });
});
