import type { EndpointMatcher } from './endpoints.js';
import type { HeaderFields } from './listener.js';

/** Which requests are MCP by configuration. */
export interface Endpoints {
  readonly included: EndpointMatcher | undefined;
  readonly ignored: EndpointMatcher | undefined;
}

export function isIgnored(url: URL, endpoints: Endpoints): boolean {
  return endpoints.ignored?.(url) === true;
}

/** `true` when the URL or the headers alone say that a POST is MCP. */
export function isKnownAsMcp(url: URL, headers: HeaderFields | undefined, endpoints: Endpoints): boolean {
  return endpoints.included?.(url) === true || (headers !== undefined && hasMcpHeaders(headers));
}

/**
 * MCP's marks on a POST. A Streamable HTTP client MUST accept both forms of an answer; the other three fields belong
 * to MCP alone. (`mcp-protocol-version` is on OAuth discovery too, but those are GETs.)
 * @see https://modelcontextprotocol.io/specification/2025-06-18/basic/transports#sending-messages-to-the-server
 */
function hasMcpHeaders(headers: HeaderFields): boolean {
  const accept = headers.get('accept')?.toLowerCase();
  if (accept?.includes('application/json') && accept.includes('text/event-stream')) return true;
  return (
    headers.get('mcp-session-id') !== undefined ||
    headers.get('mcp-method') !== undefined ||
    headers.get('mcp-protocol-version') !== undefined
  );
}

const VERSION_KEY = '"jsonrpc"';
const FIRST_KEY = /^\s*(?:\[\s*)?\{\s*"(?:jsonrpc|id|method|params|result|error)"/;

/**
 * `true` when a body may be JSON-RPC. Its first key decides for nearly every other JSON POST, without reading on:
 * JSON-RPC objects have no other keys than these (https://www.jsonrpc.org/specification#request_object).
 */
export function mayBeJsonRpc(body: string | Uint8Array): boolean {
  if (typeof body === 'string') return FIRST_KEY.test(body) && body.includes(VERSION_KEY);
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
  return FIRST_KEY.test(bytes.toString('utf8', 0, 64)) && bytes.includes(VERSION_KEY);
}
