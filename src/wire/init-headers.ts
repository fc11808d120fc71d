import { types } from 'node:util';
import { headerFields } from './header-fields.js';
import type { HeaderFields } from './listener.js';

/**
 * Reads the `headers` that an application gave to `fetch`, only where reading has no effect: a plain object, an array
 * of pairs, or Node's own `Headers`. A one-shot iterator would be used up (the request would go out without headers),
 * and a `Headers` of the application's own would run its code.
 */
export function initHeaders(headers: unknown): HeaderFields | undefined {
  if (typeof headers !== 'object' || headers === null || types.isProxy(headers)) return undefined;
  if (Array.isArray(headers)) return headerFields(headers.filter(Array.isArray).flat());
  const prototype: unknown = Object.getPrototypeOf(headers);
  if (prototype === Object.prototype || prototype === null) return fromPlainObject(headers);
  const get = nodeHeadersGet(prototype);
  return get === undefined ? undefined : { get: (name) => get.call(headers, name) ?? undefined };
}

function fromPlainObject(headers: object): HeaderFields {
  const fields: unknown[] = [];
  for (const name of Object.keys(headers)) {
    const value: unknown = Object.getOwnPropertyDescriptor(headers, name)?.value;
    if (typeof value === 'string') fields.push(name, value);
  }
  return headerFields(fields);
}

type HeadersGet = (this: unknown, name: string) => string | null;

// Taken when this module is loaded, before the application can replace it; in some Node versions it is a getter that
// loads undici, so it is called no earlier than needed.
const headersProperty = Object.getOwnPropertyDescriptor(globalThis, 'Headers');
let nodePrototype: { get: HeadersGet } | undefined;
let nodeGet: HeadersGet | undefined;

function nodeHeadersGet(prototype: unknown): HeadersGet | undefined {
  if (nodePrototype === undefined) {
    const HeadersClass: unknown = headersProperty?.value ?? headersProperty?.get?.call(globalThis);
    if (typeof HeadersClass !== 'function') return undefined;
    nodePrototype = HeadersClass.prototype as { get: HeadersGet };
    nodeGet = nodePrototype.get;
  }
  return prototype === nodePrototype ? nodeGet : undefined;
}
