import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { titled } from '../protocol/titled.js';
import { MCP_HEADERS } from '../support/json-rpc.js';
import { startTracing, type Tracing } from '../support/tracing.js';
import { rowOf, type SpanRow } from './expected-spans.js';
import { type RunningServer, startServer } from './server-process.js';
import { SERVERS } from './servers.js';

// HTTP status and JSON-RPC code together, as 2026-07-28 has them: requests that no SDK would send, to SDK v2's server.
// https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http

const REVISION = '2026-07-28';
const meta = {
  'io.modelcontextprotocol/protocolVersion': REVISION,
  'io.modelcontextprotocol/clientInfo': { name: 'by hand', version: '0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

interface Row {
  readonly rule: string;
  readonly method: string;
  readonly params: Record<string, unknown>;
  /** Beside those that go without saying; `null` leaves one out. */
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly span: Omit<SpanRow, 'name' | 'outcome' | 'layer'>;
}

const refused = (httpStatus: number, code: number) => ({
  httpStatus,
  code: String(code),
  errorType: String(httpStatus),
  failed: true,
});

const rows: Row[] = [
  {
    rule: 'a header that contradicts the body',
    method: 'tools/call',
    params: { name: 'echo', arguments: { message: 'hello' }, _meta: meta },
    headers: { 'mcp-name': 'another' },
    span: refused(400, -32020),
  },
  {
    rule: 'a header that is missing',
    method: 'tools/list',
    params: { _meta: meta },
    headers: { 'mcp-method': null },
    span: refused(400, -32020),
  },
  {
    rule: 'a capability that the client has not',
    method: 'tools/call',
    params: { name: 'ask', arguments: {}, _meta: meta },
    headers: { 'mcp-name': 'ask' },
    span: refused(400, -32021),
  },
  {
    rule: 'a revision that the server does not speak, which is negotiation and no error',
    method: 'tools/list',
    params: { _meta: { ...meta, 'io.modelcontextprotocol/protocolVersion': '2099-01-01' } },
    headers: { 'mcp-protocol-version': '2099-01-01' },
    span: { httpStatus: 400, code: '-32022', negotiation: 'version', failed: false },
  },
  {
    rule: 'a required field of _meta that is missing',
    method: 'tools/list',
    params: { _meta: { 'io.modelcontextprotocol/protocolVersion': REVISION } },
    span: refused(400, -32602),
  },
  {
    rule: 'a method that the server has not',
    method: 'tools/forget',
    params: { _meta: meta },
    span: refused(404, -32601),
  },
];

describe("SDK v2's createMcpHandler refuses", () => {
  let server: RunningServer;
  let tracing: Tracing;

  beforeAll(async () => {
    const row = SERVERS.find(({ name }) => name === 'both-eras');
    if (row === undefined) throw new Error('the server is missing from the table');
    server = await startServer(row.program);
    tracing = startTracing();
  });
  afterEach(() => tracing.reset());
  afterAll(async () => {
    await tracing?.stop();
    await server?.stop();
  });

  it.each(titled(rows))('%s', async (_, { method, params, headers, span }) => {
    const fields = { ...MCP_HEADERS, 'mcp-protocol-version': REVISION, 'mcp-method': method, ...headers };
    const response = await fetch(server.url, {
      method: 'POST',
      headers: Object.entries(fields).filter((field): field is [string, string] => field[1] !== null),
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    await response.text();
    const spans = await tracing.waitForSpans(1);
    const target = typeof params['name'] === 'string' ? ` ${params['name']}` : '';
    expect(spans.map(rowOf)).toEqual([
      { name: `${method}${target}`, outcome: 'HTTP_ERROR', layer: 'transport', ...span },
    ]);
  });
});
