import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Application, abortInBody } from '../support/application-view.js';
import { event, toolResult } from '../support/json-rpc.js';
import { type RawServer, rawServer } from '../support/raw-server.js';
import { startTracing, type Tracing } from '../support/tracing.js';
import { onBothSides } from './both-sides.js';

let server: RawServer;
let tracing: Tracing;
let send: (socket: Socket) => void | Promise<void>;

beforeAll(async () => {
  server = await rawServer((socket) => send(socket));
  tracing = startTracing({ config: { captureContent: true } });
});
afterAll(async () => {
  await tracing.stop();
  await server.close();
});

const OK = 'HTTP/1.1 200 OK\r\n';
const CLOSE = 'Connection: close\r\n\r\n';
// With a length: without one, Node 20's fetch never ends a compressed body that is broken.
const withType =
  (type: string) =>
  (body: string | Buffer, head = '') => [
    `${OK}Content-Type: ${type}\r\n${head}Content-Length: ${Buffer.byteLength(body)}\r\n${CLOSE}`,
    body,
  ];
const json = withType('application/json');
const sse = withType('text/event-stream');
const chunked = (body: string) => [`${OK}Transfer-Encoding: chunked\r\n${CLOSE}${body}`];

/** Bytes that a seed gives, so that a failure can be seen again. */
const garbage = (seed: number, length: number) =>
  Buffer.from(Array.from({ length }, (_, i) => ((i + seed) * 2_654_435_761) >>> 24));

const deep = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
const deepObject = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;

interface Row {
  readonly rule: string;
  readonly parts: readonly (string | Buffer)[];
  readonly outcome: string;
  readonly application?: Application;
  readonly told?: Readonly<Record<string, unknown>>;
}

const heads: Row[] = [
  { rule: 'nothing', parts: [], outcome: 'NETWORK_ERROR' },
  { rule: 'bytes that are no text', parts: [garbage(1, 4096)], outcome: 'NETWORK_ERROR' },
  { rule: 'a status that is no number', parts: ['HTTP/1.1 2OO OK\r\n\r\n'], outcome: 'NETWORK_ERROR' },
  { rule: 'a protocol that is not HTTP', parts: ['ICY 200 OK\r\n\r\n'], outcome: 'NETWORK_ERROR' },
  {
    rule: 'HTTP/2 without having been asked',
    parts: ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    outcome: 'NETWORK_ERROR',
  },
  { rule: 'a header line without a colon', parts: [`${OK}nonsense\r\n\r\n`], outcome: 'NETWORK_ERROR' },
  {
    rule: 'two lengths that differ',
    parts: [`${OK}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello`],
    outcome: 'NETWORK_ERROR',
  },
  {
    rule: 'headers beyond any limit',
    parts: [OK, ...Array.from({ length: 200 }, (_, i) => `X-Filler-${i}: ${'x'.repeat(1_000)}\r\n`)],
    outcome: 'NETWORK_ERROR',
  },
  {
    rule: 'a header of a megabyte',
    parts: [`${OK}X-Filler: ${'x'.repeat(1_000_000)}\r\n\r\n`],
    outcome: 'NETWORK_ERROR',
  },
  {
    rule: 'a hundred interim responses before the answer',
    parts: ['HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(100), ...json(toolResult())],
    outcome: 'TOOL_SUCCESS',
    told: { 'mcp.http.status_codes': [200] },
  },
  {
    rule: 'interim responses and no answer',
    parts: ['HTTP/1.1 102 Processing\r\n\r\n'.repeat(10)],
    outcome: 'NETWORK_ERROR',
  },
];

const bodies: Row[] = [
  { rule: 'a chunk size that is no number', parts: chunked('ZZ\r\n'), outcome: 'STREAM_INCOMPLETE' },
  {
    rule: 'a chunk size beyond all numbers',
    parts: chunked(`${'f'.repeat(40)}\r\n`),
    outcome: 'STREAM_INCOMPLETE',
  },
  {
    rule: 'a chunk that is longer than it says',
    parts: chunked('2\r\n{"jsonrpc"\r\n'),
    outcome: 'STREAM_INCOMPLETE',
  },
  {
    rule: 'a body beyond its length is not read',
    parts: [
      `${OK}Content-Length: ${toolResult().length}\r\n${CLOSE}${toolResult()}{"jsonrpc":"2.0","id":1,"error":{}}`,
    ],
    outcome: 'TOOL_SUCCESS',
  },
  { rule: 'random bytes as JSON', parts: json(garbage(2, 100_000)), outcome: 'MALFORMED_JSON' },
  { rule: 'random bytes as a stream', parts: sse(garbage(3, 100_000)), outcome: 'STREAM_INCOMPLETE' },
  {
    rule: 'random bytes as gzip',
    parts: json(garbage(4, 100), 'Content-Encoding: gzip\r\n'),
    outcome: 'UNCLASSIFIED',
  },
  {
    rule: 'gzip with a broken checksum',
    parts: json(brokenGzip(), 'Content-Encoding: gzip\r\n'),
    outcome: 'UNCLASSIFIED',
  },
  {
    rule: 'UTF-16 with a byte order mark',
    parts: json(Buffer.from(`\ufeff${toolResult()}`, 'utf16le')),
    outcome: 'MALFORMED_JSON',
  },
  {
    rule: 'UTF-16 in a stream',
    parts: sse(Buffer.from(event(toolResult()), 'utf16le')),
    outcome: 'STREAM_INCOMPLETE',
  },
  {
    rule: 'characters that are not UTF-8, inside a text',
    parts: json(latin1Text()),
    outcome: 'TOOL_SUCCESS',
  },
  { rule: 'NUL after the answer', parts: json(`${toolResult()}\0`), outcome: 'MALFORMED_JSON' },
  {
    rule: 'a hundred thousand arrays, one in the other',
    parts: json(deep(100_000)),
    outcome: 'INVALID_ENVELOPE',
  },
  {
    rule: 'a result that is nested so deep that it can be read and not written',
    parts: json(`{"jsonrpc":"2.0","id":1,"result":{"content":${deep(100_000)}}}`),
    outcome: 'TOOL_SUCCESS',
  },
  {
    rule: 'a response whose id is nested that deep',
    parts: json(`{"jsonrpc":"2.0","id":${deepObject(100_000)},"result":{"content":[]}}`),
    outcome: 'INVALID_ENVELOPE',
  },
  {
    rule: 'an error whose data is nested that deep, in a stream',
    parts: sse(
      event(`{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no","data":${deepObject(50_000)}}}`),
    ),
    outcome: 'JSONRPC_ERROR',
  },
  { rule: 'JSON that opens and never closes', parts: json('['.repeat(1_000_000)), outcome: 'MALFORMED_JSON' },
  {
    rule: 'a message with the prototype of everybody in it',
    parts: json('{"__proto__":{"result":{"content":[]}},"jsonrpc":"2.0","id":1}'),
    outcome: 'INVALID_ENVELOPE',
  },
  {
    rule: 'a line of a megabyte that has no end',
    parts: sse(`data: ${'x'.repeat(1_000_000)}`),
    outcome: 'STREAM_INCOMPLETE',
  },
  { rule: 'a megabyte of line ends', parts: sse('\n'.repeat(1_000_000)), outcome: 'STREAM_INCOMPLETE' },
  { rule: 'a megabyte of CR', parts: sse('\r'.repeat(1_000_000)), outcome: 'STREAM_INCOMPLETE' },
  {
    rule: 'an event of a hundred thousand lines',
    parts: sse(`${'data: "result"\n'.repeat(100_000)}\n${event(toolResult())}`),
    outcome: 'TOOL_SUCCESS',
  },
  {
    rule: 'a hundred thousand events that could each be the response',
    parts: sse(event('{"jsonrpc":"2.0","id":2,"result":{}}', '').repeat(100_000) + event(toolResult(), '')),
    outcome: 'TOOL_SUCCESS',
    told: { 'mcp.stream.events': 100_001 },
  },
  {
    rule: 'a hundred thousand events and no response',
    parts: sse(event('{"jsonrpc":"2.0","method":"notifications/progress"}', '').repeat(100_000)),
    outcome: 'STREAM_INCOMPLETE',
    told: { 'mcp.stream.events': 100_000, 'mcp.stream.end': 'closed' },
  },
  {
    rule: 'an array of a hundred thousand responses',
    parts: json(`[${'{"jsonrpc":"2.0","id":2,"result":{}},'.repeat(100_000)}${toolResult()}]`),
    outcome: 'TOOL_SUCCESS',
  },
  {
    rule: 'a bomb',
    parts: json(gzipSync(Buffer.alloc(20_000_000, ' ')), 'Content-Encoding: gzip\r\n'),
    outcome: 'UNCLASSIFIED',
    told: { 'mcp.unclassified.reason': 'body_too_large' },
  },
];

describe('a server that sends', () => {
  it.each([...heads, ...bodies])('$rule', async ({ parts, outcome, application, told = {} }) => {
    send = async (socket) => {
      for (const part of parts) await written(socket, part);
      socket.end();
    };
    const { span } = await onBothSides(tracing, server.url, application);
    expect(span.attributes).toMatchObject({ 'mcp.outcome': outcome, ...told });
  });

  it('a stream that never ends, until the application gives up', async () => {
    send = async (socket) => {
      await written(socket, `${OK}Content-Type: text/event-stream\r\n${CLOSE}${event('{}')}`);
      while (!socket.destroyed) await written(socket, `: ${'x'.repeat(10_000)}\n`);
    };
    const { span } = await onBothSides(tracing, server.url, firstChunkThenAbort);
    expect(span.attributes).toMatchObject({ 'mcp.outcome': 'CANCELLED', 'mcp.stream.end': 'aborted' });
  });
});

/** How many chunks come before the abort is seen is the network's. */
const firstChunkThenAbort: Application = async (url, init, exchange) => {
  const { chunks, ...view } = await abortInBody()(url, init, exchange);
  expect(chunks?.length).toBeGreaterThan(0);
  return view;
};

function brokenGzip(): Buffer {
  const bytes = gzipSync(toolResult());
  bytes.writeUInt32LE(0, bytes.length - 8);
  return bytes;
}

function latin1Text(): Buffer {
  return Buffer.from(toolResult({ content: [{ type: 'text', text: 'é' }] }), 'latin1');
}

/** Waits until the operating system has the bytes, or the client has left. */
async function written(socket: Socket, bytes: string | Buffer): Promise<void> {
  if (socket.destroyed) return;
  await new Promise<void>((resolve) => {
    socket.once('close', resolve);
    socket.write(bytes, () => {
      socket.off('close', resolve);
      resolve();
    });
  });
}
