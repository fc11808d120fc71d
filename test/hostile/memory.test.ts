import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { titled } from '../protocol/titled.js';
import { repeatedText } from '../support/byte-sources.js';
import { JSON_HEADERS, MCP_HEADERS, SSE_HEADERS, toolsCall } from '../support/json-rpc.js';
import { type Peaks, peakMemory } from '../support/peak-memory.js';
import { type Answer, type ScriptedServer, scriptedServer } from '../support/scripted-server.js';

// Of each answer at most maxBodyBytes are kept. What is compared is what cannot be freed, with and without the
// instrumentation, in one process that reads the answer and lets it go.

interface Row {
  readonly rule: string;
  readonly init: RequestInit;
  readonly answer: () => Answer;
  /** What the application reads. */
  readonly bytes: number;
  readonly told: Peaks['told'];
}

const MB = 1_000_000;
const MAX_BODY_BYTES = 4 * 1024 * 1024;
const GZIP = { 'content-encoding': 'gzip' };
const bomb = gzipSync(Buffer.alloc(50 * MB, ' '));
const call: RequestInit = { method: 'POST', headers: MCP_HEADERS, body: toolsCall() };
const stream: RequestInit = { headers: { accept: 'text/event-stream', 'mcp-session-id': 's' } };

const rows: Row[] = [
  {
    rule: 'JSON of 200 MB',
    init: call,
    answer: () => ({ headers: JSON_HEADERS, body: repeatedText(' ', 200 * MB) }),
    bytes: 200 * MB,
    told: [['UNCLASSIFIED', null]],
  },
  {
    rule: 'a line of 50 MB',
    init: call,
    answer: () => ({ headers: SSE_HEADERS, body: repeatedText('data: xxxx', 5 * MB) }),
    bytes: 50 * MB,
    told: [['STREAM_INCOMPLETE', 0]],
  },
  {
    rule: 'a bomb of 50 MB',
    init: call,
    answer: () => ({ headers: { ...JSON_HEADERS, ...GZIP }, body: [bomb] }),
    bytes: 50 * MB,
    told: [['UNCLASSIFIED', null]],
  },
  {
    rule: 'a bomb of 50 MB on a stream that is decoded as it comes',
    init: stream,
    answer: () => ({ headers: { ...SSE_HEADERS, ...GZIP }, body: [bomb] }),
    bytes: 50 * MB,
    told: [],
  },
];

describe('less than four times maxBodyBytes is kept of', () => {
  let server: ScriptedServer;
  let row: Row;

  beforeAll(async () => {
    server = await scriptedServer(() => row.answer());
  });
  afterAll(() => server.close());

  it.each(titled(rows))('%s', { timeout: 60_000 }, async (_, each) => {
    row = each;
    const { init } = row;
    const { bytes, without, withUs, told } = await peakMemory({
      url: server.url,
      init,
      maxBodyBytes: MAX_BODY_BYTES,
    });
    expect({ bytes, told }).toEqual({ bytes: row.bytes, told: row.told });
    expect(withUs - without).toBeLessThan(4 * MAX_BODY_BYTES);
  });
});
