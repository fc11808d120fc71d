import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { closeAll, trackSockets } from '../support/scripted-server.js';

export interface ForwardProxy {
  readonly url: string;
  /** Methods of what came in: `CONNECT` where the client makes a tunnel, otherwise those of the requests. */
  readonly methods: readonly string[];
  close(): Promise<void>;
}

/** An HTTP proxy on loopback, which forwards requests and makes tunnels (RFC 9110 section 9.3.6). */
export async function proxyServer(): Promise<ForwardProxy> {
  const methods: string[] = [];
  const server = createServer((incoming, outgoing) => {
    methods.push(incoming.method ?? '');
    const { method, headers } = incoming;
    const onward = request(incoming.url ?? '', { method, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      outgoing.flushHeaders();
      response.on('aborted', () => outgoing.destroy());
      response.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    outgoing.on('close', () => onward.destroy());
    incoming.pipe(onward);
  });
  const destroySockets = trackSockets(server);
  server.on('connect', (incoming, socket) => {
    methods.push('CONNECT');
    const [host, port] = (incoming.url ?? '').split(':');
    const onward = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket.pipe(onward).pipe(socket);
    });
    onward.on('error', () => socket.destroy());
    onward.on('close', () => socket.destroy());
    socket.on('error', () => onward.destroy());
    socket.on('close', () => onward.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    methods,
    close: () => closeAll({ close: (done) => server.close(done), closeAllConnections: destroySockets }),
  };
}
