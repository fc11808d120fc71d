import { isJsonObject, type JsonObject, own, ownString } from './json.js';
import { implementationIn, metaNegotiatesTasks, metaServerInfo } from './meta.js';
import type { MethodCall } from './request-params.js';
import { type InputRequests, type Verdict, verdictOf } from './verdict.js';

const MAX_INPUT_METHODS = 16;

/**
 * What the `result` of a well-formed response says.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic#resulttype
 */
export function classifyResult(result: unknown, request: MethodCall): Verdict {
  const isToolCall = request.method === 'tools/call';
  const invalid = isToolCall ? 'INVALID_TOOL_RESULT' : 'INVALID_RESULT';
  if (!isJsonObject(result)) return verdictOf(invalid);

  // Servers before 2026-07-28 don't send it: "clients MUST treat an absent resultType as complete".
  const resultType = Object.hasOwn(result, 'resultType') ? own(result, 'resultType') : 'complete';
  if (typeof resultType !== 'string') return verdictOf(invalid);
  const details = { resultType, ...serverDetails(result, request.method) };

  if (resultType === 'input_required') {
    return verdictOf('INPUT_REQUIRED', { ...details, inputRequests: inputRequestsIn(result) });
  }
  if (isCreatedTask(result, resultType, request.params)) return verdictOf('TASK_CREATED', details);
  if (resultType !== 'complete') return verdictOf(invalid, details);
  if (!isToolCall)
    return verdictOf(isFailedToolTask(result, request.method) ? 'TOOL_ERROR' : 'SUCCESS', details);
  return verdictOf(toolOutcome(result), details);
}

function toolOutcome(result: JsonObject): 'TOOL_SUCCESS' | 'TOOL_ERROR' | 'INVALID_TOOL_RESULT' {
  if (!Array.isArray(own(result, 'content'))) return 'INVALID_TOOL_RESULT';
  if (!Object.hasOwn(result, 'isError')) return 'TOOL_SUCCESS';
  const isError = own(result, 'isError');
  if (typeof isError !== 'boolean') return 'INVALID_TOOL_RESULT';
  return isError ? 'TOOL_ERROR' : 'TOOL_SUCCESS';
}

/**
 * A tool that ran as a task reports its failure where the task's result is fetched: 2025-11-25 with `tasks/result`,
 * whose result is the tool's own, the extension of 2026-07-28 with `tasks/get`, which holds it.
 * @see https://modelcontextprotocol.github.io/ext-tasks/specification/2026-07-28/tasks.html
 */
function isFailedToolTask(result: JsonObject, method: string): boolean {
  if (method === 'tasks/result') return own(result, 'isError') === true;
  return method === 'tasks/get' && own(own(result, 'result'), 'isError') === true;
}

/**
 * Two generations: 2025-11-25 answers a request that asked for a task with `{ task: { taskId, … } }`; the extension
 * of 2026-07-28 lets the server decide, and marks the result.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks
 */
function isCreatedTask(result: JsonObject, resultType: string, params: unknown): boolean {
  if (resultType === 'task') return metaNegotiatesTasks(params);
  return (
    resultType === 'complete' &&
    isJsonObject(own(params, 'task')) &&
    ownString(own(result, 'task'), 'taskId') !== undefined
  );
}

function serverDetails(result: JsonObject, method: string): Pick<Verdict, 'server' | 'protocolVersion'> {
  const introduces = method === 'initialize' || method === 'server/discover';
  const server =
    (introduces ? implementationIn(own(result, 'serverInfo')) : undefined) ?? metaServerInfo(result);
  const protocolVersion = method === 'initialize' ? ownString(result, 'protocolVersion') : undefined;
  return {
    ...(server !== undefined && { server }),
    ...(protocolVersion !== undefined && { protocolVersion }),
  };
}

function inputRequestsIn(result: JsonObject): InputRequests {
  const requests = own(result, 'inputRequests');
  if (!isJsonObject(requests)) return { count: 0, methods: [] };
  const entries = Object.values(requests);
  const methods = new Set<string>();
  for (const entry of entries) {
    if (methods.size === MAX_INPUT_METHODS) break;
    const method = ownString(entry, 'method');
    if (method !== undefined) methods.add(method);
  }
  return { count: entries.length, methods: [...methods] };
}
