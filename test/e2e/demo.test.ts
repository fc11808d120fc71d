import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ERROR_LAYERS, OUTCOMES } from '../../src/index.js';
import { runNode } from '../support/run.js';
import { MCP_SCOPE } from '../support/span-recorder.js';
import { type Backend, startBackend } from './backend.js';
import { type JaegerSpan, searchTraces, tagOf } from './jaeger-query.js';

const SERVICE = 'e2e-demo';

/** A row of `npm run demo -- --json`, as far as it is looked at. */
interface Row {
  readonly call: string;
  readonly code: string | null;
  readonly outcome: string;
  readonly layer: string | null;
  readonly traceId: string;
  readonly spanId: string;
}

describe('the calls of the demo, sent through the collector to Jaeger', () => {
  let backend: Backend;
  let rows: readonly Row[];
  let failed = true;

  beforeAll(async () => {
    backend = await startBackend();
    const demo = await runNode(['examples/demo/main.mjs', '--json'], {
      OTEL_SERVICE_NAME: SERVICE,
      OTEL_EXPORTER_OTLP_ENDPOINT: backend.otlpEndpoint,
    });
    expect(demo).toMatchObject({ code: 0, stderr: '' });
    rows = JSON.parse(demo.stdout) as Row[];
    // The collector batches for 200 ms, and its exporter may send again: wait for the last span, not for a time.
    await vi.waitFor(async () => expect((await callsFoundBy({})).spanIds).toEqual(idsOf(rows).spanIds), {
      timeout: 30_000,
      interval: 100,
    });
    failed = false;
  });
  afterAll(() => backend?.close(failed));

  /** What Jaeger finds: the traces, and in them the calls that carry the tags. */
  async function callsFoundBy(tags: Readonly<Record<string, string>>) {
    const spans = await searchTraces(backend.jaegerQuery, SERVICE, tags);
    return {
      traceIds: unique(spans.map(({ traceID }) => traceID)),
      spanIds: spans
        .filter((span) => isCall(span, tags))
        .map(({ spanID }) => spanID)
        .sort(),
    };
  }

  const searches = [
    ...OUTCOMES.map((outcome) => ({
      tag: 'mcp.outcome',
      value: outcome as string,
      of: (row: Row) => row.outcome,
    })),
    ...ERROR_LAYERS.map((layer) => ({
      tag: 'mcp.error.layer',
      value: layer as string,
      of: (row: Row) => row.layer,
    })),
  ];

  it.each(searches)('$tag=$value finds exactly those calls', async ({ tag, value, of }) => {
    const expected = idsOf(rows.filter((row) => of(row) === value));
    expect(expected.spanIds.length).toBeGreaterThan(0);
    expect(await callsFoundBy({ [tag]: value })).toEqual(expected);
  });

  it('rpc.response.status_code=… finds exactly the calls that have that code', async () => {
    const codes = unique(rows.flatMap(({ code }) => (code === null ? [] : [code])));
    expect(codes.length).toBeGreaterThan(1);
    for (const code of codes) {
      const expected = idsOf(rows.filter((row) => row.code === code));
      expect(await callsFoundBy({ 'rpc.response.status_code': code })).toEqual(expected);
    }
  });

  it('two tags at once find the calls that carry both', async () => {
    const tags = { 'mcp.error.layer': 'transport', 'rpc.response.status_code': '-32601' };
    const expected = idsOf(rows.filter(({ layer, code }) => layer === 'transport' && code === '-32601'));
    expect(expected.spanIds).toHaveLength(1);
    expect(await callsFoundBy(tags)).toEqual(expected);
  });

  it('a value that no call has finds nothing', async () => {
    expect(await callsFoundBy({ 'mcp.outcome': 'SUCCES' })).toEqual({ traceIds: [], spanIds: [] });
  });
});

function isCall(span: JaegerSpan, tags: Readonly<Record<string, string>>): boolean {
  return (
    tagOf(span, 'otel.scope.name') === MCP_SCOPE &&
    Object.entries(tags).every(([key, value]) => tagOf(span, key) === value)
  );
}

function idsOf(rows: readonly Row[]) {
  return {
    traceIds: unique(rows.map(({ traceId }) => traceId)),
    spanIds: rows.map(({ spanId }) => spanId).sort(),
  };
}

const unique = (values: readonly string[]): string[] => [...new Set(values)].sort();
