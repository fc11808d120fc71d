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
  /**
   * A call's request goes out. Its span has at once what is known: one that ends without the call's outcome (a hop, no
   * response) has no later moment. Whether the span is kept before or after depends on who was registered first.
   */
  begin(request: object, attributes: Attributes): void;
  /** Puts on the request's span what it may have of the call's attributes, while it is open. */
  annotate(request: object, start: Attributes, end?: Attributes): void;
}

export function httpSpans(): HttpSpans {
  const spans = new WeakMap<object, Span>();
  const begun = new WeakMap<object, Attributes>();

  function annotate(request: object, start: Attributes, end?: Attributes): void {
    const span = spans.get(request);
    if (span?.isRecording()) span.setAttributes(pick(SHARED, start, end));
  }

  return {
    keep(request, span) {
      if (typeof request !== 'object' || request === null) return;
      spans.set(request, span);
      const attributes = begun.get(request);
      if (attributes !== undefined) annotate(request, attributes);
    },
    begin(request, attributes) {
      // Of a batch, the first message's.
      if (begun.has(request)) return;
      begun.set(request, attributes);
      annotate(request, attributes);
    },
    annotate,
  };
}
