/**
 * Names of attributes, events and metrics. Those of the OpenTelemetry MCP conventions (status: development, so not yet
 * exported by a stable package) are used as they are; the rest extends them.
 * @see https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/gen-ai/mcp.md
 * @see docs/telemetry.md
 */

/** JSON-RPC method. Always. */
export const ATTR_MCP_METHOD_NAME = 'mcp.method.name';
/** `execute_tool`, on `tools/call`. */
export const ATTR_GEN_AI_OPERATION_NAME = 'gen_ai.operation.name';
/** The tool that is called. */
export const ATTR_GEN_AI_TOOL_NAME = 'gen_ai.tool.name';
/** The prompt that is got or completed. */
export const ATTR_GEN_AI_PROMPT_NAME = 'gen_ai.prompt.name';
/** Opt-in (`captureContent`): a tool call's arguments, as JSON. */
export const ATTR_GEN_AI_TOOL_CALL_ARGUMENTS = 'gen_ai.tool.call.arguments';
/** Opt-in (`captureContent`): a tool call's result, as JSON. */
export const ATTR_GEN_AI_TOOL_CALL_RESULT = 'gen_ai.tool.call.result';
/** Opt-in (`captureContent`): the resource that is read or subscribed to. */
export const ATTR_MCP_RESOURCE_URI = 'mcp.resource.uri';
/** The request's id as a string; not on notifications. */
export const ATTR_JSONRPC_REQUEST_ID = 'jsonrpc.request.id';
/** The JSON-RPC error's code as a string, whenever the response carries one. */
export const ATTR_RPC_RESPONSE_STATUS_CODE = 'rpc.response.status_code';
/** Exactly when the span's status is ERROR. */
export const ATTR_ERROR_TYPE = 'error.type';
/** The revision of MCP in use, when known. */
export const ATTR_MCP_PROTOCOL_VERSION = 'mcp.protocol.version';
/** By default a truncated SHA-256 of the session id. */
export const ATTR_MCP_SESSION_ID = 'mcp.session.id';
/** `tcp`. */
export const ATTR_NETWORK_TRANSPORT = 'network.transport';
/** `http`. */
export const ATTR_NETWORK_PROTOCOL_NAME = 'network.protocol.name';
/** `1.1` or `2`, when the wire tells. */
export const ATTR_NETWORK_PROTOCOL_VERSION = 'network.protocol.version';
/** The host of the request's URL. */
export const ATTR_SERVER_ADDRESS = 'server.address';
/** The port of the request's URL. */
export const ATTR_SERVER_PORT = 'server.port';
/** The last HTTP status. */
export const ATTR_HTTP_RESPONSE_STATUS_CODE = 'http.response.status_code';
/** `Retry-After` as received, when the response had one. */
export const ATTR_HTTP_RESPONSE_HEADER_RETRY_AFTER = 'http.response.header.retry-after';
/** On the event `mcp.http.response`: the response's media type as received. */
export const ATTR_HTTP_RESPONSE_HEADER_CONTENT_TYPE = 'http.response.header.content-type';

/** How the call ended: one of `OUTCOMES`. Always. */
export const ATTR_MCP_OUTCOME = 'mcp.outcome';
/** The layer that failed: one of `ERROR_LAYERS`, with the error outcomes. */
export const ATTR_MCP_ERROR_LAYER = 'mcp.error.layer';
/** A result's effective `resultType`: `complete` when absent. */
export const ATTR_MCP_RESULT_TYPE = 'mcp.result.type';
/** One of `ENVELOPE_DEFECTS`, with `INVALID_ENVELOPE`. */
export const ATTR_MCP_ENVELOPE_DEFECT = 'mcp.envelope.defect';
/** One of `UNCLASSIFIED_REASONS`, with `UNCLASSIFIED`. */
export const ATTR_MCP_UNCLASSIFIED_REASON = 'mcp.unclassified.reason';
/** One of `NEGOTIATIONS`: the failure is a protocol's normal first move. */
export const ATTR_MCP_NEGOTIATION = 'mcp.negotiation';
/** One of `RETRY_ORIGINS`; on every request, on no notification. */
export const ATTR_MCP_RETRY_ORIGIN = 'mcp.retry.origin';
/** Why it was sent again: what had become of it before. */
export const ATTR_MCP_RETRY_REASON = 'mcp.retry.reason';
/** 1 for the first, which isn't told; resends inside one fetch or request count. */
export const ATTR_MCP_RETRY_ATTEMPT = 'mcp.retry.attempt';
/** `true` when the wire only suggests the origin. */
export const ATTR_MCP_RETRY_INFERRED = 'mcp.retry.inferred';
/** On the event `mcp.retry`: seconds since the earlier attempt ended. */
export const ATTR_MCP_RETRY_DELAY = 'mcp.retry.delay';
/** Of a dialogue that asks for input: 1 for the exchange that asked first. */
export const ATTR_MCP_MRTR_ROUND = 'mcp.mrtr.round';
/** POSTs made for this request so far, redirect hops included. */
export const ATTR_MCP_HTTP_POST_COUNT = 'mcp.http.post_count';
/** Their statuses, in order. */
export const ATTR_MCP_HTTP_STATUS_CODES = 'mcp.http.status_codes';
/** `true` when the body wasn't what `Content-Type` said. */
export const ATTR_MCP_HTTP_CONTENT_TYPE_MISMATCH = 'mcp.http.content_type_mismatch';
/** Events with non-empty data until the end, when the response was an event stream. */
export const ATTR_MCP_STREAM_EVENTS = 'mcp.stream.events';
/** `response`, `closed`, `cut` or `aborted`, when the response was an event stream. */
export const ATTR_MCP_STREAM_END = 'mcp.stream.end';
/** How often a GET resumed the response's stream, when it did. */
export const ATTR_MCP_STREAM_RESUMPTIONS = 'mcp.stream.resumptions';
export const ATTR_MCP_CLIENT_NAME = 'mcp.client.name';
export const ATTR_MCP_CLIENT_VERSION = 'mcp.client.version';
export const ATTR_MCP_SERVER_NAME = 'mcp.server.name';
export const ATTR_MCP_SERVER_VERSION = 'mcp.server.version';
/** On links: `retry_of`, `redirect_of`, `mrtr_round_of`, `batch`. */
export const ATTR_MCP_LINK_TYPE = 'mcp.link.type';

/** One per HTTP response of the call. */
export const EVENT_MCP_HTTP_RESPONSE = 'mcp.http.response';
/** Once, when the span ends. */
export const EVENT_MCP_CLASSIFIED = 'mcp.classified';
/** The request was sent again. */
export const EVENT_MCP_RETRY = 'mcp.retry';
/**
 * On a repeat: it follows a failure after which nobody knows whether the server acted, and the tool isn't known to be
 * read-only or idempotent.
 */
export const EVENT_MCP_UNSAFE_REPEAT = 'mcp.unsafe_repeat';
/** The result asks for input: how many requests, of which kinds. */
export const EVENT_MCP_INPUT_REQUIRED = 'mcp.input_required';
export const ATTR_MCP_INPUT_REQUESTS = 'mcp.input.requests';
export const ATTR_MCP_INPUT_METHODS = 'mcp.input.methods';
/** The stream was cut before the response. With `mcp.stream.events`, the events until then. */
export const EVENT_MCP_STREAM_CUT = 'mcp.stream.cut';

/** A GET has resumed the stream. */
export const EVENT_MCP_STREAM_RESUMED = 'mcp.stream.resumed';

/** Histogram of the calls' durations, in seconds. */
export const METRIC_MCP_CLIENT_OPERATION_DURATION = 'mcp.client.operation.duration';
