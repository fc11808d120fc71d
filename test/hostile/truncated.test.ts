import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { titled } from '../protocol/titled.js';
import { newExchange, readToTheEnd, type View } from '../support/application-view.js';
import { event, MCP_HEADERS, toolResult, toolsCall } from '../support/json-rpc.js';
import { type RawServer, rawServer } from '../support/raw-server.js';
import { withAndWithout } from '../support/with-and-without.js';

// Every answer is sent whole, and cut after each of its bytes, those of the head included.

interface Shape {
  readonly rule: string;
  readonly head: string;
  readonly body: string;
  /** Of a body that was cut after this many bytes. */
  readonly outcome: (bodyBytes: number) => string;
}

const message = toolResult();
const sse = event('{"jsonrpc":"2.0","method":"notifications/progress","params":{}}') + event(message);
const chunked = (...parts: string[]) =>
  [...parts, ''].map((part) => `${Buffer.byteLength(part).toString(16)}\r\n${part}\r\n`).join('');

const messageChunks = chunked(message.slice(0, 30), message.slice(30));
const sseChunk = chunked(sse);

const shapes: Shape[] = [
  {
    rule: 'JSON of known length is incomplete until its last byte',
    head: `content-type: application/json\r\ncontent-length: ${message.length}`,
    body: message,
    outcome: (bytes) => (bytes < message.length ? 'STREAM_INCOMPLETE' : 'TOOL_SUCCESS'),
  },
  {
    rule: 'JSON that ends with the connection is incomplete when empty and malformed when cut',
    head: 'content-type: application/json',
    body: message,
    outcome: (bytes) => {
      if (bytes === message.length) return 'TOOL_SUCCESS';
      return bytes === 0 ? 'STREAM_INCOMPLETE' : 'MALFORMED_JSON';
    },
  },
  {
    rule: 'chunked JSON is incomplete until its last chunk has ended',
    head: 'content-type: application/json\r\ntransfer-encoding: chunked',
    body: messageChunks,
    outcome: (bytes) => (bytes < messageChunks.length ? 'STREAM_INCOMPLETE' : 'TOOL_SUCCESS'),
  },
  {
    rule: 'a stream that ends with the connection is complete with the blank line after the response',
    head: 'content-type: text/event-stream',
    body: sse,
    outcome: (bytes) => (bytes < sse.length ? 'STREAM_INCOMPLETE' : 'TOOL_SUCCESS'),
  },
  {
    rule: 'a chunked stream is complete with the blank line, though its chunks never end',
    head: 'content-type: text/event-stream\r\ntransfer-encoding: chunked',
    body: sseChunk,
    outcome: (bytes) => (bytes < sseChunk.indexOf(sse) + sse.length ? 'STREAM_INCOMPLETE' : 'TOOL_SUCCESS'),
  },
];

describe('an answer cut after any byte', () => {
  let server: RawServer;
  let answer = '';

  beforeAll(async () => {
    server = await rawServer((socket) => void socket.end(answer));
  });
  afterAll(() => server.close());

  it.each(titled(shapes))('%s', async (_, { head, body, outcome }) => {
    const start = `HTTP/1.1 200 OK\r\n${head}\r\n\r\n`;
    const whole = start + body;
    const exchange = newExchange(() => Promise.reject(), 0);
    const ends = Array.from({ length: whole.length + 1 }, (_, end) => end);

    async function readAll(): Promise<View[]> {
      const views: View[] = [];
      for (const end of ends) {
        answer = whole.slice(0, end);
        const init = { method: 'POST', headers: MCP_HEADERS, body: toolsCall(`cut after ${end}`) };
        views.push(await readToTheEnd(server.url, init, exchange));
      }
      return views;
    }

    const { spans } = await withAndWithout(readAll, ends.length);
    const told = Object.fromEntries(
      spans.map(({ attributes }) => [attributes['gen_ai.tool.name'], attributes['mcp.outcome']]),
    );
    const expected = ends.map((end) => [
      `cut after ${end}`,
      end < start.length ? 'NETWORK_ERROR' : outcome(end - start.length),
    ]);
    expect(told).toEqual(Object.fromEntries(expected));
  });
});
