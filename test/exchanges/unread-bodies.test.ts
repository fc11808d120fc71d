import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { titled } from '../protocol/titled.js';
import { JSON_HEADERS, MCP_HEADERS, toolsCall } from '../support/json-rpc.js';
import { type ScriptedServer, scriptedServer } from '../support/scripted-server.js';
import { within } from '../support/signal.js';
import { startTracing, type Tracing } from '../support/tracing.js';

const init = () => ({ method: 'POST', headers: MCP_HEADERS, body: toolsCall() });

let tracing: Tracing | undefined;
const sides = [
  { rule: 'without the instrumentation', start: () => {} },
  {
    rule: 'with it',
    start: () => {
      tracing = startTracing();
    },
  },
];

afterEach(async () => {
  await tracing?.stop();
  tracing = undefined;
});

const MIB = 1024 * 1024;

describe('a large body that nobody reads', () => {
  const SIZE = 64 * MIB;
  let server: ScriptedServer;
  const sockets: Socket[] = [];
  const connected = (message: unknown) => sockets.push((message as { socket: Socket }).socket);

  // A server for each side: a kept-alive connection of the other side has bytes of its own.
  beforeEach(async () => {
    sockets.length = 0;
    const block = Buffer.alloc(64 * 1024, ' ');
    server = await scriptedServer(({ method }) => ({
      headers: JSON_HEADERS,
      body: method === 'GET' ? ['{}'] : Array.from({ length: SIZE / block.length }, () => block),
    }));
    subscribe('undici:client:connected', connected);
  });
  afterEach(async () => {
    unsubscribe('undici:client:connected', connected);
    await server.close();
  });

  it.each(titled(sides))(
    'stays with the server, and cancelling it closes the connection, %s',
    async (_, { start }) => {
      start();
      const response = await fetch(server.url, init());
      const [socket] = sockets;
      if (socket === undefined) throw new Error('no new connection was made');
      const request = await server.request(0);

      // Other exchanges on other connections are the clock: the body stands still when many go by without a byte of it.
      for (let standing = 0, before = -1; standing < 30; standing++) {
        await (await fetch(server.url)).text();
        if (socket.bytesRead + request.sentBytes() !== before) standing = 0;
        before = socket.bytesRead + request.sentBytes();
      }
      expect(socket.bytesRead).toBeLessThan(MIB);
      expect(request.sentBytes()).toBeLessThan(SIZE / 2);

      await response.body?.cancel();
      expect(await within(5_000, 'the end of the connection', request.closed)).toBe('left');
    },
  );
});
