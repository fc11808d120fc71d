import type { Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { titled } from '../protocol/titled.js';
import { JSON_HEADERS, MCP_HEADERS, SSE_HEADERS, toolsCall } from '../support/json-rpc.js';
import { type RawServer, rawServer } from '../support/raw-server.js';
import { runNode } from '../support/run.js';
import { repeatedText } from './byte-sources.js';

// Of each answer at most maxBodyBytes are kept, in whatever pieces it comes. What is compared is what cannot be freed,
// with and without the instrumentation, in one process that reads the answer and lets it go.

interface Row {
  readonly rule: string;
  readonly init: RequestInit;
  readonly headers: Readonly<Record<string, string>>;
  /** What the application reads. */
  readonly bytes: number;
  readonly body: () => Iterable<string | Uint8Array>;
  readonly maxBodyBytes: number;
  readonly outcomes: readonly string[];
}

const MB = 1_000_000;
const KIB = 1_024;
/** What two readings of one answer differ in: the kernel's and undici's buffers are filled as time will have it. */
const NOISE = MB;

const POST = { method: 'POST', headers: MCP_HEADERS, body: toolsCall() };
const GET = { headers: { accept: 'text/event-stream', 'mcp-session-id': 's' } };
const chunked = (headers: object) => ({ ...headers, 'transfer-encoding': 'chunked' });
const gzipped = (headers: object) => ({ ...headers, 'content-encoding': 'gzip' });
const ONE_BYTE_CHUNK = '1\r\n \r\n';
const bomb = gzipSync(Buffer.alloc(50 * MB, ' '));

function* blanksInOneByteChunks(count: number): Generator<string | Uint8Array> {
  yield* repeatedText(ONE_BYTE_CHUNK, count);
  yield '0\r\n\r\n';
}

const rows: Row[] = [
  {
    rule: 'a JSON body of 200 MB',
    init: POST,
    headers: JSON_HEADERS,
    bytes: 200 * MB,
    body: () => repeatedText(' ', 200 * MB),
    maxBodyBytes: 4_096 * KIB,
    outcomes: ['UNCLASSIFIED'],
  },
  {
    rule: 'a line of 50 MB in a stream',
    init: POST,
    headers: SSE_HEADERS,
    bytes: 50 * MB,
    body: () => repeatedText('data: xxxx', 5 * MB),
    maxBodyBytes: 4_096 * KIB,
    outcomes: ['STREAM_INCOMPLETE'],
  },
  {
    rule: 'a bomb of 50 MB',
    init: POST,
    headers: gzipped(JSON_HEADERS),
    bytes: 50 * MB,
    body: () => [bomb],
    maxBodyBytes: 4_096 * KIB,
    outcomes: ['UNCLASSIFIED'],
  },
  {
    rule: 'a bomb of 50 MB on a stream that is decoded as it comes',
    init: GET,
    headers: gzipped(SSE_HEADERS),
    bytes: 50 * MB,
    body: () => [bomb],
    maxBodyBytes: 4_096 * KIB,
    outcomes: [],
  },
  {
    rule: 'JSON in chunks of one byte',
    init: POST,
    headers: chunked(JSON_HEADERS),
    bytes: 200 * KIB,
    body: () => blanksInOneByteChunks(200 * KIB),
    maxBodyBytes: 128 * KIB,
    outcomes: ['UNCLASSIFIED'],
  },
  {
    rule: 'a line in chunks of one byte',
    init: POST,
    headers: chunked(SSE_HEADERS),
    bytes: 200 * KIB,
    body: () => blanksInOneByteChunks(200 * KIB),
    maxBodyBytes: 128 * KIB,
    outcomes: ['STREAM_INCOMPLETE'],
  },
];

describe('what is kept stays below four times maxBodyBytes over what is there without the instrumentation, of', () => {
  let server: RawServer;
  let row: Row;

  beforeAll(async () => {
    server = await rawServer((socket) => send(socket, row));
  });
  afterAll(() => server.close());

  it.each(titled(rows))('%s', async (_, each) => {
    row = each;
    const { init, maxBodyBytes } = row;
    const reading = { url: server.url, init, maxBodyBytes };
    const reader = ['--expose-gc', 'test/hostile/peak-memory.mjs', JSON.stringify(reading)];
    const { code, stdout, stderr } = await runNode(reader);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const { bytes, without, withUs, outcomes } = JSON.parse(stdout);
    expect({ bytes, outcomes }).toEqual({ bytes: row.bytes, outcomes: row.outcomes });
    expect(withUs - without).toBeLessThan(4 * maxBodyBytes + NOISE);
  });
});

/** To the end of the connection, or in the chunks that the row has. */
async function send(socket: Socket, { headers, body }: Row): Promise<void> {
  const fields = Object.entries({ ...headers, connection: 'close' });
  const head = `HTTP/1.1 200 OK\r\n${fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
  await pipeline(async function* () {
    yield head;
    yield* body();
  }, socket);
}
