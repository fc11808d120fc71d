// @ts-check
// The server, a process of its own: `process.cpuUsage()` of the measuring process then counts the client alone.
import { once } from 'node:events';
import { createServer } from 'node:http';
import {
  initializeResponse,
  largeBody,
  OTHER_RESPONSE,
  sseEvent,
  streamEvents,
  toolResponse,
} from './fixtures.mjs';

const JSON_HEADERS = { 'content-type': 'application/json' };
const SSE_HEADERS = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' };
const EVENTS_PER_WRITE = 100;

const events = streamEvents();

/** @typedef {import('node:http').ServerResponse} Response */

/**
 * @param {Response} response
 * @param {unknown} message
 */
function answerJson(response, message) {
  response.writeHead(200, JSON_HEADERS).end(JSON.stringify(message));
}

/** @param {Response} response */
async function drained(response) {
  if (!response.writableNeedDrain || response.destroyed) return;
  const waiting = new AbortController();
  const { signal } = waiting;
  await Promise.race([once(response, 'drain', { signal }), once(response, 'close', { signal })]);
  // Takes the other listener off again.
  waiting.abort();
}

/**
 * Each event is an HTTP chunk of its own, as servers send them; corking the socket only saves system calls.
 *
 * @param {Response} response
 * @param {unknown} id
 */
async function answerStream(response, id) {
  response.writeHead(200, SSE_HEADERS);
  for (let start = 0; start < events.length; start += EVENTS_PER_WRITE) {
    response.socket?.cork();
    for (const event of events.slice(start, start + EVENTS_PER_WRITE)) response.write(event);
    response.socket?.uncork();
    await drained(response);
  }
  response.end(sseEvent(toolResponse(id)));
}

/**
 * @param {Response} response
 * @param {'json' | 'sse'} kind
 * @param {unknown} id
 */
async function answerLarge(response, kind, id) {
  response.writeHead(200, kind === 'json' ? JSON_HEADERS : SSE_HEADERS);
  for (const piece of largeBody(kind, id)) {
    if (response.destroyed) return;
    response.write(piece);
    await drained(response);
  }
  response.end();
}

/**
 * @param {string} body
 * @param {Response} response
 */
async function answerMcp(body, response) {
  const { id, method, params } = JSON.parse(body);
  if (id === undefined) response.writeHead(202).end();
  else if (method === 'initialize') answerJson(response, initializeResponse(id));
  else if (params?.name === 'stream') await answerStream(response, id);
  else if (params?.name === 'large-json') await answerLarge(response, 'json', id);
  else if (params?.name === 'large-sse') await answerLarge(response, 'sse', id);
  else answerJson(response, toolResponse(id));
}

const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  if (request.url === '/other') response.writeHead(200, JSON_HEADERS).end(OTHER_RESPONSE);
  else if (request.method === 'POST') await answerMcp(Buffer.concat(chunks).toString(), response);
  // No GET stream and no session to delete: both SDKs take 405 for an answer.
  else response.writeHead(405).end();
});
// A connection that closes between two slices would put a handshake into one of them.
server.keepAliveTimeout = 120_000;
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address !== null && typeof address === 'object') process.send?.(address.port);
});
process.on('disconnect', () => process.exit(0));
