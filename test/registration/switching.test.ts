import { request } from 'undici7';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { JSON_HEADERS, MCP_HEADERS, toolResult, toolsCall } from '../support/json-rpc.js';
import { type ScriptedServer, scriptedServer } from '../support/scripted-server.js';
import { UNDICI_SCOPE } from '../support/span-recorder.js';
import { startTracing, type Tracing, type TracingOptions } from '../support/tracing.js';

const nodesFetch = globalThis.fetch;
let server: ScriptedServer;
let started: Tracing[] = [];

beforeAll(async () => {
  server = await scriptedServer(() => ({ headers: JSON_HEADERS, body: [toolResult()] }));
});
afterAll(() => server.close());
afterEach(async () => {
  for (const tracing of started) await tracing.stop();
  started = [];
  globalThis.fetch = nodesFetch;
});

function start(options: TracingOptions = {}): Tracing {
  const tracing = startTracing(options);
  started.push(tracing);
  return tracing;
}

const init = { method: 'POST', headers: MCP_HEADERS, body: toolsCall() };
const byFetch = async (call = fetch) => void (await (await call(server.url, init)).text());
const byUndici = async () => (await request(server.url, init)).body.dump();

describe('disable()', () => {
  it('gives fetch back as it was, also after many cycles', () => {
    const before = Object.getOwnPropertyDescriptor(globalThis, 'fetch');
    const { mcp } = start();
    for (let cycle = 0; cycle < 5; cycle += 1) {
      expect(globalThis.fetch).not.toBe(nodesFetch);
      mcp.disable();
      expect(Object.getOwnPropertyDescriptor(globalThis, 'fetch')).toEqual(before);
      mcp.disable();
      expect(globalThis.fetch).toBe(nodesFetch);
      mcp.enable();
    }
  });

  it('leaves no span to be made, by fetch or by undici', async () => {
    const tracing = start({ undici: 'second' });
    tracing.mcp.disable();
    await byFetch();
    await byUndici();
    await tracing.waitForHttpSpans(2);
    expect(tracing.startedSpans()).toBe(0);
    expect(await tracing.durations()).toEqual([]);
  });

  it('leaves a later patch of fetch in place, and the wrapper that it holds does nothing', async () => {
    const tracing = start({ undici: 'second' });
    const ours = globalThis.fetch;
    let patched = 0;
    const patch: typeof fetch = (...args) => {
      patched += 1;
      return ours(...args);
    };
    globalThis.fetch = patch;
    tracing.mcp.disable();
    expect(globalThis.fetch).toBe(patch);
    await byFetch();
    const [http] = await tracing.waitForHttpSpans(1);
    expect(patched).toBe(1);
    expect(tracing.startedSpans()).toBe(0);
    expect(http?.parentSpanContext).toBeUndefined();
  });
});

describe('enable()', () => {
  it('after disable() tells calls again, one span each', async () => {
    const tracing = start({ undici: 'second' });
    for (let cycle = 1; cycle <= 3; cycle += 1) {
      tracing.mcp.disable();
      tracing.mcp.enable();
      await byFetch();
      await byUndici();
      expect(await tracing.waitForSpans(2 * cycle)).toHaveLength(2 * cycle);
      expect(await tracing.waitForHttpSpans(2 * cycle)).toHaveLength(2 * cycle);
    }
    expect((await tracing.durations()).map(({ count }) => count)).toEqual([6]);
  });

  it('twice tells a call once, and is undone by one disable()', async () => {
    const tracing = start();
    tracing.mcp.enable();
    tracing.mcp.enable();
    await byFetch();
    expect(await tracing.waitForSpans(1)).toHaveLength(1);
    tracing.mcp.disable();
    expect(globalThis.fetch).toBe(nodesFetch);
  });

  it('under a patch that holds the wrapper of before tells a call once', async () => {
    const tracing = start({ undici: 'second' });
    const ours = globalThis.fetch;
    globalThis.fetch = (...args) => ours(...args);
    tracing.mcp.disable();
    tracing.mcp.enable();
    await byFetch();
    const [mcp] = await tracing.waitForSpans(1);
    const [http, ...others] = await tracing.waitForHttpSpans(1);
    expect(others).toEqual([]);
    expect(http?.parentSpanContext?.spanId).toBe(mcp?.spanContext().spanId);
  });

  it('is not called for `enabled: false`, until somebody calls it', async () => {
    const tracing = start({ config: { enabled: false } });
    expect(globalThis.fetch).toBe(nodesFetch);
    await byFetch();
    expect(tracing.startedSpans()).toBe(0);
    tracing.mcp.enable();
    await byFetch();
    expect(await tracing.waitForSpans(1)).toHaveLength(1);
  });
});

describe('two instances in one process', () => {
  it('a second one takes the place of the first: each call is told once, by the second', async () => {
    const first = start({ undici: 'second' });
    const second = start();
    await byFetch();
    await byUndici();
    const calls = await second.waitForSpans(2);
    expect(first.startedSpans()).toBe(0);
    expect(await first.durations()).toEqual([]);
    expect((await second.durations()).map(({ count }) => count)).toEqual([2]);
    const [http] = await first.waitForHttpSpans(2);
    expect(http?.instrumentationScope.name).toBe(UNDICI_SCOPE);
    expect(http?.parentSpanContext?.spanId).toBe(calls[0]?.spanContext().spanId);
  });

  it('the one that was replaced, disabled once more, takes nothing from the other', async () => {
    const first = start();
    const second = start();
    first.mcp.disable();
    await byFetch();
    expect(await second.waitForSpans(1)).toHaveLength(1);
    second.mcp.disable();
    expect(globalThis.fetch).toBe(nodesFetch);
  });

  it('the first takes its place back when it is enabled again', async () => {
    const first = start();
    const second = start();
    first.mcp.enable();
    await byFetch();
    expect(await first.waitForSpans(1)).toHaveLength(1);
    expect(second.startedSpans()).toBe(0);
    first.mcp.disable();
    expect(globalThis.fetch).toBe(nodesFetch);
  });
});
