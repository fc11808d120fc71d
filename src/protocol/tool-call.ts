import { isJsonObject } from './json.js';

/** The answer of {@link classifyToolCall}; its layers differ from `ErrorLayer` in that successes have one too. */
export type ToolCallClassification =
  | { readonly layer: 'transport'; readonly outcome: 'HTTP_ERROR'; readonly status: number }
  | {
      readonly layer: 'protocol';
      readonly outcome: 'MALFORMED_JSON' | 'INVALID_ENVELOPE' | 'INVALID_TOOL_RESULT';
    }
  | { readonly layer: 'protocol'; readonly outcome: 'JSONRPC_ERROR'; readonly code: number }
  | { readonly layer: 'interaction'; readonly outcome: 'INPUT_REQUIRED' }
  | { readonly layer: 'application'; readonly outcome: 'TOOL_ERROR' | 'TOOL_SUCCESS' };

/** One answered `tools/call`. */
export interface ToolCallResponse {
  readonly status: number;
  readonly body: string;
  /** The id that the request had. Default 1. */
  readonly expectedId?: string | number | undefined;
}

/**
 * The eight outcomes of https://vxi.me/ja/posts/mcp-client-http-jsonrpc-iserror/, by its exact rules. It knows one
 * `tools/call` with one JSON object as its answer; `classifyResponse` knows the other methods, batches, tasks, empty
 * bodies and errors without an id.
 *
 * @returns a classification, whatever the arguments are. Never throws.
 *
 * @example classifyToolCall({ status: 200, body: '{"jsonrpc":"2.0","id":1,"result":{"content":[],"isError":true}}' })
 * // { layer: 'application', outcome: 'TOOL_ERROR' }
 */
export function classifyToolCall(response: ToolCallResponse): ToolCallClassification {
  try {
    const { status, body, expectedId = 1 } = response;
    if (status < 200 || status >= 300) return { layer: 'transport', outcome: 'HTTP_ERROR', status };
    return classifyValue(JSON.parse(body), expectedId);
  } catch {
    return { layer: 'protocol', outcome: 'MALFORMED_JSON' };
  }
}

function classifyValue(response: unknown, expectedId: unknown): ToolCallClassification {
  if (!isJsonObject(response)) return INVALID_ENVELOPE();
  const isError = Object.hasOwn(response, 'error');
  if (
    response['jsonrpc'] !== '2.0' ||
    response['id'] !== expectedId ||
    isError === Object.hasOwn(response, 'result')
  ) {
    return INVALID_ENVELOPE();
  }
  return isError ? classifyError(response['error']) : classifyToolResult(response['result']);
}

function classifyError(error: unknown): ToolCallClassification {
  if (!isJsonObject(error)) return INVALID_ENVELOPE();
  const code = error['code'];
  if (typeof code !== 'number' || !Number.isInteger(code) || typeof error['message'] !== 'string') {
    return INVALID_ENVELOPE();
  }
  return { layer: 'protocol', outcome: 'JSONRPC_ERROR', code };
}

function classifyToolResult(result: unknown): ToolCallClassification {
  if (!isJsonObject(result)) return INVALID_TOOL_RESULT();
  // "Clients MUST treat an absent resultType as complete": https://modelcontextprotocol.io/specification/2026-07-28/basic#resulttype
  const resultType = Object.hasOwn(result, 'resultType') ? result['resultType'] : 'complete';
  if (resultType === 'input_required') return { layer: 'interaction', outcome: 'INPUT_REQUIRED' };
  if (resultType !== 'complete' || !Array.isArray(result['content'])) return INVALID_TOOL_RESULT();
  if (!Object.hasOwn(result, 'isError')) return { layer: 'application', outcome: 'TOOL_SUCCESS' };
  const isError = result['isError'];
  if (typeof isError !== 'boolean') return INVALID_TOOL_RESULT();
  return { layer: 'application', outcome: isError ? 'TOOL_ERROR' : 'TOOL_SUCCESS' };
}

const INVALID_ENVELOPE = (): ToolCallClassification => ({ layer: 'protocol', outcome: 'INVALID_ENVELOPE' });
const INVALID_TOOL_RESULT = (): ToolCallClassification => ({
  layer: 'protocol',
  outcome: 'INVALID_TOOL_RESULT',
});
