/**
 * How an MCP call ended. Each name is followed by one response that causes it; unless said otherwise the request was
 * a `tools/call` with id 1 and the status is 200.
 */
export const OUTCOMES = [
  /** `{"jsonrpc":"2.0","id":1,"result":{"content":[]}}` */
  'TOOL_SUCCESS',
  /** To `tools/list`: `{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}` */
  'SUCCESS',
  /** `{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{}}}` */
  'INPUT_REQUIRED',
  /** To a request with `params.task`: `{"jsonrpc":"2.0","id":1,"result":{"task":{"taskId":"t1","status":"working"}}}` */
  'TASK_CREATED',
  /** To `notifications/initialized`: status 202 with an empty body */
  'ACCEPTED',
  /** None: the application aborted the request before a response came */
  'CANCELLED',
  /** A response that couldn't be looked at: a body larger than the limit */
  'UNCLASSIFIED',
  /** Status 503, whatever the body says */
  'HTTP_ERROR',
  /** None: `ECONNREFUSED` */
  'NETWORK_ERROR',
  /** None: an `AbortSignal.timeout` fired first */
  'TIMEOUT',
  /** An event stream with progress notifications that ends without the response */
  'STREAM_INCOMPLETE',
  /** `<!doctype html><title>Sign in</title>` */
  'MALFORMED_JSON',
  /** `{"jsonrpc":"2.0","id":"1","result":{"content":[]}}`: the id is another one */
  'INVALID_ENVELOPE',
  /** `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Unknown tool"}}` */
  'JSONRPC_ERROR',
  /** `{"jsonrpc":"2.0","id":1,"result":{"content":"not an array"}}` */
  'INVALID_TOOL_RESULT',
  /** To `tools/list`: `{"jsonrpc":"2.0","id":1,"result":null}` */
  'INVALID_RESULT',
  /** `{"jsonrpc":"2.0","id":1,"result":{"content":[],"isError":true}}` */
  'TOOL_ERROR',
] as const;

export type Outcome = (typeof OUTCOMES)[number];

/** The layer at which a call failed; outcomes that aren't failures have none. */
export const ERROR_LAYERS = ['transport', 'protocol', 'application'] as const;

export type ErrorLayer = (typeof ERROR_LAYERS)[number];

const LAYERS: Readonly<Record<Outcome, ErrorLayer | undefined>> = {
  TOOL_SUCCESS: undefined,
  SUCCESS: undefined,
  INPUT_REQUIRED: undefined,
  TASK_CREATED: undefined,
  ACCEPTED: undefined,
  CANCELLED: undefined,
  UNCLASSIFIED: undefined,
  HTTP_ERROR: 'transport',
  NETWORK_ERROR: 'transport',
  TIMEOUT: 'transport',
  STREAM_INCOMPLETE: 'transport',
  MALFORMED_JSON: 'protocol',
  INVALID_ENVELOPE: 'protocol',
  JSONRPC_ERROR: 'protocol',
  INVALID_TOOL_RESULT: 'protocol',
  INVALID_RESULT: 'protocol',
  TOOL_ERROR: 'application',
};

/** @returns `undefined` when the outcome isn't a failure. */
export function layerOf(outcome: Outcome): ErrorLayer | undefined {
  return LAYERS[outcome];
}

/**
 * What was wrong with an `INVALID_ENVELOPE`, in the order in which it is looked for: the first defect is the one named.
 * Examples answer a request with id 1.
 */
export const ENVELOPE_DEFECTS = [
  /** `null`, `"ok"`, `[]` */
  'not_object',
  /** `{"id":1,"result":{}}`, `{"jsonrpc":"1.0","id":1,"result":{}}` */
  'jsonrpc_version',
  /** `{"jsonrpc":"2.0","id":1}` */
  'neither',
  /** `{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":""}}` */
  'result_and_error',
  /** `{"jsonrpc":"2.0","id":"1","result":{}}` */
  'id_mismatch',
  /** `{"jsonrpc":"2.0","id":1,"error":"no"}` */
  'error_shape',
] as const;

export type EnvelopeDefect = (typeof ENVELOPE_DEFECTS)[number];

/** Why a response could not be looked at. */
export const UNCLASSIFIED_REASONS = [
  /** The body is larger than the limit. */
  'body_too_large',
  /** A `Content-Encoding` that this Node can't decode, or bytes that aren't what it says. */
  'unsupported_encoding',
  /** The application never read the body to its end. */
  'body_not_read',
  /** Too many calls were open at once, or watching ended before the call did. */
  'evicted',
  /** The observer itself failed; the application isn't affected. */
  'observer_error',
] as const;

export type UnclassifiedReason = (typeof UNCLASSIFIED_REASONS)[number];

/** Failures that are a protocol's normal first move. */
export const NEGOTIATIONS = ['authorization', 'version', 'redirect'] as const;

export type Negotiation = (typeof NEGOTIATIONS)[number];

/** Who sent a request again. */
export const RETRY_ORIGINS = ['none', 'transport', 'sdk', 'application', 'manual', 'unknown'] as const;

export type RetryOrigin = (typeof RETRY_ORIGINS)[number];
