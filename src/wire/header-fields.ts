import { asBuffer } from './as-buffer.js';
import type { HeaderFields } from './listener.js';

/**
 * Reads what undici publishes as headers: one CRLF-joined string (requests of undici 5), a flat array of names and
 * values (requests from undici 6 on; responses, there as Buffers), or a plain object (responses over HTTP/2 in some
 * versions). Anything else reads as no headers at all.
 */
export function headerFields(published: unknown): HeaderFields {
  return { get: (name) => headerValue(published, name) };
}

function headerValue(published: unknown, name: string): string | undefined {
  if (Array.isArray(published)) return fromFlatArray(published, name);
  if (typeof published === 'string') return fromText(published, name);
  if (typeof published === 'object' && published !== null) return fromObject(published, name);
  return undefined;
}

function fromFlatArray(list: readonly unknown[], name: string): string | undefined {
  let found: string | undefined;
  for (let i = 0; i + 1 < list.length; i += 2) {
    if (!isName(list[i], name)) continue;
    const value = valueText(list[i + 1]);
    found = found === undefined ? value : `${found}, ${value}`;
  }
  return found;
}

function fromText(text: string, name: string): string | undefined {
  let found: string | undefined;
  for (const line of text.split('\r\n')) {
    const colon = line.indexOf(':');
    if (colon !== name.length || !isName(line.slice(0, colon), name)) continue;
    const value = line.slice(colon + 1).trim();
    found = found === undefined ? value : `${found}, ${value}`;
  }
  return found;
}

function fromObject(fields: object, name: string): string | undefined {
  for (const [key, value] of Object.entries(fields)) {
    if (isName(key, name)) return valueText(value);
  }
  return undefined;
}

// The lengths are compared first: nearly every field is told apart by them, without making a string.
function isName(candidate: unknown, name: string): boolean {
  if (typeof candidate === 'string') {
    return candidate.length === name.length && (candidate === name || candidate.toLowerCase() === name);
  }
  return candidate instanceof Uint8Array && candidate.length === name.length && isSameText(candidate, name);
}

function isSameText(bytes: Uint8Array, name: string): boolean {
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] ?? 0;
    const isUpperCase = byte >= 0x41 && byte <= 0x5a;
    if ((isUpperCase ? byte + 0x20 : byte) !== name.charCodeAt(i)) return false;
  }
  return true;
}

function valueText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value instanceof Uint8Array) {
    return asBuffer(value).toString('latin1');
  }
  if (Array.isArray(value)) return value.map(valueText).join(', ');
  return String(value);
}
