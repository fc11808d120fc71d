import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { type Backend, startBackend } from './backend.js';
import { metricSum } from './metrics-page.js';
import { exportSpans, madeTurn } from './otlp-spans.js';

const SECONDS = 60;
const EXPORTS_PER_SECOND = 10;
/** Of three spans each: 2,010 spans a second. */
const TURNS_PER_EXPORT = 67;
const TOOLS = 50;

const { mem_limit, environment } = (
  parse(readFileSync('docker-compose.yml', 'utf8')) as {
    services: { collector: { mem_limit: string; environment: { GOMEMLIMIT: string } } };
  }
).services.collector;

let backend: Backend;
let failed = true;

beforeAll(async () => {
  backend = await startBackend({ collectorEnv: { GOMEMLIMIT: environment.GOMEMLIMIT } });
});
afterAll(() => backend?.close(failed));

it('2,000 spans a second for a minute pass the development collector whole, within its memory limit', async () => {
  const exports = SECONDS * EXPORTS_PER_SECOND;
  const began = performance.now();
  let mostResident = 0;
  for (let number = 0; number < exports; number++) {
    // By the schedule, not after the last export: a slow one is made up for.
    await delay(Math.max(0, began + (number * 1000) / EXPORTS_PER_SECOND - performance.now()));
    const turns = Array.from({ length: TURNS_PER_EXPORT }, (_, index) => {
      const tool = `tool-${(number + index) % TOOLS}`;
      return index % 10 === 0
        ? madeTurn({ tool, outcome: 'TOOL_ERROR', layer: 'application' })
        : madeTurn({ tool, outcome: 'TOOL_SUCCESS' });
    });
    await exportSpans(backend.otlpEndpoint, 'busy-agent', turns.flat());
    if (number % EXPORTS_PER_SECOND === 0) {
      mostResident = Math.max(mostResident, backend.collector.residentBytes());
    }
  }
  const seconds = (performance.now() - began) / 1000;
  const spans = exports * TURNS_PER_EXPORT * 3;
  console.log(
    `${Math.round(spans / seconds)} spans/s for ${seconds.toFixed(1)} s, ` +
      `at most ${Math.round(mostResident / 2 ** 20)} MiB of ${mem_limit} resident`,
  );

  const own = (name: string, labels = {}) => metricSum(backend.collectorMetricsUrl, name, labels);
  await vi.waitFor(
    async () => expect(await own('otelcol_exporter_sent_spans_total', { exporter: 'otlphttp' })).toBe(spans),
    { timeout: 20_000, interval: 200 },
  );
  expect(await own('otelcol_receiver_refused_spans_total')).toBe(0);
  expect(await own('otelcol_exporter_enqueue_failed_spans_total')).toBe(0);
  await vi.waitFor(
    async () => expect(await metricSum(backend.metricsUrl, 'mcp_spans_calls_total')).toBe(spans / 3),
    { timeout: 10_000, interval: 200 },
  );
  expect(mostResident).toBeLessThan(Number.parseInt(mem_limit, 10) * 2 ** 20);
  failed = false;
}, 150_000);
