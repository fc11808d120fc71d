import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { event, JSON_HEADERS, SSE_HEADERS } from '../support/json-rpc.js';
import { run } from '../support/run.js';
import { type Answer, type ScriptedServer, scriptedServer } from '../support/scripted-server.js';

const MIB = 1024 * 1024;
// The default. All that is sent is many times the bound, which is four of it.
const LIMIT = 4 * MIB;
const PATIENCE_MILLIS = 60_000;

interface Row {
  readonly rule: string;
  readonly path: string;
  readonly headers: Answer['headers'];
  /** Sent again and again; a mebibyte for who reads it. */
  readonly block: Buffer;
  readonly start?: string;
  readonly blocks: number;
  readonly told: { readonly outcome: string; readonly reason?: string };
}

const filler = Buffer.alloc(MIB, ' ');
// It holds "result", so that each event is decoded and looked at.
const progress = event(`{"jsonrpc":"2.0","method":"x","params":{"result":"${'x'.repeat(960)}"}}`, '');

const rows: Row[] = [
  {
    rule: '200 MiB of JSON',
    path: 'json',
    blocks: 200,
    headers: JSON_HEADERS,
    start: '{"jsonrpc":"2.0",',
    block: filler,
    told: { outcome: 'UNCLASSIFIED', reason: 'body_too_large' },
  },
  {
    rule: 'one event that never ends',
    path: 'event',
    blocks: 64,
    headers: SSE_HEADERS,
    start: 'data: {"result":',
    block: filler,
    told: { outcome: 'STREAM_INCOMPLETE' },
  },
  {
    rule: 'events without end',
    path: 'events',
    blocks: 64,
    headers: SSE_HEADERS,
    block: Buffer.from(progress.repeat(Math.round(MIB / progress.length))),
    told: { outcome: 'STREAM_INCOMPLETE' },
  },
  {
    rule: 'a bomb',
    path: 'bomb',
    blocks: 64,
    headers: { ...JSON_HEADERS, 'content-encoding': 'gzip' },
    // gzip may consist of members, one after the other (RFC 1952 section 2.2).
    block: gzipSync(filler),
    told: { outcome: 'UNCLASSIFIED', reason: 'body_too_large' },
  },
];

interface Measured {
  readonly read: number;
  readonly most: number;
}

describe('a server that sends', () => {
  let server: ScriptedServer;
  let measured: { without: Measured; withIt: Measured; spans: unknown[] }[];

  beforeAll(async () => {
    server = await scriptedServer(({ path }) => {
      const [, size, name] = path.split('/');
      const row = rows.find((candidate) => candidate.path === name);
      if (row === undefined) return { status: 404 };
      return { headers: row.headers, body: steps(row, size === 'small' ? 2 : row.blocks) };
    });
    const child = join(__dirname, 'memory-child.mjs');
    const urls = rows.map(({ path }) => `${server.origin}/large/${path}`);
    const args = ['--expose-gc', child, String(LIMIT), ...urls];
    const { code, stdout, stderr } = await run(process.execPath, args, { timeoutMillis: PATIENCE_MILLIS });
    if (code !== 0) throw new Error(`the reading process failed (${code}): ${stderr}`);
    measured = JSON.parse(stdout);
  }, PATIENCE_MILLIS);
  afterAll(() => server.close());

  it.each(rows.map((row, index) => ({ ...row, index })))(
    '$rule leaves no more alive than a few times maxBodyBytes',
    ({ index, told, blocks }) => {
      const { without, withIt, spans } = measured[index] ?? {};
      expect(spans).toEqual([told]);
      expect(withIt?.read).toBe(without?.read);
      expect(withIt?.read).toBeGreaterThan((blocks - 1) * MIB);
      expect((withIt?.most ?? Number.NaN) - (without?.most ?? 0)).toBeLessThan(4 * LIMIT);
    },
  );
});

function* steps({ start, block }: Row, blocks: number): Generator<string | Uint8Array> {
  if (start !== undefined) yield start;
  for (let i = 0; i < blocks; i++) yield block;
}
