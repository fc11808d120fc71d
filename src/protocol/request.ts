import { isJsonObject, own, parseJson } from './json.js';

/**
 * `null` stands for every id by which no result can be matched: `null` itself, which JSON-RPC discourages and MCP
 * forbids, and what isn't a string or a number. Servers answer such a request with an error whose id is `null`.
 * @see https://www.jsonrpc.org/specification#request_object
 */
export type RequestId = string | number | null;

/** A message in the body of a POST. */
export type RequestMessage =
  | { readonly kind: 'request'; readonly id: RequestId; readonly method: string; readonly params: unknown }
  | { readonly kind: 'notification'; readonly method: string; readonly params: unknown }
  /** The client's answer to a request of the server (up to 2025-11-25). */
  | { readonly kind: 'response' };

export interface RequestBody {
  /** `true` for an array, as 2025-03-26 allows, even of one message. */
  readonly batch: boolean;
  /** In order; what isn't a JSON-RPC 2.0 message is left out. Empty for an empty array only. */
  readonly messages: readonly RequestMessage[];
}

/**
 * The JSON-RPC messages that a client POSTs.
 *
 * @param text - the whole body
 * @returns `undefined` when there is no JSON-RPC 2.0 message in it. Never throws.
 *
 * @example parseRequestBody('{"jsonrpc":"2.0","method":"notifications/initialized"}')
 * // { batch: false, messages: [{ kind: 'notification', method: 'notifications/initialized', params: undefined }] }
 */
export function parseRequestBody(text: string): RequestBody | undefined {
  if (!beginsObjectOrArray(text)) return undefined;
  const value = parseJson(text)?.value;
  if (!Array.isArray(value)) {
    const message = requestMessage(value);
    return message && { batch: false, messages: [message] };
  }
  const messages = value.map(requestMessage).filter((message) => message !== undefined);
  return messages.length === 0 && value.length > 0 ? undefined : { batch: true, messages };
}

/** Most bodies that aren't JSON (forms, files, plain text) are told by their first character, without a parse. */
function beginsObjectOrArray(text: string): boolean {
  return typeof text === 'string' && /^[\t\n\r ]*[{[]/.test(text);
}

function requestMessage(value: unknown): RequestMessage | undefined {
  if (!isJsonObject(value) || own(value, 'jsonrpc') !== '2.0') return undefined;
  const method = own(value, 'method');
  if (typeof method !== 'string') {
    return Object.hasOwn(value, 'result') || Object.hasOwn(value, 'error') ? { kind: 'response' } : undefined;
  }
  const params = own(value, 'params');
  if (!Object.hasOwn(value, 'id')) return { kind: 'notification', method, params };
  const id = own(value, 'id');
  return {
    kind: 'request',
    id: typeof id === 'string' || typeof id === 'number' ? id : null,
    method,
    params,
  };
}
