/** What `JSON.parse` makes of a JSON object. */
export type JsonObject = { readonly [key: string]: unknown };

/** `false` for arrays: JSON-RPC and MCP never mean one where they say "object". */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * A property of the message itself. What a page or library put on `Object.prototype` was never on the wire,
 * and `JSON.parse` makes `__proto__` an own property like any other.
 */
export function own(value: unknown, key: string): unknown {
  return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** As {@link own}, for strings only. */
export function ownString(value: unknown, key: string): string | undefined {
  const property = own(value, key);
  return typeof property === 'string' ? property : undefined;
}

/** A parsed text, boxed because `null` and `undefined` are told apart from "not JSON". */
export interface ParsedJson {
  readonly value: unknown;
}

/** @returns `undefined` when the text isn't JSON. Never throws, however deep the nesting. */
export function parseJson(text: string): ParsedJson | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
