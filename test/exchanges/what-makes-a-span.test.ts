import { describe, expect, it } from 'vitest';
import {
  event,
  JSON_HEADERS,
  MCP_HEADERS,
  notification,
  request,
  rpcError,
  SSE_HEADERS,
  toolResult,
  toolsCall,
} from '../support/json-rpc.js';
import { observedExchanges } from '../support/observed-exchanges.js';

type Row = readonly [rule: string, body: string, headers: Readonly<Record<string, string>>, spans: number];

const PLAIN = JSON_HEADERS;
const LSP_PARAMS = { processId: 1, rootUri: null, capabilities: {} };
const MCP_PARAMS = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'c', version: '1' },
};

const rows: Row[] = [
  ['a method of MCP, without any header of MCP', toolsCall(), PLAIN, 1],
  [
    'a method of MCP with white space around and in it',
    ` {"method": "tools/list",\n"jsonrpc" :"2.0","id":1}`,
    PLAIN,
    1,
  ],
  ['a notification of MCP', notification('notifications/initialized'), PLAIN, 1],
  ["initialize with MCP's params", request('initialize', MCP_PARAMS), PLAIN, 1],
  ["a language server's initialize", request('initialize', LSP_PARAMS), PLAIN, 0],
  ["a language server's initialize under MCP's headers", request('initialize', LSP_PARAMS), MCP_HEADERS, 1],
  ['eth_call', request('eth_call', [{}, 'latest']), PLAIN, 0],
  ["ping, which is anybody's", request('ping'), PLAIN, 0],
  ["ping under MCP's accept", request('ping'), MCP_HEADERS, 1],
  ['a method that nobody knows', request('my/method'), PLAIN, 0],
  ["a method that nobody knows, under MCP's accept", request('my/method'), MCP_HEADERS, 1],
  ['… with a session id', request('my/method'), { ...PLAIN, 'Mcp-Session-Id': 's' }, 1],
  ['… with a method header', request('my/method'), { ...PLAIN, 'mcp-method': 'my/method' }, 1],
  ['… with a protocol version', request('my/method'), { ...PLAIN, 'MCP-PROTOCOL-VERSION': '2025-06-18' }, 1],
  ['… with an accept of JSON alone', request('my/method'), { ...PLAIN, accept: 'application/json' }, 0],
  ['an answer to the server', toolResult(), MCP_HEADERS, 0],
  ['an error to the server', rpcError(-1), MCP_HEADERS, 0],
  ['several answers to the server', `[${toolResult()},${toolResult({}, 2)}]`, MCP_HEADERS, 0],
  ['a request and an answer', `[${toolsCall()},${toolResult({}, 2)}]`, MCP_HEADERS, 1],
  ['an empty batch', '[]', MCP_HEADERS, 0],
  ['JSON-RPC 1.0', '{"jsonrpc":"1.0","id":1,"method":"tools/list"}', MCP_HEADERS, 0],
  ['JSON that is cut', toolsCall().slice(0, -1), MCP_HEADERS, 0],
  ['JSON that is not JSON-RPC', '{"model":"m","messages":[]}', MCP_HEADERS, 0],
  ['a text', 'jsonrpc', MCP_HEADERS, 0],
  ['a batch of 100 messages makes 100, one of 101 too', batch(101), MCP_HEADERS, 100],
];

function batch(count: number): string {
  return `[${Array.from({ length: count }, (_, id) => toolsCall('echo', id)).join(',')}]`;
}

describe('what makes a span', () => {
  const exchanges = observedExchanges({ undici: 'first' });

  it.each(rows)('%s', async (_, body, headers, spans) => {
    const view = await exchanges.make({ body, headers, answer: { status: 202 } });
    expect(view.status).toBe(202);
    await exchanges.tracing.waitForHttpSpans(1);
    expect(exchanges.tracing.startedSpans()).toBe(spans);
  });

  it.each(['GET', 'DELETE', 'PUT'])('a %s makes none', async (method) => {
    await exchanges.make({
      answer: { headers: SSE_HEADERS, body: [event(toolResult())] },
      init: { method, ...(method === 'PUT' ? { body: toolsCall() } : { body: null }) },
    });
    await exchanges.tracing.waitForHttpSpans(1);
    expect(exchanges.tracing.startedSpans()).toBe(0);
  });
});
