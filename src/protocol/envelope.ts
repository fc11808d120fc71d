import { isJsonObject, own } from './json.js';
import type { EnvelopeDefect } from './outcome.js';
import type { RequestId } from './request.js';

/** What a value is as the JSON-RPC response to one request. */
export type Envelope =
  | { readonly kind: 'result'; readonly result: unknown }
  | { readonly kind: 'error'; readonly code: number; readonly message: string }
  | { readonly kind: 'defect'; readonly defect: EnvelopeDefect };

const defect = (name: EnvelopeDefect): Envelope => ({ kind: 'defect', defect: name });

/**
 * Opens the JSON-RPC envelope. Ids are compared strictly: a client that sent 1 doesn't know "1".
 * @see https://www.jsonrpc.org/specification#response_object
 */
export function openEnvelope(value: unknown, expectedId: RequestId): Envelope {
  if (!isJsonObject(value)) return defect('not_object');
  if (own(value, 'jsonrpc') !== '2.0') return defect('jsonrpc_version');
  const hasError = Object.hasOwn(value, 'error');
  const hasResult = Object.hasOwn(value, 'result');
  if (!hasError && !hasResult) return defect('neither');
  if (hasError && hasResult) return defect('result_and_error');
  if (!belongsTo(value, expectedId)) return defect('id_mismatch');
  if (hasResult) return { kind: 'result', result: own(value, 'result') };
  const error = own(value, 'error');
  const code = own(error, 'code');
  const message = own(error, 'message');
  if (!isInteger(code) || typeof message !== 'string') return defect('error_shape');
  return { kind: 'error', code, message };
}

/**
 * An error without an id, or with `null`, is what a server says that couldn't read one: it belongs to the request
 * that it answers.
 */
export function belongsTo(message: unknown, expectedId: RequestId): boolean {
  const id = own(message, 'id');
  if (id === expectedId) return true;
  return isJsonObject(message) && Object.hasOwn(message, 'error') && (id === null || id === undefined);
}

/** The code and message of an error response, whoever it is for; less is asked of it than of a whole envelope. */
export function rpcErrorIn(message: unknown): { code: number; message?: string } | undefined {
  // REST errors look alike (`{"error":{"code":403,"message":"…"}}`); the version tells them apart.
  if (own(message, 'jsonrpc') !== '2.0') return undefined;
  const error = own(message, 'error');
  const code = own(error, 'code');
  if (!isInteger(code)) return undefined;
  const text = own(error, 'message');
  return typeof text === 'string' ? { code, message: text } : { code };
}

const isInteger = (value: unknown): value is number => Number.isInteger(value);
