import { ownString } from './json.js';
import { hasMcpMeta } from './meta.js';

/** The first message on the stream of a `subscriptions/listen` (2026-07-28): from then on it only waits. */
export const SUBSCRIPTION_ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';

/**
 * What a client may send, in every revision from 2024-11-05 to 2026-07-28 and in the tasks extension.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema
 */
const METHODS: ReadonlySet<string> = new Set([
  'initialize',
  'ping',
  'completion/complete',
  'logging/setLevel',
  'prompts/get',
  'prompts/list',
  'resources/list',
  'resources/read',
  'resources/subscribe',
  'resources/templates/list',
  'resources/unsubscribe',
  'tools/call',
  'tools/list',
  'notifications/cancelled',
  'notifications/initialized',
  'notifications/progress',
  'notifications/roots/list_changed',
  // 2025-11-25
  'tasks/cancel',
  'tasks/get',
  'tasks/list',
  'tasks/result',
  'notifications/tasks/status',
  // 2026-07-28
  'server/discover',
  'subscriptions/listen',
  // The extension io.modelcontextprotocol/tasks, which also keeps tasks/get and tasks/cancel
  'tasks/update',
]);

const namesTask = (params: unknown): boolean => ownString(params, 'taskId') !== undefined;

/**
 * Methods whose name another protocol has too, and what only MCP's params have.
 * - `initialize`: the language server protocol has no `protocolVersion`; the agent client protocol's is a number.
 *   https://microsoft.github.io/language-server-protocol/specifications/lsp/3.17/specification/#initialize
 *   https://agentclientprotocol.com/protocol/initialization
 * - `tasks/*`: A2A's tasks are named by `id`. https://a2a-protocol.org/v0.3.0/specification/#73-tasksget
 * - `ping`: anybody's.
 */
const SHARED_METHODS: ReadonlyMap<string, (params: unknown) => boolean> = new Map([
  ['initialize', (params: unknown) => ownString(params, 'protocolVersion') !== undefined],
  ['tasks/cancel', namesTask],
  ['tasks/get', namesTask],
  ['tasks/list', (params: unknown) => hasMcpMeta(params) || ownString(params, 'cursor') !== undefined],
  ['ping', () => false],
]);

/** `true` for the name of a request or notification that an MCP client may send. */
export function isMcpMethod(method: string): boolean {
  return METHODS.has(method);
}

/**
 * `true` when a message is MCP's by its content alone, without help from URL or headers.
 *
 * @example identifiesMcp('tools/list', undefined) // true
 * @example identifiesMcp('initialize', { processId: 1, rootUri: null, capabilities: {} }) // false: a language server's
 */
export function identifiesMcp(method: string, params: unknown): boolean {
  const isMcpsOwn = SHARED_METHODS.get(method);
  return isMcpsOwn === undefined ? isMcpMethod(method) : isMcpsOwn(params);
}
