import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { event, toolResult } from '../support/json-rpc.js';
import { type RawServer, rawServer } from '../support/raw-server.js';
import { startTracing, type Tracing } from '../support/tracing.js';
import { onBothSides } from './both-sides.js';

let server: RawServer;
let tracing: Tracing;
let send: (socket: Socket) => void;

beforeAll(async () => {
  server = await rawServer((socket) => send(socket));
  tracing = startTracing();
});
afterAll(async () => {
  await tracing.stop();
  await server.close();
});

const body = toolResult({ content: [] });
const stream = `: hi\n\n${event('{}', '')}${event(body, '')}`;
const JSON_HEAD = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n`;
const SSE_HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n';
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;

interface Answer {
  readonly what: string;
  readonly head: string;
  readonly rest: string;
  /** What ends the call, by the number of bytes of `rest` that come before the end. */
  readonly outcome: (bytes: number) => string;
}

const answers: Answer[] = [
  {
    what: 'JSON with its length',
    head: JSON_HEAD,
    rest: body,
    outcome: (bytes) => (bytes === body.length ? 'TOOL_SUCCESS' : 'STREAM_INCOMPLETE'),
  },
  {
    what: 'a stream in chunks',
    head: `${SSE_HEAD}Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n`,
    rest: `${chunk(stream)}0\r\n\r\n`,
    // Its bytes are seen as they come: the response counts before the chunk has its end.
    outcome: (bytes) =>
      bytes >= stream.length.toString(16).length + 2 + stream.length ? 'TOOL_SUCCESS' : 'STREAM_INCOMPLETE',
  },
  {
    what: 'a stream that ends with the connection',
    head: `${SSE_HEAD}Connection: close\r\n\r\n`,
    rest: stream,
    outcome: (bytes) => (bytes === stream.length ? 'TOOL_SUCCESS' : 'STREAM_INCOMPLETE'),
  },
];

describe('an answer that ends after any of its bytes', () => {
  it.each(answers)('$what', async ({ head, rest, outcome }) => {
    const whole = head + rest;
    for (let end = 0; end <= whole.length; end++) {
      send = (socket) => {
        socket.end(whole.slice(0, end));
      };
      const { span } = await onBothSides(tracing, server.url);
      const expected = end < head.length ? 'NETWORK_ERROR' : outcome(end - head.length);
      expect([end, span.attributes['mcp.outcome']]).toEqual([end, expected]);
      expect('error.type' in span.attributes).toBe(expected !== 'TOOL_SUCCESS');
    }
  });
});
