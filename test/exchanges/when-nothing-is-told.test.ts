import { context } from '@opentelemetry/api';
import { suppressTracing } from '@opentelemetry/core';
import { AlwaysOffSampler } from '@opentelemetry/sdk-trace-base';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { CallRecord } from '../../src/index.js';
import { event, JSON_HEADERS, MCP_HEADERS, SSE_HEADERS, toolResult, toolsCall } from '../support/json-rpc.js';
import { type Answer, type ScriptedServer, scriptedServer } from '../support/scripted-server.js';
import { signal } from '../support/signal.js';
import { startTracing, type Tracing, type TracingOptions } from '../support/tracing.js';

const original = globalThis.fetch;
let server: ScriptedServer;
let tracing: Tracing;
let answer: Answer;

beforeAll(async () => {
  server = await scriptedServer(() => answer);
});
afterEach(async () => {
  await tracing.stop();
  expect(globalThis.fetch).toBe(original);
});
afterAll(() => server.close());

function start(options: TracingOptions = {}): void {
  answer = { headers: JSON_HEADERS, body: [toolResult()] };
  tracing = startTracing(options);
}

async function call(send: typeof fetch = globalThis.fetch, body = toolsCall()): Promise<string> {
  const response = await send(server.url, { method: 'POST', headers: MCP_HEADERS, body });
  return response.text();
}

describe('while tracing is suppressed', () => {
  it.each([
    ['a fetch', () => call()],
    ['a fetch that was taken before', () => call(original)],
  ])('%s makes no span and no measurement', async (_, send) => {
    start();
    expect(await context.with(suppressTracing(context.active()), send)).toBe(toolResult());
    expect(tracing.startedSpans()).toBe(0);
    expect(await tracing.durations()).toEqual([]);
    await send();
    await tracing.waitForSpans(1);
  });

  it('a notice of cancellation that is not told ends no call', async () => {
    start();
    const noticed = signal();
    answer = { headers: JSON_HEADERS, body: [noticed.seen, toolResult()] };
    const response = await fetch(server.url, { method: 'POST', headers: MCP_HEADERS, body: toolsCall() });
    answer = { status: 202 };
    const notice = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}';
    await context.with(suppressTracing(context.active()), () => call(undefined, notice));
    noticed.give();
    await response.text();
    const [span] = await tracing.waitForSpans(1);
    expect(span?.attributes['mcp.outcome']).toBe('TOOL_SUCCESS');
  });
});

describe('where no span is recorded', () => {
  it('the call is measured all the same, and hooks have their record', async () => {
    const records: CallRecord[] = [];
    start({
      sampler: new AlwaysOffSampler(),
      config: { captureContent: true, responseHook: (_, record) => records.push(record) },
    });
    answer = { headers: SSE_HEADERS, body: [event(toolResult({ isError: true }))] };
    await call();
    const points = await tracing.durations();
    expect(tracing.startedSpans()).toBe(0);
    expect(points.map(({ attributes, count }) => [attributes['mcp.outcome'], count])).toEqual([
      ['TOOL_ERROR', 1],
    ]);
    expect(records).toMatchObject([{ outcome: 'TOOL_ERROR', httpStatuses: [200], streamEvents: 1 }]);
  });
});

describe('without a context manager', () => {
  it('calls are told and measured, each by its own response', async () => {
    start({ contextManager: false });
    answer = { headers: JSON_HEADERS, body: [`[${toolResult({}, 1)},${toolResult({ isError: true }, 2)}]`] };
    await Promise.all([call(undefined, toolsCall('a', 1)), call(undefined, toolsCall('b', 2))]);
    const spans = await tracing.waitForSpans(2);
    expect(spans.map(({ name, attributes }) => [name, attributes['mcp.outcome']]).sort()).toEqual([
      ['tools/call a', 'TOOL_SUCCESS'],
      ['tools/call b', 'TOOL_ERROR'],
    ]);
    const points = await tracing.durations();
    expect(points.map(({ count }) => count)).toEqual([1, 1]);
  });
});

describe('after disable()', () => {
  it.each([
    ['a fetch', () => call()],
    ['a fetch that was taken before', () => call(original)],
  ])('%s makes no span and no measurement, until enable()', async (_, send) => {
    start();
    tracing.mcp.disable();
    expect(await send()).toBe(toolResult());
    expect(tracing.startedSpans()).toBe(0);
    expect(await tracing.durations()).toEqual([]);
    tracing.mcp.enable();
    await send();
    await tracing.waitForSpans(1);
    expect((await tracing.durations()).map(({ count }) => count)).toEqual([1]);
  });

  it('an instrumentation made with enabled: false tells nothing, until enable()', async () => {
    start({ config: { enabled: false } });
    expect(globalThis.fetch).toBe(original);
    await call();
    expect(tracing.startedSpans()).toBe(0);
    tracing.mcp.enable();
    await call();
    await tracing.waitForSpans(1);
  });
});

describe('setConfig', () => {
  it('holds for the calls after it', async () => {
    start();
    answer = { headers: { ...JSON_HEADERS, 'mcp-session-id': 's' }, body: [toolResult()] };
    const headers = { ...MCP_HEADERS, 'mcp-session-id': 's' };
    const send = async () => {
      await (await fetch(server.url, { method: 'POST', headers, body: toolsCall() })).text();
    };
    await send();
    tracing.mcp.setConfig({ sessionId: 'raw', captureContent: true });
    await send();
    tracing.mcp.setConfig({ sessionId: 'off' });
    await send();
    const spans = await tracing.waitForSpans(3);
    expect(spans.map(({ attributes }) => attributes['mcp.session.id'])).toEqual([
      expect.stringMatching(/^[0-9a-f]{16}$/),
      's',
      undefined,
    ]);
    expect(spans.map(({ attributes }) => 'gen_ai.tool.call.result' in attributes)).toEqual([
      false,
      true,
      false,
    ]);
  });

  it('with enabled: false stops, and gives fetch back', async () => {
    start();
    tracing.mcp.setConfig({ enabled: false });
    expect(globalThis.fetch).toBe(original);
    await call();
    expect(tracing.startedSpans()).toBe(0);
  });

  it('does not start what was stopped', async () => {
    start();
    tracing.mcp.disable();
    tracing.mcp.setConfig({ sessionId: 'raw' });
    expect(globalThis.fetch).toBe(original);
    tracing.mcp.enable();
    await call();
    await tracing.waitForSpans(1);
  });
});
