import { describe, expect, it } from 'vitest';
import { type Application, readToTheEnd } from '../support/application-view.js';
import {
  event,
  JSON_HEADERS,
  MCP_HEADERS,
  notification,
  request,
  result,
  SSE_HEADERS,
  toolResult,
  toolsCall,
} from '../support/json-rpc.js';
import { observedExchanges } from '../support/observed-exchanges.js';

const SESSION = { ...MCP_HEADERS, 'mcp-session-id': 's-1' };

const initialize = (client: object = { name: 'agent', version: '1.2' }, protocolVersion = '2025-06-18') =>
  request('initialize', { protocolVersion, capabilities: {}, clientInfo: client }, 0);

const initialized = (headers: object = {}, server: object = { name: 'weather', version: '3' }) => ({
  headers: { ...JSON_HEADERS, ...headers },
  body: [result({ protocolVersion: '2025-06-18', capabilities: {}, serverInfo: server }, 0)],
});

const BOTH = {
  'mcp.client.name': 'agent',
  'mcp.client.version': '1.2',
  'mcp.server.name': 'weather',
  'mcp.server.version': '3',
  'mcp.protocol.version': '2025-06-18',
};
const NAMES = Object.keys(BOTH);

describe('the names of client and server', () => {
  const exchanges = observedExchanges();
  const answer = { headers: JSON_HEADERS, body: [toolResult()] };

  /** What a span tells of both, after what was sent before it. */
  async function peersOf(exchange: Parameters<typeof exchanges.make>[0], before = 0) {
    await exchanges.make(exchange);
    const spans = await exchanges.tracing.waitForSpans(before + 1);
    const attributes = spans.at(-1)?.attributes ?? {};
    return Object.fromEntries(
      NAMES.filter((name) => attributes[name] !== undefined).map((name) => [name, attributes[name]]),
    );
  }

  it('initialize tells both, and the calls of its session know them', async () => {
    expect(await peersOf({ body: initialize(), answer: initialized({ 'mcp-session-id': 's-1' }) })).toEqual(
      BOTH,
    );
    expect(await peersOf({ headers: SESSION, answer }, 1)).toEqual(BOTH);
    expect(
      await peersOf(
        { headers: SESSION, body: notification('notifications/initialized'), answer: { status: 202 } },
        2,
      ),
    ).toEqual(BOTH);
  });

  it('another session does not know them', async () => {
    await exchanges.make({ body: initialize(), answer: initialized({ 'mcp-session-id': 's-1' }) });
    const other = { ...MCP_HEADERS, 'mcp-session-id': 's-2' };
    expect(await peersOf({ headers: other, answer }, 1)).toEqual({});
  });

  it('another endpoint does not know them', async () => {
    await exchanges.make({ body: initialize(), answer: initialized({ 'mcp-session-id': 's-1' }) });
    const application: Application = (url, init, exchange) => readToTheEnd(`${url}/other`, init, exchange);
    expect(await peersOf({ headers: SESSION, answer, application }, 1)).toEqual({});
  });

  it('without sessions, calls to the endpoint know what initialize there told', async () => {
    await exchanges.make({ body: initialize(), answer: initialized() });
    expect(await peersOf({ answer }, 1)).toEqual(BOTH);
  });

  it('without sessions, what two clients differ in is unknown', async () => {
    await exchanges.make({ body: initialize(), answer: initialized() });
    await exchanges.make({ body: initialize({ name: 'other' }), answer: initialized() });
    expect(await peersOf({ answer }, 2)).toEqual({
      'mcp.server.name': 'weather',
      'mcp.server.version': '3',
      'mcp.protocol.version': '2025-06-18',
    });
  });

  it('an initialize that fails names the client on its own span only', async () => {
    const failed = { status: 500, headers: { 'mcp-session-id': 's-3' } };
    expect(await peersOf({ body: initialize(), answer: failed })).toEqual({
      'mcp.client.name': 'agent',
      'mcp.client.version': '1.2',
      'mcp.protocol.version': '2025-06-18',
    });
    const headers = { ...MCP_HEADERS, 'mcp-session-id': 's-3' };
    expect(await peersOf({ headers, answer }, 1)).toEqual({});
  });

  it('initialize over a stream tells both', async () => {
    const body = initialized().body.map((message) => event(message));
    expect(await peersOf({ body: initialize(), answer: { headers: SSE_HEADERS, body } })).toEqual(BOTH);
  });

  it('the revision agreed on wins over the one asked for', async () => {
    const peers = await peersOf({
      body: initialize({ name: 'agent', version: '1.2' }, '2025-11-25'),
      answer: initialized({ 'mcp-session-id': 's-4' }),
    });
    expect(peers).toEqual(BOTH);
  });

  it('2026-07-28 has them in the _meta of each request and result', async () => {
    const params = {
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'agent', version: '2' },
      },
    };
    const serverInfo = { 'io.modelcontextprotocol/serverInfo': { name: 'weather', version: '4' } };
    expect(
      await peersOf({
        body: toolsCall('echo', 1, params),
        headers: { ...MCP_HEADERS, 'mcp-protocol-version': '2026-07-28' },
        answer: { headers: JSON_HEADERS, body: [toolResult({ _meta: serverInfo })] },
      }),
    ).toEqual({
      'mcp.client.name': 'agent',
      'mcp.client.version': '2',
      'mcp.server.name': 'weather',
      'mcp.server.version': '4',
      'mcp.protocol.version': '2026-07-28',
    });
  });

  it('the revision in the header is told where the body has none', async () => {
    const headers = { ...MCP_HEADERS, 'mcp-session-id': 's-5', 'mcp-protocol-version': '2025-06-18' };
    expect(await peersOf({ headers, answer })).toEqual({ 'mcp.protocol.version': '2025-06-18' });
  });

  it('a name as long as a body is cut at 256 characters', async () => {
    const long = 'x'.repeat(1_000);
    const peers = await peersOf({
      body: initialize({ name: long, version: long }),
      answer: initialized({ 'mcp-session-id': 's-6' }, { name: long, version: long }),
    });
    for (const name of NAMES.slice(0, 4)) expect(peers[name]).toBe('x'.repeat(256));
  });
});
