import { afterAll, beforeAll, expect, it } from 'vitest';
import { titled } from '../protocol/titled.js';
import { collectGarbage } from '../support/garbage.js';
import { JSON_HEADERS, MCP_HEADERS, toolResult, toolsCall } from '../support/json-rpc.js';
import { type ScriptedServer, scriptedServer } from '../support/scripted-server.js';
import { startTracing, type Tracing } from '../support/tracing.js';

// A socket keeps the asynchronous context in which it was made, and a connection lives for minutes.

let server: ScriptedServer;

beforeAll(async () => {
  server = await scriptedServer(() => ({ headers: JSON_HEADERS, body: [toolResult()] }));
});
afterAll(() => server.close());

/** @returns what stands for everything that belongs to the call */
async function call(): Promise<WeakRef<AbortSignal>> {
  const { signal } = new AbortController();
  const response = await fetch(server.url, {
    method: 'POST',
    headers: MCP_HEADERS,
    body: toolsCall(),
    signal,
  });
  await response.text();
  return new WeakRef(signal);
}

async function isCollected(signal: WeakRef<AbortSignal>): Promise<boolean> {
  for (let round = 0; round < 50 && signal.deref() !== undefined; round++) await collectGarbage();
  return signal.deref() === undefined;
}

const sides: { rule: string; start: () => Tracing | undefined }[] = [
  { rule: 'without the instrumentation', start: () => undefined },
  { rule: 'with it', start: () => startTracing() },
];

it.each(titled(sides))(
  'an open connection keeps nothing of the call that opened it, %s',
  async (_, { start }) => {
    // Another port, and with it a connection of its own.
    await server.close();
    server = await scriptedServer(() => ({ headers: JSON_HEADERS, body: [toolResult()] }));
    const tracing = start();
    try {
      const first = await call();
      expect(await isCollected(first)).toBe(true);
      await call();
      const [opened, reused] = server.requests;
      expect(reused?.clientPort).toBe(opened?.clientPort);
    } finally {
      await tracing?.stop();
    }
  },
);
