import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as undici6 from 'undici6';
import * as undici7 from 'undici7';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { JSON_HEADERS, MCP_HEADERS, toolResult, toolsCall } from '../support/json-rpc.js';
import { type ScriptedServer, scriptedServer } from '../support/scripted-server.js';
import { startTracing, type Tracing } from '../support/tracing.js';
import type { Undici } from './senders.js';

const COPIES: [string, Undici][] = [
  ['6', undici6 as unknown as Undici],
  ['7', undici7 as unknown as Undici],
];

describe.each(COPIES)('undici %s', (_version, undici) => {
  let server: ScriptedServer;
  let tracing: Tracing;

  beforeEach(async () => {
    server = await scriptedServer(({ body }) => {
      const { id } = JSON.parse(body) as { id: number };
      return { headers: JSON_HEADERS, body: [toolResult({ isError: id % 2 === 1 }, id)] };
    });
    tracing = startTracing();
  });
  afterEach(async () => {
    await tracing.stop();
    await server.close();
  });

  const outcomes = async (count: number) =>
    Object.fromEntries(
      (await tracing.waitForSpans(count)).map(({ attributes }) => [
        attributes['jsonrpc.request.id'],
        attributes['mcp.outcome'],
      ]),
    );
  const expected = (ids: readonly number[]) =>
    Object.fromEntries(ids.map((id) => [String(id), id % 2 === 1 ? 'TOOL_ERROR' : 'TOOL_SUCCESS']));
  const ids = Array.from({ length: 20 }, (_, i) => i);

  it('pipelined on one connection, each call has its own outcome', async () => {
    const client = new undici.Client(server.origin, { pipelining: 10 });
    const post = async (id: number) => {
      const response = await client.request({
        method: 'POST',
        path: '/mcp',
        headers: MCP_HEADERS,
        body: toolsCall('echo', id),
      });
      await response.body.text();
    };
    await Promise.all(ids.map(post));
    await client.close();
    expect(server.connections).toBe(1);
    expect(await outcomes(20)).toEqual(expected(ids));
  });

  it('one after the other on a connection that is kept, too', async () => {
    const agent = new undici.Agent({ connections: 1 });
    for (const id of ids) {
      const init = { method: 'POST', headers: MCP_HEADERS, body: toolsCall('echo', id), dispatcher: agent };
      await (await undici.fetch(server.url, init)).text();
    }
    await agent.close();
    expect(server.connections).toBe(1);
    expect(await outcomes(20)).toEqual(expected(ids));
  });

  it('an answer of a MockAgent, which never was on the wire, is told as itself or not at all', async () => {
    const agent = new undici.MockAgent();
    agent.disableNetConnect();
    agent
      .get(server.origin)
      .intercept({ path: '/mcp', method: 'POST' })
      .reply(200, toolResult(), { headers: JSON_HEADERS });
    const init = { method: 'POST', headers: MCP_HEADERS, body: toolsCall(), dispatcher: agent };
    const response = await undici.fetch(server.url, init);
    expect(await response.text()).toBe(toolResult());
    await agent.close();
    expect(server.requests).toHaveLength(0);
    expect(tracing.startedSpans()).toBe(0);
  });

  it('a WebSocket is no MCP call', async () => {
    const upgrading = createServer().listen(0, '127.0.0.1');
    await once(upgrading, 'listening');
    upgrading.on('upgrade', (_request, socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    const { port } = upgrading.address() as AddressInfo;
    const socket = new undici.WebSocket(`ws://127.0.0.1:${port}/mcp`);
    await new Promise((closed) => {
      // undici 6 tells of a refused handshake by `error` alone.
      socket.addEventListener('error', closed);
      socket.addEventListener('close', closed);
    });
    upgrading.close();
    expect(tracing.startedSpans()).toBe(0);
  });
});
