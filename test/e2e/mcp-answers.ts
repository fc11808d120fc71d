import { JSON_HEADERS, result, rpcError, SSE_HEADERS, toolResult } from '../support/json-rpc.js';
import { type Answer, CUT, type ScriptedServer, scriptedServer } from '../support/scripted-server.js';

/** What the server answers, by the tool or method that is called. */
const ANSWERS: Readonly<Record<string, Answer | typeof CUT>> = {
  works: { headers: JSON_HEADERS, body: [toolResult()] },
  fails: { headers: JSON_HEADERS, body: [toolResult({ isError: true })] },
  'bad-params': { headers: JSON_HEADERS, body: [rpcError(-32602)] },
  'no-method': { status: 404, headers: JSON_HEADERS, body: [rpcError(-32601)] },
  outage: { status: 503, body: ['down'] },
  // As an outage, for a test of its own.
  busy: { status: 503, body: ['busy'] },
  page: { headers: { 'content-type': 'text/html' }, body: ['<html></html>'] },
  ends: { headers: SSE_HEADERS, body: [': nothing\n\n'] },
  reset: CUT,
  asks: { headers: JSON_HEADERS, body: [result({ resultType: 'input_required', inputRequests: {} })] },
  shapeless: { headers: JSON_HEADERS, body: [result({ content: 'no array' })] },
  'tools/list': { headers: JSON_HEADERS, body: [result({ tools: [] })] },
};

/** An MCP server on loopback with a tool for each way a call can end. */
export function answeringServer(): Promise<ScriptedServer> {
  return scriptedServer(({ body }) => {
    const { method, params } = JSON.parse(body) as { method: string; params: { name?: string } };
    return ANSWERS[params.name ?? method] ?? { status: 500 };
  });
}
