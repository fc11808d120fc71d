import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ScriptedServer } from '../support/scripted-server.js';
import { startAgent } from './agent.js';
import { type Backend, type BackendOptions, startBackend } from './backend.js';
import { searchTraces } from './jaeger-query.js';
import { answeringServer } from './mcp-answers.js';
import { metricSum } from './metrics-page.js';
import { exportSpans, madeTurn } from './otlp-spans.js';

const SERVICE = 'faulty-agent';
const UNTIL = { timeout: 30_000, interval: 200 };
/** Much longer than a call on loopback takes, much shorter than any export's timeout. */
const BLOCKED_MILLIS = 2_000;

let backend: Backend;
let server: ScriptedServer;

beforeEach(async () => {
  server = await answeringServer();
});
afterEach(async ({ task }) => {
  await backend?.close(task.result?.state === 'fail');
  await server?.close();
});

async function start(options: BackendOptions): Promise<void> {
  backend = await startBackend(options);
}

const spansInJaeger = async () =>
  new Set((await searchTraces(backend.jaegerQuery, SERVICE)).map(({ spanID }) => spanID)).size;

const tracesInJaeger = async () =>
  new Set((await searchTraces(backend.jaegerQuery, SERVICE)).map(({ traceID }) => traceID)).size;

const lostByCollector = async () =>
  (await metricSum(backend.collectorMetricsUrl, 'otelcol_exporter_enqueue_failed_spans_total')) +
  (await metricSum(backend.collectorMetricsUrl, 'otelcol_exporter_send_failed_spans_total', {
    exporter: 'otlphttp',
  }));

describe('the collector is stopped in the middle and started again', () => {
  it('the calls go on as fast as ever, and each span is in Jaeger or counted as lost, by the agent itself', async () => {
    await start({});
    const agent = startAgent({
      mcpUrl: server.url,
      otlpEndpoint: backend.otlpEndpoint,
      service: SERVICE,
      env: {
        // The SDK's own count of what it exported and what it could not.
        OTEL_NODE_EXPERIMENTAL_SDK_METRICS: 'true',
        // Too short for the exporter to try again: so that something is lost.
        OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: '500',
      },
    });
    let longest = 0;
    let turns = 0;
    const turn = async () => {
      const { longestMillis } = await agent.turn(['works', 'fails']);
      longest = Math.max(longest, longestMillis);
      turns++;
    };

    for (let count = 0; count < 20; count++) await turn();
    await vi.waitFor(async () => expect(await tracesInJaeger()).toBe(20), UNTIL);
    await backend.collector.stop();
    // As many turns as it takes until the exporter has tried and failed.
    const stoppedAt = performance.now();
    while (performance.now() - stoppedAt < 1_500) await turn();
    await backend.collector.startAgain();
    for (let count = 0; count < 20; count++) await turn();

    // A turn is one span, its two calls are two each; the metric arrives with the next export.
    await vi.waitFor(async () => {
      const processed = (labels: object) =>
        metricSum(backend.metricsUrl, 'otel_sdk_processor_span_processed_total', {
          job: SERVICE,
          ...labels,
        });
      const lost = (await processed({})) - (await processed({ error_type: '' }));
      expect(await processed({})).toBe(turns * 5);
      expect(lost).toBeGreaterThan(0);
      // Nothing is missing that isn't counted. An export whose answer came too late counts as lost and has arrived, and
      // a batch may end in the middle of a trace.
      expect(await spansInJaeger()).toBeGreaterThanOrEqual(turns * 5 - lost);
    }, UNTIL);
    expect(longest).toBeLessThan(BLOCKED_MILLIS);
    const { code, stderr } = await agent.end();
    expect(code).toBe(0);
    expect(stderr).toMatch(/ECONNREFUSED|Export failed|timed out/);
  });

  it('an agent whose exporter may try again loses nothing over a short stop', async () => {
    await start({});
    const agent = startAgent({ mcpUrl: server.url, otlpEndpoint: backend.otlpEndpoint, service: SERVICE });
    await agent.turn(['works']);
    await backend.collector.stop();
    for (let count = 0; count < 10; count++) await agent.turn(['works']);
    await backend.collector.startAgain();
    await vi.waitFor(async () => expect(await tracesInJaeger()).toBe(11), UNTIL);
    expect(await agent.end()).toMatchObject({ code: 0 });
  });
});

describe('Jaeger is away', () => {
  it('the collector keeps the spans and delivers them when Jaeger is back', async () => {
    await start({});
    await backend.jaeger.stop();
    const turns = Array.from({ length: 200 }, () => madeTurn({ outcome: 'TOOL_SUCCESS' }));
    await exportSpans(backend.otlpEndpoint, SERVICE, turns.flat());
    await vi.waitFor(async () => {
      expect(await metricSum(backend.collectorMetricsUrl, 'otelcol_exporter_queue_size')).toBe(600);
    }, UNTIL);
    await backend.jaeger.startAgain();
    await vi.waitFor(async () => expect(await tracesInJaeger()).toBe(200), UNTIL);
    expect(await lostByCollector()).toBe(0);
  });

  it('what a full queue has no room for is dropped and counted, the application is not held up', async () => {
    await start({ collectorEnv: { COLLECTOR_QUEUE_SPANS: '3000' } });
    await backend.jaeger.stop();
    let sent = 0;
    let longest = 0;
    for (; sent < 9_000; sent += 300) {
      const turns = Array.from({ length: 100 }, () => madeTurn({ outcome: 'TOOL_SUCCESS' }));
      const started = performance.now();
      await exportSpans(backend.otlpEndpoint, SERVICE, turns.flat());
      longest = Math.max(longest, performance.now() - started);
    }
    expect(longest).toBeLessThan(BLOCKED_MILLIS);
    await backend.jaeger.startAgain();
    await vi.waitFor(async () => {
      const delivered = await metricSum(backend.collectorMetricsUrl, 'otelcol_exporter_sent_spans_total', {
        exporter: 'otlphttp',
      });
      const lost = await lostByCollector();
      expect(lost).toBeGreaterThan(0);
      expect(delivered + lost).toBe(sent);
    }, UNTIL);
    expect(backend.collector.log()).toMatch(/queue is full/i);
  });
});
