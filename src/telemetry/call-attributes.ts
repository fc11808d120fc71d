import type { Attributes } from '@opentelemetry/api';
import type { Call } from '../calls/call.js';
import * as names from './attributes.js';
import type { Failure } from './failure.js';

// What a peer or an application names may be of any length; a name longer than this tells nobody more, and neither does
// a header field.
const MAX_NAME_LENGTH = 256;

/** What is known when the call begins: samplers see these. */
export function startAttributes({ message, target, url, retryOrigin }: Call): Attributes {
  const attributes: Attributes = {
    [names.ATTR_MCP_METHOD_NAME]: name(message.method),
    [names.ATTR_NETWORK_TRANSPORT]: 'tcp',
    [names.ATTR_NETWORK_PROTOCOL_NAME]: 'http',
    [names.ATTR_SERVER_ADDRESS]: url.hostname,
    [names.ATTR_SERVER_PORT]: portOf(url),
  };
  if (message.method === 'tools/call') attributes[names.ATTR_GEN_AI_OPERATION_NAME] = 'execute_tool';
  if (target.toolName !== undefined) attributes[names.ATTR_GEN_AI_TOOL_NAME] = name(target.toolName);
  if (target.promptName !== undefined) attributes[names.ATTR_GEN_AI_PROMPT_NAME] = name(target.promptName);
  if (message.kind === 'request' && message.id !== null) {
    attributes[names.ATTR_JSONRPC_REQUEST_ID] = name(String(message.id));
  }
  if (retryOrigin !== undefined) attributes[names.ATTR_MCP_RETRY_ORIGIN] = retryOrigin;
  return attributes;
}

/** What is known when the call has ended. */
export function endAttributes(
  call: Call,
  failure: Failure | undefined,
  sessionId: string | undefined,
): Attributes {
  const { verdict, body, statuses } = call;
  const attributes: Attributes = { [names.ATTR_MCP_OUTCOME]: verdict?.outcome ?? 'UNCLASSIFIED' };
  // One line for each: a function that put them all would make every store the slowest kind that V8 has.
  if (verdict?.layer !== undefined) attributes[names.ATTR_MCP_ERROR_LAYER] = verdict.layer;
  if (failure !== undefined) attributes[names.ATTR_ERROR_TYPE] = failure.errorType;
  if (verdict?.code !== undefined) attributes[names.ATTR_RPC_RESPONSE_STATUS_CODE] = String(verdict.code);
  if (verdict?.resultType !== undefined) attributes[names.ATTR_MCP_RESULT_TYPE] = name(verdict.resultType);
  if (verdict?.defect !== undefined) attributes[names.ATTR_MCP_ENVELOPE_DEFECT] = verdict.defect;
  if (verdict?.reason !== undefined) attributes[names.ATTR_MCP_UNCLASSIFIED_REASON] = verdict.reason;
  if (call.negotiation !== undefined) attributes[names.ATTR_MCP_NEGOTIATION] = call.negotiation;
  if (call.protocolVersion !== undefined)
    attributes[names.ATTR_MCP_PROTOCOL_VERSION] = name(call.protocolVersion);
  if (sessionId !== undefined) attributes[names.ATTR_MCP_SESSION_ID] = sessionId;
  if (call.httpVersion !== undefined) attributes[names.ATTR_NETWORK_PROTOCOL_VERSION] = call.httpVersion;
  if (call.clientName !== undefined) attributes[names.ATTR_MCP_CLIENT_NAME] = name(call.clientName);
  if (call.clientVersion !== undefined) attributes[names.ATTR_MCP_CLIENT_VERSION] = name(call.clientVersion);
  if (call.serverName !== undefined) attributes[names.ATTR_MCP_SERVER_NAME] = name(call.serverName);
  if (call.serverVersion !== undefined) attributes[names.ATTR_MCP_SERVER_VERSION] = name(call.serverVersion);
  if (call.retryOrigin !== undefined) attributes[names.ATTR_MCP_RETRY_ORIGIN] = call.retryOrigin;
  if (call.retryReason !== undefined) attributes[names.ATTR_MCP_RETRY_REASON] = call.retryReason;
  if (call.attempt !== 1) attributes[names.ATTR_MCP_RETRY_ATTEMPT] = call.attempt;
  if (call.retryInferred) attributes[names.ATTR_MCP_RETRY_INFERRED] = true;
  if (call.mrtrRound !== undefined) attributes[names.ATTR_MCP_MRTR_ROUND] = call.mrtrRound;
  attributes[names.ATTR_MCP_HTTP_POST_COUNT] = call.postCount;
  if (statuses.length > 0) {
    attributes[names.ATTR_HTTP_RESPONSE_STATUS_CODE] = statuses.at(-1);
    attributes[names.ATTR_MCP_HTTP_STATUS_CODES] = statuses;
  }
  if (call.retryAfter !== undefined) {
    attributes[names.ATTR_HTTP_RESPONSE_HEADER_RETRY_AFTER] = [name(call.retryAfter)];
  }
  if (body?.contentTypeMismatch) attributes[names.ATTR_MCP_HTTP_CONTENT_TYPE_MISMATCH] = true;
  if (call.streamEnd !== undefined) {
    attributes[names.ATTR_MCP_STREAM_END] = call.streamEnd;
    // A stream that isn't the call's own carries other calls' events too: they aren't counted.
    if (body?.form === 'event-stream') attributes[names.ATTR_MCP_STREAM_EVENTS] = body.events;
  }
  if (call.resumptions > 0) attributes[names.ATTR_MCP_STREAM_RESUMPTIONS] = call.resumptions;
  return attributes;
}

/** Contents, for who asked for them. */
export function contentAttributes({ message, target, result }: Call): Attributes {
  const attributes: Attributes = {};
  if (target.resourceUri !== undefined) attributes[names.ATTR_MCP_RESOURCE_URI] = target.resourceUri;
  if (message.method !== 'tools/call') return attributes;
  const args = (message.params as { arguments?: unknown } | undefined)?.arguments;
  const argsJson = jsonOf(args);
  const resultJson = jsonOf(result);
  if (argsJson !== undefined) attributes[names.ATTR_GEN_AI_TOOL_CALL_ARGUMENTS] = argsJson;
  if (resultJson !== undefined) attributes[names.ATTR_GEN_AI_TOOL_CALL_RESULT] = resultJson;
  return attributes;
}

/** `undefined` for what `JSON.parse` takes and `JSON.stringify` doesn't: it recurses, and deep nesting ends its stack. */
function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/** The conventions' span name: method and target. */
export function spanName({ message, target }: Call): string {
  const targetName = target.toolName ?? target.promptName;
  return name(targetName === undefined ? message.method : `${message.method} ${targetName}`);
}

/** Those of these names that are there; where both have one, `end` has the last word. */
export function pick(keys: readonly string[], start: Attributes, end?: Attributes): Attributes {
  const picked: Attributes = {};
  for (const key of keys) {
    const value = end?.[key] ?? start[key];
    if (value !== undefined) picked[key] = value;
  }
  return picked;
}

export function name(text: string): string;
export function name(text: string | undefined): string | undefined;
export function name(text: string | undefined): string | undefined {
  return text !== undefined && text.length > MAX_NAME_LENGTH ? text.slice(0, MAX_NAME_LENGTH) : text;
}

function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port);
  return url.protocol === 'https:' ? 443 : 80;
}
