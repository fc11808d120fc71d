import { once } from 'node:events';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { bookingServer } from './booking-server.mjs';

/**
 * A real MCP server with a script in front of it: what the script answers never reaches the server.
 *
 * @param port - of 127.0.0.1; 0 is any that is free
 */
export async function startServer(port = 0) {
  const real = bookingServer();
  const passOn = toNodeHandler(real);
  let answers = {};
  let announce = () => {};

  const server = createServer(async (request, response) => {
    // A client that leaves in the middle is part of the script.
    response.on('error', () => {});
    if (request.method !== 'POST') {
      const scripted = answers[request.method];
      return scripted === undefined ? passOn(request, response) : scripted(undefined, response, request);
    }
    const message = await json(request);
    const answer = answers[message.method];
    if (answer === undefined) return passOn(request, response, message);
    announce();
    answer(message, response, request);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');

  return {
    url: `http://127.0.0.1:${server.address().port}/mcp`,
    /** Changes the script: answers by JSON-RPC method, or by HTTP method where that isn't POST. */
    follow(script) {
      answers = script;
    },
    /** Resolves when the next message that the script answers has come. */
    arrival: () =>
      new Promise((resolve) => {
        announce = resolve;
      }),
    async close() {
      server.close();
      server.closeAllConnections();
      await real.close();
    },
  };
}
