import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type ScriptedServer, scriptedServer } from '../support/scripted-server.js';
import { type Backend, startBackend } from './backend.js';
import { type JaegerSpan, searchTraces, tagOf } from './jaeger-query.js';
import { metricSum, metricsPage } from './metrics-page.js';
import { exportSpans, type MadeCall, madeTurn, newTraceId } from './otlp-spans.js';

const SERVICE = 'production-agent';
const SAMPLED_PERCENT = 10;
const UNTIL = { timeout: 30_000, interval: 100 };

/** How many traces of each kind the load has, and what their call is like. */
const KINDS = {
  JSONRPC_ERROR: { count: 150, call: { outcome: 'JSONRPC_ERROR', layer: 'protocol' } },
  TOOL_ERROR: { count: 150, call: { outcome: 'TOOL_ERROR', layer: 'application' } },
  HTTP_ERROR: { count: 100, call: { outcome: 'HTTP_ERROR', layer: 'transport' } },
  INPUT_REQUIRED: { count: 100, call: { outcome: 'INPUT_REQUIRED' } },
  slow: { count: 100, call: { outcome: 'SUCCESS', durationMillis: 6_000 } },
  repeated: {
    count: 50,
    call: {
      outcome: 'TASK_CREATED',
      attributes: { 'mcp.retry.attempt': 2 },
      events: [{ name: 'mcp.unsafe_repeat' }],
    },
  },
  TOOL_SUCCESS: { count: 4_000, call: { outcome: 'TOOL_SUCCESS' } },
} as const satisfies Record<string, { count: number; call: MadeCall }>;
type Kind = keyof typeof KINDS;

const TURNS_PER_EXPORT = 100;
/** Where the vendor takes traces. */
const TRACES = '/otlp/v1/traces';

describe('collector/production.yaml', () => {
  let backend: Backend;
  let failed = true;
  const late = new Set<string>();
  const traceIds = {} as Record<Kind, string[]>;

  beforeAll(async () => {
    backend = await startBackend({
      collectorConfig: 'production.yaml',
      jaegerEnv: { JAEGER_MAX_TRACES: '20000' },
      collectorEnv: { SAMPLED_PERCENT: String(SAMPLED_PERCENT), DECISION_WAIT: '2s' },
      collectorEnvFor: (jaegerOtlp) => ({ OTLP_EXPORT_ENDPOINT: jaegerOtlp }),
    });
    for (const kind of Object.keys(KINDS) as Kind[]) {
      traceIds[kind] = Array.from({ length: KINDS[kind].count }, newTraceId);
    }
    const turns = mixed(
      (Object.keys(KINDS) as Kind[]).flatMap((kind) =>
        traceIds[kind].map((traceId) => madeTurn({ ...KINDS[kind].call, traceId })),
      ),
    );
    for (let first = 0; first < turns.length; first += TURNS_PER_EXPORT) {
      await exportSpans(backend.otlpEndpoint, SERVICE, turns.slice(first, first + TURNS_PER_EXPORT).flat());
    }
    await vi.waitFor(async () => expect(await judged()).toBe(turns.length), UNTIL);
    await everythingSent();
    failed = false;
  });
  afterAll(() => backend?.close(failed));

  const judged = () =>
    metricSum(
      backend.collectorMetricsUrl,
      'otelcol_processor_tail_sampling_global_count_traces_sampled_total',
    );

  /** What the filters let through has left for Jaeger. */
  async function everythingSent(): Promise<void> {
    let before = -1;
    await vi.waitFor(
      async () => {
        const samples = await metricsPage(backend.collectorMetricsUrl);
        const of = (name: string, component: string) =>
          samples
            .filter((sample) => sample.name === name && Object.values(sample.labels).includes(component))
            .reduce((sum, { value }) => sum + value, 0);
        const sent = of('otelcol_exporter_sent_spans_total', 'otlphttp');
        const same = sent === before;
        before = sent;
        expect(of('otelcol_exporter_queue_size', 'otlphttp')).toBe(0);
        // The batch processor holds spans for a second: twice the same number, longer than that apart.
        expect(same).toBe(true);
      },
      { timeout: 30_000, interval: 1_500 },
    );
  }

  /** The spans in Jaeger of traces with such a call, by trace. */
  async function kept(outcome: string): Promise<Map<string, JaegerSpan[]>> {
    const traces = new Map<string, JaegerSpan[]>();
    for (const span of await searchTraces(backend.jaegerQuery, SERVICE, { 'mcp.outcome': outcome })) {
      traces.set(span.traceID, [...(traces.get(span.traceID) ?? []), span]);
    }
    return traces;
  }

  it.each((Object.keys(KINDS) as Kind[]).filter((kind) => kind !== 'TOOL_SUCCESS'))(
    'under load every %s trace is kept, with each of its spans once',
    async (kind) => {
      const traces = await kept(KINDS[kind].call.outcome);
      expect([...traces.keys()].sort()).toEqual([...traceIds[kind]].sort());
      for (const spans of traces.values()) {
        expect(spans.map(({ operationName }) => operationName).sort()).toEqual([
          'POST',
          'tools/call search',
          'turn',
        ]);
      }
    },
  );

  it('of the traces in which nothing of that happened, the chosen share is kept', async () => {
    const traces = await kept('TOOL_SUCCESS');
    const { count } = KINDS.TOOL_SUCCESS;
    const expected = (count * SAMPLED_PERCENT) / 100;
    // Five standard deviations of as many throws.
    const deviation = 5 * Math.sqrt(expected * (1 - SAMPLED_PERCENT / 100));
    console.log(`kept ${traces.size} of ${count} successes, and all ${failures()} that failed`);
    expect(traces.size).toBeGreaterThan(expected - deviation);
    expect(traces.size).toBeLessThan(expected + deviation);
  });

  it('the metrics know all calls, those of traces that were not kept too', async () => {
    const expected = Object.fromEntries(Object.values(KINDS).map(({ call, count }) => [call.outcome, count]));
    await vi.waitFor(async () => {
      const calls = (await metricsPage(backend.metricsUrl)).filter(
        ({ name }) => name === 'mcp_spans_calls_total',
      );
      const counts: Record<string, number> = {};
      for (const { labels, value } of calls) {
        const outcome = labels['mcp_outcome'] ?? '';
        counts[outcome] = (counts[outcome] ?? 0) + value;
      }
      expect(counts).toEqual(expected);
      expect(
        await metricSum(backend.metricsUrl, 'mcp_spans_events_total', { event_name: 'mcp.unsafe_repeat' }),
      ).toBe(KINDS.repeated.count);
    }, UNTIL);
  });

  it.each([
    ['fails', { outcome: 'STREAM_INCOMPLETE', layer: 'transport' }, ['POST', 'tools/call search']],
    [
      'is sent again',
      { outcome: 'ACCEPTED', attributes: { 'mcp.retry.attempt': 2 } },
      ['POST', 'tools/call search'],
    ],
    ['is slow', { outcome: 'CANCELLED', durationMillis: 6_000 }, ['tools/call search']],
  ] as const)(
    'a call that %s after its trace was judged and not kept is kept all the same',
    async (_what, call, names) => {
      const successes = await kept('TOOL_SUCCESS');
      const traceId = traceIds.TOOL_SUCCESS.find((id) => !successes.has(id) && !late.has(id)) ?? '';
      late.add(traceId);
      await exportSpans(backend.otlpEndpoint, SERVICE, madeTurn({ ...call, traceId }));
      await vi.waitFor(async () => {
        const traces = await kept(call.outcome);
        expect([...traces.keys()]).toEqual([traceId]);
        const seen = traces.get(traceId)?.map(({ operationName }) => operationName);
        expect(seen?.sort()).toEqual(names);
      }, UNTIL);
    },
  );

  it('contents and credentials are removed, whoever put them there', async () => {
    const contents = {
      'gen_ai.tool.call.arguments': '{"q":"secret"}',
      'gen_ai.tool.call.result': 'secret',
      'gen_ai.input.messages': 'secret',
      'gen_ai.prompt': 'secret',
      'gen_ai.prompt.0.content': 'secret',
      'gen_ai.completion.0.content': 'secret',
      'gen_ai.tool.definitions': 'secret',
      'ai.prompt': 'secret',
      'ai.prompt.messages': 'secret',
      'ai.response.text': 'secret',
      'ai.toolCall.args': 'secret',
      'ai.toolCall.result': 'secret',
      'input.value': 'secret',
      'llm.input_messages.0.message.content': 'secret',
      'traceloop.entity.input': 'secret',
      'http.response.header.location': 'https://example.com/?code=secret',
      'mcp.resource.uri': 'file:///secret',
      'url.full': 'https://mcp.example.com/mcp?key=secret',
      'url.query': 'key=secret',
      'http.request.header.authorization': 'secret',
      'mcp.session.id': 'secret-session',
    };
    const harmless = { 'gen_ai.tool.call.id': 'call-1', 'gen_ai.prompt.name': 'greet', 'url.path': '/mcp' };
    const events = [
      { name: 'gen_ai.client.inference.operation.details', attributes: { text: 'secret' } },
      ...[
        'gen_ai.prompt',
        'gen_ai.completion',
        'gen_ai.input.messages',
        'gen_ai.output.messages',
        'gen_ai.tool.call.arguments',
        'gen_ai.tool.call.result',
        'input.value',
        'output.value',
        'url.full',
        'mcp.session.id',
      ].map((key) => ({ name: 'content', attributes: { [key]: 'secret' } })),
    ];
    const failure = { layer: 'protocol', outcome: 'INVALID_RESULT' };
    const hashed = { 'mcp.session.id': '0123456789abcdef' };
    await exportSpans(backend.otlpEndpoint, SERVICE, [
      ...madeTurn({ ...failure, attributes: { ...contents, ...harmless }, events }),
      ...madeTurn({ ...failure, attributes: hashed }),
    ]);
    const spans = await vi.waitFor(async () => {
      const found = (
        await searchTraces(backend.jaegerQuery, SERVICE, { 'mcp.outcome': failure.outcome })
      ).filter((span) => span.operationName.startsWith('tools/call'));
      expect(found).toHaveLength(2);
      return found;
    }, UNTIL);
    expect(JSON.stringify(spans)).not.toContain('secret');
    const redacted = spans.find((span) => tagOf(span, 'gen_ai.tool.call.id') === 'call-1');
    expect(redacted && tagOf(redacted, 'url.path')).toBe('/mcp');
    expect(redacted && tagOf(redacted, 'gen_ai.prompt.name')).toBe('greet');
    expect(JSON.stringify(redacted)).toContain('mcp.classified');
    expect(redacted && tagOf(redacted, 'mcp.session.id')).toMatch(/^[0-9a-f]{40,64}$/);
    expect(spans.map((span) => tagOf(span, 'mcp.session.id'))).toContain('0123456789abcdef');
  });

  function failures(): number {
    return traceIds.JSONRPC_ERROR.length + traceIds.TOOL_ERROR.length + traceIds.HTTP_ERROR.length;
  }
});

describe('a vendor of OTLP, named by environment variables', () => {
  let backend: Backend;
  let vendor: ScriptedServer;
  let failed = true;

  beforeAll(async () => {
    const answers = [503];
    vendor = await scriptedServer(({ path }) => ({
      status: path === TRACES ? (answers.shift() ?? 200) : 200,
      headers: { 'content-type': 'application/x-protobuf' },
    }));
    backend = await startBackend({
      collectorConfig: 'production.yaml',
      collectorEnv: {
        OTLP_EXPORT_ENDPOINT: `${vendor.origin}/otlp`,
        OTLP_EXPORT_HEADERS: '{"x-team": "agents", "authorization": "Bearer a=b,c"}',
      },
    });
    failed = false;
  });
  afterAll(async () => {
    await backend?.close(failed);
    await vendor?.close();
  });

  it('gets the headers of each request, and again what it refused for a while', async () => {
    const turn = madeTurn({ outcome: 'TOOL_ERROR', layer: 'application' });
    await exportSpans(backend.otlpEndpoint, SERVICE, turn);
    const exports = await vi.waitFor(() => {
      const found = vendor.requests.filter(({ path }) => path === TRACES);
      expect(found).toHaveLength(2);
      return found;
    }, UNTIL);
    for (const { headers } of exports) {
      expect(headers).toMatchObject({ 'x-team': 'agents', authorization: 'Bearer a=b,c' });
    }
    expect(exports[1]?.body).toBe(exports[0]?.body);
  });
});

/** The same in an order that mixes kinds, each time the same: 7 steps on, all round. */
function mixed<T>(items: readonly T[]): T[] {
  const step = 7_919;
  return items.map((_, index) => items[(index * step) % items.length] as T);
}
