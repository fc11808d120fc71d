import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import {
  constants,
  createServer as createH2cServer,
  createSecureServer,
  type Http2ServerResponse,
} from 'node:http2';
import type { AddressInfo, Server, Socket } from 'node:net';
import type { Certificate } from './self-signed.js';
import { signal, within } from './signal.js';

/** Destroys the connection at this point; over HTTP/2, the stream. */
export const CUT = Symbol('cut');
/** Over HTTP/2 only: resets the stream as a server does that has failed, with INTERNAL_ERROR. */
export const RESET = Symbol('reset');
/** Sends nothing more and leaves the connection open until the client or the test goes away. */
export const STAY_OPEN = Symbol('stay open');

/** One step of a body: bytes to write, something to wait for, or a way to stop. After the last step the body ends. */
export type Step = string | Uint8Array | Promise<unknown> | typeof CUT | typeof RESET | typeof STAY_OPEN;

export interface Answer {
  readonly status?: number | undefined;
  readonly headers?: Readonly<Record<string, string | string[]>> | undefined;
  /** An iterable, so that a large or endless body is made as it is sent. */
  readonly body?: Iterable<Step> | undefined;
}

export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  /** Tells connections apart. */
  readonly clientPort: number | undefined;
  /** The exchange is over on the server's side: answered in full, or the client went away. */
  readonly closed: Promise<'answered' | 'left'>;
  /** Body bytes handed to the socket so far. */
  readonly sentBytes: () => number;
}

/** What to do with a request: an answer, or `CUT`/`STAY_OPEN` for none at all. */
export type Script = (
  request: RecordedRequest,
) => Answer | typeof CUT | typeof STAY_OPEN | Promise<Answer | typeof CUT | typeof STAY_OPEN>;

export interface ScriptedServer {
  readonly origin: string;
  readonly port: number;
  /** `origin` with the path `/mcp`. */
  readonly url: string;
  readonly requests: readonly RecordedRequest[];
  /** TCP connections that were made so far. */
  readonly connections: number;
  /** The request with this number, 0 being the first; waits until it has come. */
  request(index: number): Promise<RecordedRequest>;
  /** Forgets the requests so far. */
  forget(): void;
  close(): Promise<void>;
}

/** How a server speaks: HTTP/1.1, HTTP/2 in the clear, or HTTP/2 over TLS with this certificate. */
export type Speech = 'http1' | 'h2c' | Certificate;

export interface ServerOptions {
  readonly speech?: Speech;
  /** Any that is free when absent. */
  readonly port?: number;
}

/** An HTTP server on loopback that answers each request as the script says. */
export async function scriptedServer(
  script: Script,
  { speech = 'http1', port: listenOn = 0 }: ServerOptions = {},
): Promise<ScriptedServer> {
  let requests: RecordedRequest[] = [];
  let arrival = signal();
  let connections = 0;
  const server = serverOf(speech, (incoming, response) => {
    void answer(incoming, response).catch(() => incoming.socket.destroy());
  });
  server.on('connection', () => {
    connections++;
  });
  const destroySockets = trackSockets(server);

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of incoming) parts.push(part as Buffer);
    const closed = signal<'answered' | 'left'>();
    response.once('close', () => closed.give(response.writableFinished ? 'answered' : 'left'));
    let sent = 0;
    const request: RecordedRequest = {
      method: incoming.method ?? '',
      path: incoming.url ?? '',
      headers: incoming.headers,
      body: Buffer.concat(parts).toString('utf8'),
      clientPort: incoming.socket.remotePort,
      closed: closed.seen,
      sentBytes: () => sent,
    };
    requests.push(request);
    arrival.give();
    arrival = signal();
    const answer = await script(request);
    if (answer === STAY_OPEN) return;
    if (answer === CUT) {
      response.socket?.destroy();
      return;
    }
    response.writeHead(answer.status ?? 200, { ...answer.headers });
    response.flushHeaders();
    for (const step of answer.body ?? []) {
      if (response.destroyed || step === STAY_OPEN) return;
      if (step === CUT) {
        response.socket?.destroy();
        return;
      }
      if (step === RESET) {
        (response as unknown as Http2ServerResponse).stream.close(constants.NGHTTP2_INTERNAL_ERROR);
        return;
      }
      if (step instanceof Promise) await step;
      else {
        sent += step.length;
        if (!(await written(response, step))) return;
      }
    }
    response.end();
  }

  // Room for many at once.
  server.listen(listenOn, '127.0.0.1', 4_096);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const origin = `${typeof speech === 'string' ? 'http' : 'https'}://127.0.0.1:${port}`;
  return {
    origin,
    port,
    url: `${origin}/mcp`,
    get requests() {
      return requests;
    },
    get connections() {
      return connections;
    },
    async request(index) {
      for (;;) {
        const found = requests[index];
        if (found !== undefined) return found;
        await within(5_000, `request ${index} at the server`, arrival.seen);
      }
    },
    forget() {
      requests = [];
    },
    close: () => closeAll({ close: (done) => server.close(done), closeAllConnections: destroySockets }),
  };
}

type Listener = (incoming: IncomingMessage, response: ServerResponse) => void;

function serverOf(speech: Speech, listener: Listener): Server {
  // Doesn't close an idle connection in the moment in which a slow client uses it again.
  if (speech === 'http1') return createServer({ keepAliveTimeout: 60_000 }, listener);
  // Node's HTTP/2 has an API that is compatible with that of HTTP/1.1 as far as it is used here.
  const compatible = listener as unknown as Parameters<typeof createH2cServer>[1];
  return speech === 'h2c' ? createH2cServer(compatible) : createSecureServer(speech, compatible);
}

// Waits until the operating system has the bytes: two steps never share a segment by accident of buffering,
// and a body that nobody reads stops here instead of filling memory.
async function written(response: ServerResponse, bytes: string | Uint8Array): Promise<boolean> {
  return new Promise<boolean>((resolve) => {
    const left = () => resolve(false);
    response.once('close', left);
    response.write(bytes, (error) => {
      response.off('close', left);
      // From Node 24 on a write to a client that has left fails long before `close`; going on would never let that come.
      resolve(!error);
    });
  });
}

export async function closeAll(server: {
  close(done: () => void): unknown;
  closeAllConnections?: () => void;
}): Promise<void> {
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections?.();
  });
}

/** Closes what a raw server has open; `net.Server` has no `closeAllConnections`. */
export function trackSockets(server: {
  on(event: 'connection', listener: (socket: Socket) => void): unknown;
}) {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    // A client that leaves in the middle is what these servers are for.
    socket.on('error', () => {});
  });
  return () => {
    for (const socket of sockets) socket.destroy();
  };
}
