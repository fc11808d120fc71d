import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { CallRecord } from '../../src/index.js';
import {
  JSON_HEADERS,
  MCP_HEADERS,
  request,
  result,
  rpcError,
  toolResult,
  toolsCall,
} from '../support/json-rpc.js';
import { type Answer, CUT, type ScriptedServer, scriptedServer } from '../support/scripted-server.js';
import { startTracing, type Tracing } from '../support/tracing.js';

let server: ScriptedServer;
let tracing: Tracing;
let answer: Answer | typeof CUT;
let records: CallRecord[] = [];

beforeAll(async () => {
  server = await scriptedServer(() => answer);
  tracing = startTracing({ config: { responseHook: (_span, call) => records.push(call) } });
});
afterEach(() => {
  records = [];
  tracing.reset();
  tracing.mcp.disable();
  tracing.mcp.enable();
});
afterAll(async () => {
  await tracing.stop();
  await server.close();
});

const json = (body: string, status = 200, headers: Record<string, string> = {}): Answer => ({
  status,
  headers: { ...JSON_HEADERS, ...headers },
  body: [body],
});
const sseEnded: Answer = { headers: { 'content-type': 'text/event-stream' }, body: [': nothing\n\n'] };

async function send(reply: Answer | typeof CUT, body = toolsCall('pay'), session = 's-1'): Promise<void> {
  answer = reply;
  const headers = { ...MCP_HEADERS, 'mcp-session-id': session };
  await fetch(server.url, { method: 'POST', headers, body })
    .then((response) => response.text())
    .catch(() => undefined);
}

async function isUnsafe(spans: number): Promise<boolean> {
  const all = await tracing.waitForSpans(spans);
  return all.some(({ events }) => events.some(({ name }) => name === 'mcp.unsafe_repeat'));
}

describe('a repeat of a tool that nobody has called harmless', () => {
  it.each([
    ['a 500', json('{}', 500), true],
    ['a 503', json('{}', 503), true],
    ['a cut connection', CUT, true],
    ['a stream that ended before the result', sseEnded, true],
    ['a 429: the server did not act', json('{}', 429), false],
    ['a 401: the server did not act', json('{}', 401), false],
    ['a JSON-RPC error: the server says that it did not', json(rpcError(-32602)), false],
    ['a tool error: the tool says what became of it', json(toolResult({ isError: true })), false],
  ] as const)('after %s', async (_what, failure, unsafe) => {
    await send(failure);
    await send(json(toolResult()));
    expect(await isUnsafe(2)).toBe(unsafe);
  });

  it('another method than tools/call is none', async () => {
    await send(json('{}', 500), request('tools/list'));
    await send(json(result({ tools: [] })), request('tools/list'));
    expect(await isUnsafe(2)).toBe(false);
  });
});

describe("the server's hints about a tool (untrusted: nobody vouches for them)", () => {
  it.each([
    ['read-only', { readOnlyHint: true }, false],
    ['idempotent', { idempotentHint: true, readOnlyHint: false }, false],
    ['destructive', { destructiveHint: true }, true],
    ['not destructive, which is not harmless', { destructiveHint: false }, true],
    ['hints that are no booleans', { readOnlyHint: 'true' }, true],
    ['no hints', undefined, true],
  ])('%s', async (_hint, annotations, unsafe) => {
    const tools = [{ name: 'pay', inputSchema: {}, ...(annotations !== undefined && { annotations }) }];
    await send(json(result({ tools })), request('tools/list'));
    await send(json('{}', 503));
    await send(json(toolResult()));
    expect(await isUnsafe(3)).toBe(unsafe);
  });

  it('of another session count for nothing', async () => {
    const tools = [{ name: 'pay', annotations: { readOnlyHint: true } }];
    await send(json(result({ tools })), request('tools/list'), 'another');
    await send(json('{}', 503));
    await send(json(toolResult()));
    expect(await isUnsafe(3)).toBe(true);
  });

  it('may come on an event stream', async () => {
    const tools = [{ name: 'pay', annotations: { readOnlyHint: true } }];
    const body = [`data: ${result({ tools })}\n\n`];
    await send({ headers: { 'content-type': 'text/event-stream' }, body }, request('tools/list'));
    await send(json('{}', 503));
    await send(json(toolResult()));
    expect(await isUnsafe(3)).toBe(false);
  });
});

describe('the call record', () => {
  it('says who sent it again, why, and what was there to wait for', async () => {
    await send(json('{}', 503, { 'retry-after': '7' }));
    await send(json(toolResult()));
    await tracing.waitForSpans(2);
    expect(records).toMatchObject([
      {
        retryOrigin: 'none',
        retryReason: null,
        attempt: 1,
        errorType: '503',
        retryAfter: '7',
        mrtrRound: null,
      },
      {
        retryOrigin: 'sdk',
        retryReason: 'status_503',
        attempt: 2,
        errorType: null,
        retryAfter: null,
        postCount: 2,
        httpStatuses: [503, 200],
      },
    ]);
    expect(JSON.parse(JSON.stringify(records))).toEqual(records);
  });
});
