import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { titled } from '../protocol/titled.js';
import { JSON_HEADERS, request, result } from '../support/json-rpc.js';

import { type ScriptedServer, scriptedServer } from '../support/scripted-server.js';
import { startTracing, type Tracing } from '../support/tracing.js';

interface EndpointRow {
  readonly rule: string;
  readonly endpoints?: (origin: string) => (string | RegExp)[];
  readonly ignoreEndpoints?: (origin: string) => (string | RegExp)[];
  readonly path: string;
  /** Of calls one after the other: a method only MCP has, and one that nobody knows. */
  readonly spans: { readonly known: number; readonly unknown: number };
}

const endpointRows: EndpointRow[] = [
  { rule: 'without endpoints, the body decides', path: '/mcp', spans: { known: 1, unknown: 0 } },
  {
    rule: 'a URL that is an endpoint makes any JSON-RPC an MCP call, whatever the query',
    endpoints: (origin) => [`${origin}/rpc`],
    path: '/rpc?key=1',
    spans: { known: 1, unknown: 1 },
  },
  {
    rule: 'another path is not that endpoint',
    endpoints: (origin) => [`${origin}/rpc`],
    path: '/rpc/more',
    spans: { known: 1, unknown: 0 },
  },
  {
    rule: 'a regular expression is an endpoint, again and again, also with the flags g and y',
    endpoints: () => [/\/rpc$/g, /^http:\/\/127.0.0.1:\d+\/other$/y],
    path: '/rpc',
    spans: { known: 1, unknown: 1 },
  },
  {
    rule: 'a regular expression is not tested on the query',
    endpoints: () => [/key=1/],
    path: '/rpc?key=1',
    spans: { known: 1, unknown: 0 },
  },
  {
    rule: 'what is ignored makes no span, whatever its body says',
    ignoreEndpoints: (origin) => [`${origin}/mcp`],
    path: '/mcp',
    spans: { known: 0, unknown: 0 },
  },
  {
    rule: 'ignoring wins over including',
    endpoints: (origin) => [`${origin}/mcp`],
    ignoreEndpoints: () => [/mcp/g],
    path: '/mcp',
    spans: { known: 0, unknown: 0 },
  },
];

describe('endpoints', () => {
  let server: ScriptedServer;
  let tracing: Tracing;
  beforeAll(async () => {
    server = await scriptedServer(() => ({ headers: JSON_HEADERS, body: [result({})] }));
    tracing = startTracing({ undici: 'first' });
  });
  afterAll(async () => {
    await tracing.stop();
    await server.close();
  });

  it.each(titled(endpointRows))('%s', async (_, { endpoints, ignoreEndpoints, path, spans }) => {
    tracing.mcp.setConfig({
      endpoints: endpoints?.(server.origin),
      ignoreEndpoints: ignoreEndpoints?.(server.origin),
    });
    for (const [method, expected] of [
      ['tools/list', spans.known],
      ['my/method', spans.unknown],
    ] as const) {
      tracing.reset();
      // Twice: a regular expression must not remember where it was.
      for (let i = 0; i < 2; i++) {
        const response = await fetch(server.origin + path, {
          method: 'POST',
          headers: JSON_HEADERS,
          body: request(method),
        });
        await response.text();
      }
      await tracing.waitForHttpSpans(2);
      expect(tracing.startedSpans()).toBe(2 * expected);
    }
  });
});
