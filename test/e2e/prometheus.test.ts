import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { ScriptedServer } from '../support/scripted-server.js';
import { type Agent, startAgent } from './agent.js';
import { takeAlertPicture } from './alert-picture.js';
import { type Backend, startBackend } from './backend.js';
import { searchTraces } from './jaeger-query.js';
import { answeringServer } from './mcp-answers.js';
import { promAlerts, promCounts, promExemplars, promQuery } from './prometheus-query.js';

const SERVICE = 'metered-agent';
const UNTIL = { timeout: 30_000, interval: 200 };

/** What the agent calls in its first turn, and how each must be counted. */
const SCRIPT = [
  ...Array(7).fill('works'),
  ...Array(3).fill('fails'),
  ...Array(4).fill('bad-params'),
  'outage',
  'no-method',
  'page',
  'ends',
  'reset',
  'asks',
  'shapeless',
  'tools/list',
];
const BY_OUTCOME = {
  TOOL_SUCCESS: 7,
  TOOL_ERROR: 3,
  JSONRPC_ERROR: 4,
  HTTP_ERROR: 2,
  MALFORMED_JSON: 1,
  STREAM_INCOMPLETE: 1,
  NETWORK_ERROR: 1,
  INPUT_REQUIRED: 1,
  INVALID_TOOL_RESULT: 1,
  SUCCESS: 1,
};
const BY_LAYER = { '': 9, transport: 4, protocol: 6, application: 3 };

describe('calls of an agent, sent through the collector to Prometheus', () => {
  let backend: Backend;
  let server: ScriptedServer;
  let agent: Agent;
  let failed = true;

  beforeAll(async () => {
    server = await answeringServer();
    backend = await startBackend({ prometheus: { window: { rate: '10s', wait: '2s' } } });
    agent = startAgent({ mcpUrl: server.url, otlpEndpoint: backend.otlpEndpoint, service: SERVICE });
    await agent.turn(SCRIPT);
    failed = false;
  });
  afterAll(async () => {
    await agent?.end();
    await backend?.close(failed);
    await server?.close();
  });

  const counts = (label: string, metric: string) =>
    promCounts(backend.prometheusUrl, label, `${metric}{job="${SERVICE}"}`);

  it.each([
    ["the application's own metric", 'mcp_client_operation_duration_seconds_count'],
    ['the metric made from spans', 'mcp_spans_calls_total'],
  ])('%s counts exactly the calls of the script, by outcome and by layer', async (_, metric) => {
    await vi.waitFor(async () => {
      expect(await counts('mcp_outcome', metric)).toEqual(BY_OUTCOME);
      expect(await counts('mcp_error_layer', metric)).toEqual(BY_LAYER);
    }, UNTIL);
  });

  it('counts a repeat that was not safe, and the alert reads it', async () => {
    // After a 503 the tool may have run; after the JSON-RPC errors that the script repeats it has not.
    await agent.turn(['busy', 'busy']);
    await vi.waitFor(async () => {
      const events = 'mcp_spans_events_total{event_name="mcp.unsafe_repeat"}';
      const query = `sum by (job, service_name, gen_ai_tool_name) (${events}) > 0`;
      expect(await promQuery(backend.prometheusUrl, query)).toEqual([
        { labels: { job: SERVICE, service_name: SERVICE, gen_ai_tool_name: 'busy' }, value: 1 },
      ]);
      expect(await promAlerts(backend.prometheusUrl, 'McpUnsafeRepeats')).toMatchObject([
        { state: 'firing', labels: { gen_ai_tool_name: 'busy', severity: 'critical' } },
      ]);
    }, UNTIL);
  });

  it.each([
    { metric: 'mcp_spans_duration_seconds_bucket', calls: ['works'] },
    // Of one that a call was repeated though it may have worked; Jaeger can't be asked for that.
    { metric: 'mcp_spans_events_total', calls: ['busy', 'busy'] },
  ])('exemplars of $metric lead to traces that Jaeger has', async ({ metric, calls }) => {
    const traceIds = await vi.waitFor(async () => {
      await agent.turn(calls);
      const found = await promExemplars(backend.prometheusUrl, `${metric}{job="${SERVICE}"}`);
      expect(found.length).toBeGreaterThan(0);
      return new Set(found);
    }, UNTIL);
    await vi.waitFor(async () => {
      const inJaeger = new Set(
        (await searchTraces(backend.jaegerQuery, SERVICE)).map(({ traceID }) => traceID),
      );
      expect([...traceIds].filter((id) => !inJaeger.has(id))).toEqual([]);
    }, UNTIL);
  });

  it('an alert is inactive while calls work, fires while they fail, and is resolved when they work again', async () => {
    const alert = 'McpJsonRpcErrors';
    const states = async () =>
      (await promAlerts(backend.prometheusUrl, alert))
        .filter(({ labels }) => labels['gen_ai_tool_name'] === 'bad-params')
        .map(({ state }) => state);
    // What the script did is out of the window of ten seconds first.
    await vi.waitFor(async () => expect(await states()).toEqual([]), UNTIL);

    await vi.waitFor(
      async () => {
        await agent.turn(Array(30).fill('bad-params'));
        expect(await states()).toEqual(['firing']);
      },
      { timeout: 60_000, interval: 500 },
    );
    const [firing] = await promAlerts(backend.prometheusUrl, alert);
    expect(firing?.labels).toMatchObject({ job: SERVICE, severity: 'warning', layer: 'protocol' });
    expect(firing?.annotations['summary']).toMatch(
      /^metered-agent: 127\.0\.0\.1:\d+ answers 100% of calls of bad-params/,
    );
    await takeAlertPicture(backend.prometheusUrl, alert);

    await vi.waitFor(
      async () => {
        await agent.turn(['works']);
        expect(await states()).toEqual([]);
      },
      { timeout: 60_000, interval: 500 },
    );
  });

  it('what Prometheus has seen is there after a stop and a start', async () => {
    const { prometheus, prometheusUrl } = backend;
    const query = `sum (last_over_time(mcp_spans_calls_total{job="${SERVICE}"}[1h]))`;
    const [before] = await promQuery(prometheusUrl, query);
    expect(before?.value).toBeGreaterThan(0);
    // With the collector gone, what is found afterwards can only come from the disk.
    await backend.collector.stop();
    await prometheus?.stop();
    await prometheus?.startAgain();
    const [after] = await promQuery(prometheusUrl, query);
    expect(after?.value).toBeGreaterThanOrEqual(before?.value ?? Number.POSITIVE_INFINITY);
  });
});
