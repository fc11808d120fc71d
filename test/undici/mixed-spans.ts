import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import type { Redirects } from './callers.js';
import type { CallSpan } from './kinds.js';
import type { MixedCall } from './mixed-calls.js';

const NOTIFICATION = 'notifications/progress';

/** What must be said of each call, by its span's name and id; notifications have none. */
export function expectedSpans(calls: readonly MixedCall[], redirects: Redirects) {
  const byCall = new Map<string, CallSpan[]>();
  let size = 0;
  for (const { id, kind } of calls) {
    const spans = kind.spans(redirects);
    size += spans.length;
    const key = kind.kind === 'notification' ? NOTIFICATION : `tools/call ${kind.kind} ${id}`;
    byCall.set(key, [...(byCall.get(key) ?? []), ...spans]);
  }
  return { size, byCall };
}

/** What is said. */
export function bySpanKey(spans: readonly ReadableSpan[]): Map<string, CallSpan[]> {
  const byKey = new Map<string, CallSpan[]>();
  for (const span of spans) {
    const id = span.attributes['jsonrpc.request.id'];
    const key = id === undefined ? span.name : `${span.name} ${id}`;
    byKey.set(key, [...(byKey.get(key) ?? []), callSpanOf(span)]);
  }
  return byKey;
}

function callSpanOf({ attributes }: ReadableSpan): CallSpan {
  const span = {
    outcome: attributes['mcp.outcome'],
    layer: attributes['mcp.error.layer'],
    code: attributes['rpc.response.status_code'],
    defect: attributes['mcp.envelope.defect'],
    reason: attributes['mcp.unclassified.reason'],
    negotiation: attributes['mcp.negotiation'],
    streamEnd: attributes['mcp.stream.end'],
    retryAfter: attributes['http.response.header.retry-after'],
    statuses: attributes['mcp.http.status_codes'],
  };
  return JSON.parse(JSON.stringify(span));
}
