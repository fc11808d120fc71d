import * as undici5 from 'undici5';
import * as undici6 from 'undici6';
import * as undici7 from 'undici7';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { event, JSON_HEADERS, MCP_HEADERS, SSE_HEADERS, toolResult, toolsCall } from '../support/json-rpc.js';
import { type Answer, type ScriptedServer, scriptedServer } from '../support/scripted-server.js';
import { startTracing, type Tracing } from '../support/tracing.js';
import { SERVES_UNDICI_8, undici8 } from './copies.js';
import { SENDERS, type Undici } from './senders.js';

const progress = event('{"jsonrpc":"2.0","method":"notifications/progress","params":{}}');
const json: Answer = { headers: JSON_HEADERS, body: [toolResult()] };
const stream: Answer = { headers: SSE_HEADERS, body: [progress, event(toolResult())] };

// A process may have several undicis: Node's own under its fetch, and those that its packages depend on. Some tell
// their bytes in two ways, of which the other copies may cause us to listen to both.
describe('several copies of undici in one process', async () => {
  const copies: [string, Undici][] = [
    ...(SERVES_UNDICI_8 ? [['undici 8', await undici8()] as [string, Undici]] : []),
    ['undici 7', undici7],
    ['undici 6', undici6 as unknown as Undici],
    ['undici 5', undici5 as unknown as Undici],
  ];
  let server: ScriptedServer;
  let tracing: Tracing;
  let answer: Answer;

  beforeAll(async () => {
    server = await scriptedServer(() => answer);
    tracing = startTracing();
  });
  afterAll(async () => {
    await tracing.stop();
    await server.close();
  });

  async function callAll(): Promise<number> {
    const sent = { url: server.url, headers: { ...MCP_HEADERS }, body: toolsCall() };
    for (const [, undici] of copies) {
      const dispatcher = new undici.Agent();
      await SENDERS.request(undici, { ...sent, dispatcher });
      await SENDERS.fetch(undici, { ...sent, dispatcher });
      await dispatcher.destroy();
    }
    const response = await fetch(server.url, { method: 'POST', headers: MCP_HEADERS, body: toolsCall() });
    await response.text();
    return copies.length * 2 + 1;
  }

  it.each([
    ['a JSON body', json, { 'mcp.outcome': 'TOOL_SUCCESS' }],
    ['a stream', stream, { 'mcp.outcome': 'TOOL_SUCCESS', 'mcp.stream.events': 2 }],
  ] as const)('each sees the bytes of %s once, whichever copy came before', async (_what, given, told) => {
    answer = given;
    // The second time, every copy comes after every other.
    for (const _round of [1, 2]) {
      tracing.reset();
      const count = await callAll();
      for (const span of await tracing.waitForSpans(count)) expect(span.attributes).toMatchObject(told);
    }
  });
});
