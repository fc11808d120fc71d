import { describe, expect, it } from 'vitest';
import { headerFields } from '../../src/wire/header-fields.js';

const b = (text: string) => Buffer.from(text, 'latin1');

/** Each in the form in which some undici publishes it. */
const forms: readonly [form: string, published: unknown][] = [
  ['one text (requests of undici 5)', 'Accept: application/json\r\nX-Two: a\r\nx-two:b\r\nEmpty:\r\n'],
  [
    'an array of texts (requests from undici 6 on)',
    ['Accept', 'application/json', 'X-Two', 'a', 'x-two', 'b', 'Empty', ''],
  ],
  [
    'an array of bytes (responses)',
    [b('Accept'), b('application/json'), b('X-Two'), b('a'), b('x-two'), b('b'), b('Empty'), b('')],
  ],
  ['an object (responses over HTTP/2)', { Accept: 'application/json', 'x-two': ['a', 'b'], Empty: '' }],
  ['an array with a list in it', ['accept', 'application/json', 'x-two', ['a', b('b')], 'empty', '']],
];

describe.each(forms)('header fields in %s', (_, published) => {
  const fields = headerFields(published);
  it.each([
    ['accept', 'application/json'],
    ['x-two', 'a, b'],
    ['empty', ''],
    ['absent', undefined],
    ['x-tw', undefined],
    ['acceptx', undefined],
  ])('%s is %s', (name, value) => {
    expect(fields.get(name)).toBe(value);
  });
});

describe('header fields', () => {
  it.each([
    ['undefined', undefined],
    ['null', null],
    ['a number', 7],
    ['an empty text', ''],
    ['a text without a colon', 'accept'],
    ['an empty array', []],
    ['a name without its value', ['accept']],
    ['an object without fields', Object.create(null)],
    ['names that are no names', [7, 'a', {}, 'b', null, 'c']],
  ])('of %s are none', (_, published) => {
    expect(headerFields(published).get('accept')).toBeUndefined();
  });

  it.each([
    ['a number', 7, '7'],
    ['a truth', true, 'true'],
    ['bytes that are not ASCII, as latin1', Buffer.from([0xe9]), 'é'],
  ])('a value that is %s is a text', (_, value, told) => {
    expect(headerFields(['x', value]).get('x')).toBe(told);
  });

  it('a value may have colons and white space around it', () => {
    expect(headerFields('Location:  http://a:1/ \r\n').get('location')).toBe('http://a:1/');
  });

  it('what is added later is seen: other observers add to the array', () => {
    const published = ['a', '1'];
    const fields = headerFields(published);
    published.push('traceparent', '00-1');
    expect(fields.get('traceparent')).toBe('00-1');
  });

  it('a name of an object is a field, never a property that every object has', () => {
    expect(headerFields({}).get('constructor')).toBeUndefined();
    expect(headerFields([]).get('length')).toBeUndefined();
  });
});
