import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { ScriptedServer } from '../support/scripted-server.js';
import { type Agent, startAgent } from './agent.js';
import { type Backend, startBackend } from './backend.js';
import { answeringServer } from './mcp-answers.js';
import { promCounts, promLabelValues, promQuery } from './prometheus-query.js';
import { dashboardQueries, dashboardVariables, jaegerSearchesOf, promqlOf } from './written-queries.js';

/** As the pages call it. */
const SERVICE = 'agent';
const UNTIL = { timeout: 20_000, interval: 250 };
const ROUNDS = 3;
const TURNS = [
  ['works', 'fails', 'bad-params', 'outage', 'no-method', 'page', 'ends', 'reset', 'asks', 'shapeless'],
  ['busy', 'busy', 'locked', 'waits', 'tools/list'],
];
const GRAFANA = { __rate_interval: '30s', __range: '1h', service: SERVICE, server: '.*' };

let backend: Backend;
let server: ScriptedServer;
let agent: Agent;
let failed = true;

beforeAll(async () => {
  server = await answeringServer();
  backend = await startBackend({ prometheus: {} });
  agent = startAgent({
    mcpUrl: server.url,
    otlpEndpoint: backend.otlpEndpoint,
    service: SERVICE,
    env: { OTEL_NODE_EXPERIMENTAL_SDK_METRICS: 'true' },
  });
  // A rate is of what was counted between two visits of Prometheus: each round waits until the last was seen.
  for (let round = 1; round <= ROUNDS; round++) {
    for (const turn of TURNS) await agent.turn(turn);
    for (const metric of ['mcp_client_operation_duration_seconds_count', 'mcp_spans_calls_total']) {
      await vi.waitFor(async () => {
        const counts = await promCounts(backend.prometheusUrl, 'mcp_outcome', metric);
        expect(counts).toMatchObject({ TOOL_SUCCESS: 2 * round, TOOL_ERROR: round });
      }, UNTIL);
    }
  }
  failed = false;
});
afterAll(async () => {
  await agent?.end();
  await backend?.close(failed);
  await server?.close();
});

/** What a query finds, once it finds something; numbers that aren't any don't count. */
function answerTo(query: string) {
  return vi.waitFor(async () => {
    const series = (await promQuery(backend.prometheusUrl, query)).filter(({ value }) =>
      Number.isFinite(value),
    );
    expect(series).not.toEqual([]);
    // Nothing got lost here, which is an answer as well.
    if (!query.includes('otelcol_')) expect(series.some(({ value }) => value > 0)).toBe(true);
    return series;
  }, UNTIL);
}

describe.each(['docs/queries.md', 'docs/alerts.md'])('%s', (page) => {
  it.each(promqlOf(page))('Prometheus finds something for $query', async ({ query }) => {
    await answerTo(query);
  });
});

describe('docs/queries.md', () => {
  const searches = jaegerSearchesOf('docs/queries.md');

  it('has searches for Jaeger', () => {
    expect(searches.length).toBeGreaterThan(15);
  });

  it.each(searches)(
    'Jaeger finds traces for $tags, which is what the link searches for',
    async ({ tags, link }) => {
      const typed = Object.fromEntries(tags.split(' ').map((tag) => tag.split('=')));
      expect(JSON.parse(link.get('tags') ?? '')).toEqual(typed);
      await vi.waitFor(async () => {
        const response = await fetch(`${backend.jaegerQuery}/api/traces?${link}`);
        const { data } = (await response.json()) as { data: readonly unknown[] };
        expect(data).not.toEqual([]);
      }, UNTIL);
    },
  );
});

describe('deploy/grafana/mcp.json', () => {
  it.each(dashboardQueries(GRAFANA))('$source: Prometheus finds something for $query', async ({ query }) => {
    await answerTo(query);
  });

  it.each(dashboardVariables(GRAFANA))('the variable $name has values', async ({ name, selector, label }) => {
    const values = await promLabelValues(backend.prometheusUrl, selector, label);
    expect(values).toEqual(name === 'service' ? [SERVICE] : ['127.0.0.1']);
  });
});
