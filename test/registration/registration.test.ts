import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { registerInstrumentations } from '@opentelemetry/instrumentation';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import { BasicTracerProvider, type ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { McpHttpInstrumentation } from '../../src/index.js';
import { JSON_HEADERS, MCP_HEADERS, toolResult, toolsCall } from '../support/json-rpc.js';
import { type ScriptedServer, scriptedServer } from '../support/scripted-server.js';
import { MCP_SCOPE, SpanRecorder, UNDICI_SCOPE } from '../support/span-recorder.js';

const original = globalThis.fetch;
const contextManager = new AsyncLocalStorageContextManager();
let server: ScriptedServer;
let recorder: SpanRecorder;
let provider: BasicTracerProvider;
let cleanups: (() => void)[] = [];

beforeAll(async () => {
  server = await scriptedServer(() => ({ headers: JSON_HEADERS, body: [toolResult()] }));
  context.setGlobalContextManager(contextManager.enable());
});
beforeEach(() => {
  recorder = new SpanRecorder();
  provider = new BasicTracerProvider({ spanProcessors: [recorder] });
});
afterEach(() => {
  for (const cleanup of cleanups.reverse()) cleanup();
  cleanups = [];
  trace.disable();
  expect(globalThis.fetch).toBe(original);
});
afterAll(async () => {
  context.disable();
  contextManager.disable();
  await server.close();
});

function cleanup<T extends { disable(): void }>(instrumentation: T): T {
  cleanups.push(() => instrumentation.disable());
  return instrumentation;
}

function ours(): McpHttpInstrumentation {
  const mcp = cleanup(new McpHttpInstrumentation());
  mcp.setTracerProvider(provider);
  return mcp;
}

function undicis(mcp?: McpHttpInstrumentation): UndiciInstrumentation {
  const undici = cleanup(
    new UndiciInstrumentation(mcp === undefined ? {} : { requestHook: mcp.httpSpanHook }),
  );
  undici.setTracerProvider(provider);
  return undici;
}

const call = async (send: typeof fetch = globalThis.fetch): Promise<void> => {
  const response = await send(server.url, { method: 'POST', headers: MCP_HEADERS, body: toolsCall() });
  await response.text();
};

async function spans(
  mcpCount: number,
  httpCount = 0,
): Promise<{ mcp: ReadableSpan[]; http: ReadableSpan[] }> {
  const mcp = await recorder.waitFor(MCP_SCOPE, mcpCount, 3_000);
  const http = await recorder.waitFor(UNDICI_SCOPE, httpCount, 3_000);
  expect(recorder.startedCount(MCP_SCOPE)).toBe(mcpCount);
  expect(recorder.startedCount(UNDICI_SCOPE)).toBe(httpCount);
  return { mcp, http };
}

const parentOf = (span: ReadableSpan | undefined) => span?.parentSpanContext?.spanId;
const idOf = (span: ReadableSpan | undefined) => span?.spanContext().spanId;

describe('the HTTP span is a child, and carries the outcome', () => {
  it.each([
    [
      'ours first',
      () => {
        undicis(ours());
      },
    ],
    [
      'instrumentation-undici first, given the hook afterwards',
      () => {
        const undici = undicis();
        undici.setConfig({ requestHook: ours().httpSpanHook });
      },
    ],
    [
      'by registerInstrumentations',
      () => {
        const mcp = new McpHttpInstrumentation();
        const undici = new UndiciInstrumentation({ requestHook: mcp.httpSpanHook });
        cleanups.push(
          registerInstrumentations({ instrumentations: [undici, mcp], tracerProvider: provider }),
        );
      },
    ],
    [
      'before there is a tracer provider',
      () => {
        const mcp = cleanup(new McpHttpInstrumentation());
        cleanup(new UndiciInstrumentation({ requestHook: mcp.httpSpanHook }));
        trace.setGlobalTracerProvider(provider);
      },
    ],
  ])('%s', async (_order, register) => {
    register();
    await call();
    const { mcp, http } = await spans(1, 1);
    expect(parentOf(http[0])).toBe(idOf(mcp[0]));
    expect(http[0]?.attributes).toMatchObject({
      'mcp.outcome': 'TOOL_SUCCESS',
      'http.response.status_code': 200,
    });
  });

  it('instrumentation-undici first, without the hook: a child all the same', async () => {
    undicis();
    ours();
    await call();
    const { mcp, http } = await spans(1, 1);
    expect(parentOf(http[0])).toBe(idOf(mcp[0]));
    expect(http[0]?.attributes).not.toHaveProperty('mcp.outcome');
  });
});

describe('a fetch that is not the wrapped one is seen on the channels, as a sibling', () => {
  it('taken before', async () => {
    const taken = globalThis.fetch;
    undicis(ours());
    await call(taken);
    const { mcp, http } = await spans(1, 1);
    expect(mcp[0]?.attributes).toMatchObject({ 'mcp.outcome': 'TOOL_SUCCESS' });
    expect(parentOf(http[0])).toBeUndefined();
  });

  it("put in its place afterwards, as undici's install() does", async () => {
    const wrapped = ours();
    const { fetch: npmFetch } = (await import('undici7')) as { fetch: unknown };
    const ourWrapper = globalThis.fetch;
    globalThis.fetch = npmFetch as typeof fetch;
    cleanups.unshift(() => {
      globalThis.fetch = original;
    });
    await call();
    await spans(1);
    // What somebody else has put there is theirs.
    wrapped.disable();
    expect(globalThis.fetch).toBe(npmFetch);
    expect(ourWrapper).not.toBe(npmFetch);
  });
});

describe('disable() and enable()', () => {
  it('give back the very same fetch, and make spans again, one per call', async () => {
    const mcp = ours();
    mcp.disable();
    expect(globalThis.fetch).toBe(original);
    await call();
    expect(recorder.startedCount(MCP_SCOPE)).toBe(0);
    mcp.enable();
    mcp.enable();
    await call();
    await spans(1);
  });

  it('a wrapper that a later patch still holds only passes through', async () => {
    const mcp = ours();
    const held = globalThis.fetch;
    const patch: typeof fetch = (...args) => held(...args);
    globalThis.fetch = patch;
    cleanups.unshift(() => {
      globalThis.fetch = original;
    });
    mcp.disable();
    expect(globalThis.fetch).toBe(patch);
    await call();
    expect(recorder.startedCount(MCP_SCOPE)).toBe(0);
    mcp.enable();
    await call();
    await spans(1);
    mcp.disable();
    expect(globalThis.fetch).toBe(patch);
  });

  it('a call that is under way ends with what is known, once', async () => {
    const mcp = ours();
    const pending = call();
    mcp.disable();
    await pending;
    const { mcp: ended } = await spans(1);
    expect(ended[0]?.attributes).toMatchObject({
      'mcp.outcome': 'UNCLASSIFIED',
      'mcp.unclassified.reason': 'evicted',
    });
  });
});

it('two instances each tell of each call: register one', async () => {
  ours();
  ours();
  await call();
  const { mcp } = await spans(2);
  expect(mcp.map(({ attributes }) => attributes['mcp.outcome'])).toEqual(['TOOL_SUCCESS', 'TOOL_SUCCESS']);
});
