import { afterAll, beforeAll, expect, it } from 'vitest';
import { repeatedText } from '../support/byte-sources.js';
import { event, MCP_HEADERS, SSE_HEADERS, toolResult, toolsCall } from '../support/json-rpc.js';
import { peakMemory } from '../support/peak-memory.js';
import { type ScriptedServer, scriptedServer } from '../support/scripted-server.js';

const EVENTS = 1_000_000;
const progress = event('{"jsonrpc":"2.0","method":"notifications/progress","params":{}}');
const response = event(toolResult());

let server: ScriptedServer;

beforeAll(async () => {
  server = await scriptedServer(() => ({ headers: SSE_HEADERS, body: events() }));
});
afterAll(() => server.close());

function* events() {
  yield* repeatedText(progress, EVENTS);
  yield response;
}

it('a stream of a million events takes no more memory than one of a few', { timeout: 60_000 }, async () => {
  const init = { method: 'POST', headers: MCP_HEADERS, body: toolsCall() };
  const { bytes, without, withUs, told } = await peakMemory({
    url: server.url,
    init,
    maxBodyBytes: 4 * 1024 * 1024,
  });
  expect(bytes).toBe(progress.length * EVENTS + response.length);
  expect(told).toEqual([['TOOL_SUCCESS', EVENTS + 1]]);
  // One byte for each event would show.
  expect(withUs - without).toBeLessThan(1_000_000);
});
