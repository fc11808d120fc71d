import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { McpHttpInstrumentationConfig } from '../../src/index.js';
import { titled } from '../protocol/titled.js';
import { type Application, abortAfterBytes, newExchange, readLarge } from '../support/application-view.js';
import { noise, repeatedText } from '../support/byte-sources.js';
import {
  event,
  JSON_HEADERS,
  MCP_HEADERS,
  rpcError,
  SSE_HEADERS,
  toolResult,
  toolsCall,
} from '../support/json-rpc.js';
import { type Answer, type ScriptedServer, type Step, scriptedServer } from '../support/scripted-server.js';
import { withAndWithout } from '../support/with-and-without.js';

// Bodies that are HTTP, and otherwise nothing that anybody wants to read.

interface Row {
  readonly rule: string;
  readonly answer: () => Answer;
  /** All of what the span tells of the outcome. */
  readonly told: object;
  readonly body?: string;
  readonly config?: McpHttpInstrumentationConfig;
  /** Default: reads it to its end. */
  readonly application?: Application;
}

const json = (body: Iterable<Step>, headers = {}): Answer => ({
  headers: { ...JSON_HEADERS, ...headers },
  body,
});
const sse = (body: Iterable<Step>, headers = {}): Answer => ({
  headers: { ...SSE_HEADERS, ...headers },
  body,
});
const GZIP = { 'content-encoding': 'gzip' };

const SUCCESS = { 'mcp.outcome': 'TOOL_SUCCESS' };
const MALFORMED = { 'mcp.outcome': 'MALFORMED_JSON', 'mcp.error.layer': 'protocol' };
const INCOMPLETE = { 'mcp.outcome': 'STREAM_INCOMPLETE', 'mcp.error.layer': 'transport' };
const CANCELLED = { 'mcp.outcome': 'CANCELLED' };
const TOO_LARGE = { 'mcp.outcome': 'UNCLASSIFIED', 'mcp.unclassified.reason': 'body_too_large' };
const envelope = (defect: string) => ({ 'mcp.outcome': 'INVALID_ENVELOPE', 'mcp.envelope.defect': defect });
const stream = (end: string, events: number) => ({ 'mcp.stream.end': end, 'mcp.stream.events': events });

const MEGABYTE = 1_000_000;
const DEEP = 100_000;
const deep = `${'['.repeat(DEEP)}${']'.repeat(DEEP)}`;
const deepResult = `{"jsonrpc":"2.0","id":1,"result":{"content":[],"x":${deep}}}`;
const deepCall = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"x":${deep}}}}`;
const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le');
const progress = event('{"jsonrpc":"2.0","method":"notifications/progress","params":{}}');
const candidate = event('{"jsonrpc":"2.0","id":2,"result":{}}');
const broken = event('{"jsonrpc":"2.0","id":1,"result":');
const bomb = gzipSync(Buffer.alloc(20 * MEGABYTE, ' '));
const eventBomb = gzipSync(Buffer.concat([Buffer.from('data: '), Buffer.alloc(20 * MEGABYTE, ' ')]));

function* endless(text: string): Generator<Step> {
  for (;;) yield* repeatedText(text, 100_000);
}

const rows: Row[] = [
  { rule: 'noise for JSON is malformed', answer: () => json([noise(100_000)]), told: MALFORMED },
  {
    rule: 'noise for a stream has no event',
    answer: () => sse([noise(100_000)]),
    told: { ...INCOMPLETE, ...stream('closed', 0) },
  },
  {
    rule: 'noise for gzip is no coding',
    answer: () => json([noise(100_000)], GZIP),
    told: { 'mcp.outcome': 'UNCLASSIFIED', 'mcp.unclassified.reason': 'unsupported_encoding' },
  },
  {
    rule: 'JSON in UTF-16 is malformed, whatever its charset says: JSON-RPC over HTTP is UTF-8',
    answer: () => json([utf16(toolResult())], { 'content-type': 'application/json; charset=utf-16' }),
    told: MALFORMED,
  },
  {
    rule: 'a stream in UTF-16 has no event',
    answer: () => sse([utf16(event(toolResult()))]),
    told: { ...INCOMPLETE, ...stream('closed', 0) },
  },
  {
    rule: 'bytes in a string that are no UTF-8 are replaced, as response.json() does',
    answer: () =>
      json([Buffer.from(toolResult({ note: 'gr\u00fc\u00dfe' }), 'latin1')], {
        'content-type': 'application/json; charset=latin1',
      }),
    told: SUCCESS,
  },
  { rule: 'deep nesting is no envelope', answer: () => json([deep]), told: envelope('not_object') },
  {
    rule: 'deep nesting that never closes is malformed',
    answer: () => json(['['.repeat(MEGABYTE)]),
    told: MALFORMED,
  },
  {
    rule: 'deep nesting inside a result is the result\u2019s affair',
    answer: () => json([deepResult]),
    told: SUCCESS,
  },
  {
    rule: 'deep nesting inside an event too',
    answer: () => sse([event(deepResult)]),
    told: { ...SUCCESS, ...stream('response', 1) },
  },
  {
    rule: 'a deep result that is asked for and cannot be written down is left out',
    answer: () => json([deepResult]),
    config: { captureContent: true },
    told: SUCCESS,
  },
  {
    rule: 'deep arguments of a call that fails are no obstacle to recognising its repeat',
    answer: () => ({ status: 503 }),
    body: deepCall,
    told: { 'mcp.outcome': 'HTTP_ERROR', 'error.type': '503' },
  },
  {
    rule: 'an id that is nested deep is another id',
    answer: () => json([`{"jsonrpc":"2.0","id":${deep},"result":{"content":[]}}`]),
    told: envelope('id_mismatch'),
  },
  {
    rule: 'an error whose data is nested deep is an error',
    answer: () => sse([event(`{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no","data":${deep}}}`)]),
    told: { 'mcp.outcome': 'JSONRPC_ERROR', ...stream('response', 1) },
  },
  {
    rule: 'a result that only __proto__ has is none',
    answer: () => json(['{"__proto__":{"result":{"content":[]}},"jsonrpc":"2.0","id":1}']),
    told: envelope('neither'),
  },
  {
    rule: 'gzip with a broken checksum is no coding',
    answer: () => json([gzipSync(toolResult()).subarray(0, -8), Buffer.alloc(8)], GZIP),
    told: { 'mcp.outcome': 'UNCLASSIFIED', 'mcp.unclassified.reason': 'unsupported_encoding' },
  },
  {
    rule: 'a batch of 100,000 answers holds none',
    answer: () => json([`[${'1,'.repeat(99_999)}1]`]),
    told: envelope('not_object'),
  },
  {
    rule: 'a message of a megabyte is not taken over whole',
    answer: () => json([rpcError(-32603, 'x'.repeat(MEGABYTE))]),
    told: { 'mcp.outcome': 'JSONRPC_ERROR', 'error.type': '-32603' },
  },
  {
    rule: 'a line of a megabyte that never ends is no event',
    answer: () => sse(repeatedText(`data: ${'x'.repeat(1_000)}`, 1_000)),
    told: { ...INCOMPLETE, ...stream('closed', 0) },
  },
  {
    rule: 'a field name of a megabyte is no event',
    answer: () => sse([`${'x'.repeat(MEGABYTE)}\n\n`]),
    told: { ...INCOMPLETE, ...stream('closed', 0) },
  },
  {
    rule: 'white space without end for JSON is too large',
    answer: () => json(repeatedText(' ', 5 * MEGABYTE)),
    told: TOO_LARGE,
  },
  {
    rule: 'blank lines without end are no events',
    answer: () => sse(repeatedText('\n', 5 * MEGABYTE)),
    told: { ...INCOMPLETE, ...stream('closed', 0) },
  },
  {
    rule: 'carriage returns without end are no events',
    answer: () => sse(repeatedText('\r', 5 * MEGABYTE)),
    told: { ...INCOMPLETE, ...stream('closed', 0) },
  },
  {
    rule: 'a million comments are no events',
    answer: () => sse(repeatedText(':\n', MEGABYTE)),
    told: { ...INCOMPLETE, ...stream('closed', 0) },
  },
  {
    rule: '100,000 events before the response are counted',
    answer: () => sse(after(repeatedText(progress, 100_000), event(toolResult()))),
    told: { ...SUCCESS, ...stream('response', 100_001) },
  },
  {
    rule: '100,000 events without the response are incomplete',
    answer: () => sse(repeatedText(progress, 100_000)),
    told: { ...INCOMPLETE, ...stream('closed', 100_000) },
  },
  {
    rule: '10,000 responses to others are a mismatch',
    answer: () => sse(repeatedText(candidate, 10_000)),
    told: { ...envelope('id_mismatch'), ...stream('closed', 10_000) },
  },
  {
    rule: '10,000 broken responses are malformed',
    answer: () => sse(repeatedText(broken, 10_000)),
    told: { ...MALFORMED, ...stream('closed', 10_000) },
  },
  { rule: 'a bomb is too large', answer: () => json([bomb], GZIP), told: TOO_LARGE },
  { rule: 'a bomb in a stream is too large', answer: () => sse([eventBomb], GZIP), told: TOO_LARGE },
  {
    rule: 'a bomb in a bomb is too large',
    answer: () => json([gzipSync(bomb)], { 'content-encoding': 'gzip, gzip' }),
    told: TOO_LARGE,
  },
  {
    rule: 'a stream without end is cancelled with the application\u2019s abort',
    answer: () => sse(endless(progress)),
    application: abortAfterBytes(5 * MEGABYTE),
    told: { ...CANCELLED, 'mcp.stream.end': 'aborted' },
  },
  {
    rule: 'JSON without end too',
    answer: () => json(endless('[')),
    application: abortAfterBytes(5 * MEGABYTE),
    told: CANCELLED,
  },
  {
    rule: 'an error page without end keeps its status',
    answer: () => ({ status: 502, body: endless('<p>') }),
    application: abortAfterBytes(5 * MEGABYTE),
    told: { 'mcp.outcome': 'HTTP_ERROR', 'error.type': '502' },
  },
];

function* after(first: Iterable<Step>, last: Step): Generator<Step> {
  yield* first;
  yield last;
}

describe('a body', () => {
  let server: ScriptedServer;
  let answer: () => Answer = () => ({});

  beforeAll(async () => {
    server = await scriptedServer(() => answer());
  });
  afterAll(() => server.close());

  it.each(titled(rows))('%s', async (_, row) => {
    const { application = readLarge, body = toolsCall() } = row;
    const init = { method: 'POST', headers: MCP_HEADERS, body };
    answer = row.answer;
    const exchange = newExchange(() => Promise.reject(), 0);
    const { spans } = await withAndWithout(() => application(server.url, init, exchange), 1, row.config);
    expect(spans[0]?.attributes).toMatchObject(row.told);
  });
});
