import { isJsonObject, own, ownString } from './json.js';
import type { Implementation } from './verdict.js';

const PREFIX = 'io.modelcontextprotocol/';

/** `_meta` keys that a 2026-07-28 request carries instead of what `initialize` once agreed on. */
const PROTOCOL_VERSION = `${PREFIX}protocolVersion`;
const CLIENT_INFO = `${PREFIX}clientInfo`;
const CLIENT_CAPABILITIES = `${PREFIX}clientCapabilities`;
/** The `_meta` key by which any 2026-07-28 result may name its server. */
const SERVER_INFO = `${PREFIX}serverInfo`;
const TASKS_EXTENSION = `${PREFIX}tasks`;

/** `true` when `_meta` has a key under MCP's own prefix: nobody else's params do. */
export function hasMcpMeta(params: unknown): boolean {
  const meta = own(params, '_meta');
  return isJsonObject(meta) && Object.keys(meta).some((key) => key.startsWith(PREFIX));
}

export function metaProtocolVersion(params: unknown): string | undefined {
  return ownString(own(params, '_meta'), PROTOCOL_VERSION);
}

export function metaClientInfo(params: unknown): Implementation | undefined {
  return implementationIn(own(own(params, '_meta'), CLIENT_INFO));
}

export function metaServerInfo(result: unknown): Implementation | undefined {
  return implementationIn(own(own(result, '_meta'), SERVER_INFO));
}

/**
 * `true` when the request's capabilities name the tasks extension: only then is `resultType: "task"` a valid answer.
 * @see https://modelcontextprotocol.io/seps/2663-tasks-extension
 */
export function metaNegotiatesTasks(params: unknown): boolean {
  const capabilities = own(own(params, '_meta'), CLIENT_CAPABILITIES);
  return isJsonObject(own(own(capabilities, 'extensions'), TASKS_EXTENSION));
}

/** @returns `undefined` without a name: a version alone names nobody. */
export function implementationIn(value: unknown): Implementation | undefined {
  const name = ownString(value, 'name');
  if (name === undefined) return undefined;
  const version = ownString(value, 'version');
  return version === undefined ? { name } : { name, version };
}
