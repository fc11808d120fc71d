/** JSON-RPC messages as text, and the header fields that MCP clients send with them. */

export const MCP_HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
} as const;

export const JSON_HEADERS = { 'content-type': 'application/json' } as const;
export const SSE_HEADERS = { 'content-type': 'text/event-stream' } as const;

type Id = number | string | null;

export function request(method: string, params?: unknown, id: Id = 1): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) });
}

export function toolsCall(name = 'echo', id: Id = 1, params: object = {}): string {
  return request('tools/call', { name, arguments: { text: 'hello' }, ...params }, id);
}

export function notification(method: string, params?: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', method, ...(params === undefined ? {} : { params }) });
}

export function result(value: unknown, id: Id = 1): string {
  return JSON.stringify({ jsonrpc: '2.0', id, result: value });
}

export function toolResult(fields: object = {}, id: Id = 1): string {
  return result({ content: [{ type: 'text', text: 'ok' }], ...fields }, id);
}

export function rpcError(code: unknown, message: unknown = 'no', id: Id = 1): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } });
}

/** One Server-Sent Event with this data. */
export function event(data: string, fields = 'event: message\n'): string {
  return `${fields}${data
    .split('\n')
    .map((line) => `data: ${line}\n`)
    .join('')}\n`;
}
