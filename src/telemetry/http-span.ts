import type { Attributes, Span } from '@opentelemetry/api';
import * as names from './attributes.js';
import { pick } from './call-attributes.js';

/**
 * A `requestHook` of `@opentelemetry/instrumentation-undici`: hands over the span of an HTTP request.
 *
 * @param request - the request object that undici publishes
 */
export type HttpSpanHook<Request = unknown> = (span: Span, request: Request) => void;

/** What the HTTP span is told of its call. */
const SHARED = [
  names.ATTR_MCP_METHOD_NAME,
  names.ATTR_GEN_AI_TOOL_NAME,
  names.ATTR_JSONRPC_REQUEST_ID,
  names.ATTR_MCP_OUTCOME,
  names.ATTR_MCP_ERROR_LAYER,
  names.ATTR_RPC_RESPONSE_STATUS_CODE,
  names.ATTR_MCP_RESULT_TYPE,
  names.ATTR_MCP_RETRY_ORIGIN,
];

/** The HTTP spans of requests under way, by the request that undici publishes. */
export interface HttpSpans {
  keep(request: unknown, span: Span): void;
  /** Puts on the request's span what it may have of the call's attributes, while it is open. */
  annotate(request: object, start: Attributes, end?: Attributes): void;
}

export function httpSpans(): HttpSpans {
  const spans = new WeakMap<object, Span>();
  return {
    keep(request, span) {
      if (typeof request === 'object' && request !== null) spans.set(request, span);
    },
    annotate(request, start, end) {
      const span = spans.get(request);
      if (!span?.isRecording()) return;
      span.setAttributes(pick(SHARED, start, end));
    },
  };
}
