import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { titled } from '../protocol/titled.js';
import { newExchange, readLarge } from '../support/application-view.js';
import { noise } from '../support/byte-sources.js';
import { event, MCP_HEADERS, toolResult, toolsCall } from '../support/json-rpc.js';
import { type RawServer, rawServer } from '../support/raw-server.js';
import { withAndWithout } from '../support/with-and-without.js';

// What no HTTP server sends, byte by byte: the application's error is undici's own, and the call's outcome says where
// it broke off.

interface Row {
  readonly rule: string;
  readonly answer: Iterable<string | Uint8Array>;
  /** A part of what the application sees. */
  readonly sees: object;
  readonly told: object;
}

const message = toolResult();
const OK = 'HTTP/1.1 200 OK\r\n';
const json = (fields: string, ...body: (string | Uint8Array)[]) => [
  `${OK}content-type: application/json\r\n${fields}\r\n\r\n`,
  ...body,
];
const sse = (fields: string, ...body: string[]) => [
  `${OK}content-type: text/event-stream\r\n${fields}\r\n\r\n`,
  ...body,
];
const whole = `content-length: ${message.length}`;
const CHUNKED = 'transfer-encoding: chunked';
const firstChunk = `${message.length.toString(16)}\r\n${message}\r\n`;

/** Begins anew each time it is gone through. */
const endlessHeader = (line: (i: number) => string): Iterable<string> => ({
  *[Symbol.iterator]() {
    yield OK;
    for (let i = 0; ; i++) yield line(i);
  },
});

const notHttp = {
  sees: { error: { where: 'fetch', thrown: { name: 'TypeError', message: 'fetch failed' } } },
  told: {
    'mcp.outcome': 'NETWORK_ERROR',
    'mcp.error.layer': 'transport',
    'error.type': expect.stringMatching(/^(?:HPE_|UND_ERR_|HTTPParserError)/),
  },
};
const brokeOff = {
  sees: { status: 200, error: { where: 'body', thrown: { name: 'TypeError' } } },
  told: {
    'mcp.outcome': 'STREAM_INCOMPLETE',
    'mcp.error.layer': 'transport',
    'http.response.status_code': 200,
  },
};
const succeeded = {
  sees: { status: 200, whole: { bytes: expect.any(Number) } },
  told: { 'mcp.outcome': 'TOOL_SUCCESS' },
};

const rows: Row[] = [
  { rule: 'binary noise is no response', answer: [noise(10_000)], ...notHttp },
  { rule: 'a TLS alert is no response', answer: [Buffer.from('15030100020228', 'hex')], ...notHttp },
  { rule: "an SSH server's greeting is no response", answer: ['SSH-2.0-server\r\n'], ...notHttp },
  { rule: 'a status that is no number is no response', answer: ['HTTP/1.1 fine OK\r\n\r\n'], ...notHttp },
  { rule: 'a status of four digits is no response', answer: ['HTTP/1.1 2000 OK\r\n\r\n'], ...notHttp },
  { rule: 'a version that there never was is no response', answer: ['HTTP/7.3 200 OK\r\n\r\n'], ...notHttp },
  { rule: 'a header line without a colon is no response', answer: [`${OK}a b\r\n\r\n`], ...notHttp },
  { rule: 'a header value with a NUL in it is no response', answer: [`${OK}a: b\0\r\n\r\n`], ...notHttp },
  {
    rule: 'a Content-Length that is no number is no response',
    answer: json('content-length: -1', message),
    ...notHttp,
  },
  { rule: 'two lengths are no response', answer: json(`${whole}\r\ncontent-length: 7`, message), ...notHttp },
  {
    rule: 'an upgrade that nobody asked for is no response',
    answer: ['HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'],
    ...notHttp,
  },
  {
    rule: "header fields without end are undici's limit",
    answer: endlessHeader((i) => `x-${i}: ${'y'.repeat(1_000)}\r\n`),
    ...notHttp,
    told: { ...notHttp.told, 'error.type': 'UND_ERR_HEADERS_OVERFLOW' },
  },
  {
    rule: "a header field without end is undici's limit",
    answer: endlessHeader((i) => (i === 0 ? 'mcp-session-id: ' : 'y'.repeat(1_000))),
    ...notHttp,
    told: { ...notHttp.told, 'error.type': 'UND_ERR_HEADERS_OVERFLOW' },
  },
  {
    rule: 'a chunk whose size is no number breaks the body off',
    answer: json(CHUNKED, 'size\r\n', message),
    ...brokeOff,
  },
  {
    rule: 'a chunk that is longer than its size breaks the body off',
    answer: json(CHUNKED, '2\r\n', message),
    ...brokeOff,
  },
  {
    rule: 'a chunk size beyond any number breaks the body off',
    answer: json(CHUNKED, `${'f'.repeat(40)}\r\n`, message),
    ...brokeOff,
  },
  {
    rule: 'noise after a chunk breaks the body off',
    answer: json(CHUNKED, firstChunk, noise(100)),
    ...brokeOff,
  },
  {
    rule: 'a stream that breaks off after the response has answered the call all the same',
    answer: sse(CHUNKED, `${event(message).length.toString(16)}\r\n${event(message)}\r\n`, 'size\r\n'),
    sees: brokeOff.sees,
    told: { ...succeeded.told, 'mcp.stream.end': 'response' },
  },
  {
    rule: 'noise after the response is nothing to the call',
    answer: json(whole, message, noise(1_000)),
    ...succeeded,
  },
  {
    rule: 'a second response is nothing to the call',
    answer: json(whole, message, ...json('content-length: 1', '{')),
    ...succeeded,
  },
  {
    rule: 'a thousand early hints come before the response, and none of them is it',
    answer: ['HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(1_000), ...json(whole, message)],
    ...succeeded,
    told: { ...succeeded.told, 'mcp.http.status_codes': [200] },
  },
];

describe('on the wire', () => {
  let server: RawServer;
  let answer: Row['answer'] = [];

  beforeAll(async () => {
    server = await rawServer((socket) => pipeline(answer, socket));
  });
  afterAll(() => server.close());

  it.each(titled(rows))('%s', async (_, row) => {
    const bytes = row.answer;
    const init = { method: 'POST', headers: MCP_HEADERS, body: toolsCall() };
    const exchange = newExchange(() => Promise.reject(), 0);
    answer = bytes;
    const { told, spans } = await withAndWithout(() => readLarge(server.url, init, exchange), 1);
    expect(told).toMatchObject(row.sees);
    expect(spans[0]?.attributes).toMatchObject(row.told);
  });
});
