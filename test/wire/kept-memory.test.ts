import { describe, expect, it } from 'vitest';
import type { HeaderFields } from '../../src/wire/listener.js';
import { ResponseBody } from '../../src/wire/response-body.js';
import { titled } from '../protocol/titled.js';
import { noise } from '../support/byte-sources.js';
import { collectGarbage } from '../support/garbage.js';

const MAX_BYTES = 256 * 1024;

interface Row {
  readonly rule: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The first byte of the body; noise follows. */
  readonly first: number;
  readonly whileOpen: boolean;
}

const JSON_BODY = { 'content-type': 'application/json' };
const STREAM = { 'content-type': 'text/event-stream' };
const GZIP = { 'content-encoding': 'gzip' };

const rows: Row[] = [
  { rule: 'JSON', headers: JSON_BODY, first: 0x7b, whileOpen: false },
  { rule: 'an event', headers: STREAM, first: 0x64, whileOpen: false },
  { rule: 'compressed JSON', headers: { ...JSON_BODY, ...GZIP }, first: 0x1f, whileOpen: false },
  { rule: 'a compressed stream', headers: { ...STREAM, ...GZIP }, first: 0x1f, whileOpen: false },
  {
    rule: 'a compressed stream that is decoded as it comes',
    headers: { ...STREAM, ...GZIP },
    first: 0x1f,
    whileOpen: true,
  },
];

describe('what is kept of a body takes about its own size, though it comes byte by byte:', () => {
  it.each(titled(rows))('%s', async (_, { headers, first, whileOpen }) => {
    const obstacles: string[] = [];
    const fields: HeaderFields = { get: (name) => headers[name] };
    const interest = { needles: [], serverMessages: false, firstEvent: false, whileOpen };
    const body = new ResponseBody(fields, interest, MAX_BYTES, {
      done: false,
      event() {},
      body() {},
      obstacle: (reason) => void obstacles.push(reason),
    });
    const rest = noise(MAX_BYTES - 1);
    const before = await bytesInUse();
    body.write(Buffer.from([first]));
    // No turn of the event loop in between: what is decoded on another thread can only wait.
    for (let i = 0; i < rest.length; i++) body.write(rest.subarray(i, i + 1));
    const after = bytesInUse();
    expect(obstacles).toEqual([]);
    expect((await after) - before).toBeLessThan(4 * MAX_BYTES);
  });
});

async function bytesInUse(): Promise<number> {
  await collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
