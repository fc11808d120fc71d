import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { closeAll, trackSockets } from './scripted-server.js';

export interface RawServer {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

/**
 * A TCP server for what an HTTP server refuses to send. `answer` runs once per connection, when the first
 * bytes of a request have come.
 */
export async function rawServer(answer: (socket: Socket) => void | Promise<void>): Promise<RawServer> {
  const server = createServer((socket) => {
    socket.once('data', () => {
      void Promise.resolve(answer(socket)).catch(() => socket.destroy());
    });
  });
  const destroySockets = trackSockets(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}/mcp`,
    close: () => closeAll({ close: (done) => server.close(done), closeAllConnections: destroySockets }),
  };
}

/** A port on which nobody listens: one that was free a moment ago. */
export async function refusedPort(): Promise<number> {
  const server = await rawServer(() => {});
  await server.close();
  return server.port;
}
