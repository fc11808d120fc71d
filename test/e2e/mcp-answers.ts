import { setTimeout as delay } from 'node:timers/promises';
import { JSON_HEADERS, result, rpcError, SSE_HEADERS, toolResult } from '../support/json-rpc.js';
import { type Answer, CUT, type ScriptedServer, scriptedServer } from '../support/scripted-server.js';

/** A little longer than the second that docs/queries.md looks for. */
const SLOW_MILLIS = 1_050;

/** What the server answers, by the tool or method that is called. */
const ANSWERS: Readonly<Record<string, (id: number) => Answer | typeof CUT>> = {
  works: (id) => ({ headers: JSON_HEADERS, body: [toolResult({}, id)] }),
  fails: (id) => ({ headers: JSON_HEADERS, body: [toolResult({ isError: true }, id)] }),
  'bad-params': (id) => ({ headers: JSON_HEADERS, body: [rpcError(-32602, 'no', id)] }),
  'no-method': (id) => ({ status: 404, headers: JSON_HEADERS, body: [rpcError(-32601, 'no', id)] }),
  outage: () => ({ status: 503, body: ['down'] }),
  // As an outage, for a test of its own.
  busy: () => ({ status: 503, body: ['busy'] }),
  page: () => ({ headers: { 'content-type': 'text/html' }, body: ['<html></html>'] }),
  ends: () => ({ headers: SSE_HEADERS, body: [': nothing\n\n'] }),
  reset: () => CUT,
  asks: (id) => ({
    headers: JSON_HEADERS,
    body: [result({ resultType: 'input_required', inputRequests: {} }, id)],
  }),
  shapeless: (id) => ({ headers: JSON_HEADERS, body: [result({ content: 'no array' }, id)] }),
  locked: () => ({ status: 401, headers: { 'www-authenticate': 'Bearer' }, body: [] }),
  'tools/list': (id) => ({ headers: JSON_HEADERS, body: [result({ tools: [] }, id)] }),
  waits: (id) => ({ headers: JSON_HEADERS, body: [delay(SLOW_MILLIS), toolResult({}, id)] }),
};

/** An MCP server on loopback with a tool for each way a call can end. */
export function answeringServer(): Promise<ScriptedServer> {
  return scriptedServer(({ body }) => {
    const { id, method, params } = JSON.parse(body) as {
      id: number;
      method: string;
      params: { name?: string };
    };
    return ANSWERS[params.name ?? method]?.(id) ?? { status: 500 };
  });
}
