import * as names from 'opentelemetry-instrumentation-mcp-http';

/** A row of the table: what the span of one call says. `null` stands for an attribute that isn't there. */
export function rowOf(span, { name, client }) {
  const get = (attribute) => span.attributes[attribute] ?? null;
  const { traceId, spanId } = span.spanContext();
  return {
    scenario: name,
    client,
    call: span.name,
    http: get(names.ATTR_MCP_HTTP_STATUS_CODES) ?? [],
    code: get(names.ATTR_RPC_RESPONSE_STATUS_CODE),
    resultType: get(names.ATTR_MCP_RESULT_TYPE),
    outcome: get(names.ATTR_MCP_OUTCOME),
    layer: get(names.ATTR_MCP_ERROR_LAYER),
    detail: detailOf(get),
    retryOrigin: get(names.ATTR_MCP_RETRY_ORIGIN),
    ms: Math.round(span.duration[0] * 1e3 + span.duration[1] / 1e6),
    traceId,
    spanId,
  };
}

/** What the outcome doesn't say by itself. */
function detailOf(get) {
  return (
    get(names.ATTR_MCP_NEGOTIATION) ??
    get(names.ATTR_MCP_ENVELOPE_DEFECT) ??
    get(names.ATTR_MCP_UNCLASSIFIED_REASON) ??
    (get(names.ATTR_MCP_OUTCOME) === 'NETWORK_ERROR' ? get(names.ATTR_ERROR_TYPE) : null)
  );
}
