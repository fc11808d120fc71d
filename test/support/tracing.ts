import { type Attributes, context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  UndiciInstrumentation,
  type UndiciInstrumentationConfig,
} from '@opentelemetry/instrumentation-undici';
import {
  AggregationTemporality,
  DataPointType,
  type Histogram,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  AlwaysOnSampler,
  BasicTracerProvider,
  type ReadableSpan,
  type Sampler,
} from '@opentelemetry/sdk-trace-base';
import { McpHttpInstrumentation, type McpHttpInstrumentationConfig } from '../../src/index.js';
import { MCP_SCOPE, SpanRecorder, UNDICI_SCOPE } from './span-recorder.js';

export interface TracingOptions {
  readonly config?: McpHttpInstrumentationConfig;
  /** Whether instrumentation-undici is there too, and which of the two was registered first. */
  readonly undici?: 'first' | 'second' | undefined;
  /** A function gets our instrumentation, for hooks that are its properties. Then ours must be registered first. */
  readonly undiciConfig?:
    | UndiciInstrumentationConfig
    | ((mcp: McpHttpInstrumentation) => UndiciInstrumentationConfig)
    | undefined;
  readonly sampler?: Sampler | undefined;
  /** `false`: the application has registered no context manager. */
  readonly contextManager?: boolean | undefined;
}

export interface DurationPoint {
  readonly attributes: Attributes;
  readonly count: number;
  /** Of all its measurements, in seconds. */
  readonly sum: number;
  readonly boundaries: readonly number[];
  readonly unit: string;
}

export interface Tracing {
  readonly mcp: McpHttpInstrumentation;
  readonly undici: UndiciInstrumentation | undefined;
  /** A tracer of the test's own, for spans around calls. */
  readonly provider: BasicTracerProvider;
  /** The MCP spans that have ended. */
  spans(): ReadableSpan[];
  /** The spans of instrumentation-undici that have ended. */
  httpSpans(): ReadableSpan[];
  /**
   * Waits until this many MCP spans have ended, and fails when more were started: a span starts before its `fetch`
   * returns, so once the application has its answers the number of started spans is final.
   */
  waitForSpans(count: number, milliseconds?: number): Promise<ReadableSpan[]>;
  waitForHttpSpans(count: number): Promise<ReadableSpan[]>;
  startedSpans(): number;
  /** The points of `mcp.client.operation.duration`. */
  durations(): Promise<DurationPoint[]>;
  /** Forgets the spans so far. */
  reset(): void;
  /** Takes everything back: instrumentations, context manager, providers. */
  stop(): Promise<void>;
}

/** Our instrumentation with everything it tells kept in memory. */
export function startTracing(options: TracingOptions = {}): Tracing {
  const contextManager = new AsyncLocalStorageContextManager().enable();
  if (options.contextManager !== false) context.setGlobalContextManager(contextManager);
  const recorder = new SpanRecorder();
  const provider = new BasicTracerProvider({
    spanProcessors: [recorder],
    sampler: options.sampler ?? new AlwaysOnSampler(),
  });
  const metrics = inMemoryMetrics();

  let undici: UndiciInstrumentation | undefined;
  if (options.undici === 'first') undici = new UndiciInstrumentation(undiciConfigOf(options));
  const mcp = new McpHttpInstrumentation(options.config ?? {});
  if (options.undici === 'second') undici = new UndiciInstrumentation(undiciConfigOf(options, mcp));
  for (const instrumentation of [mcp, undici]) {
    instrumentation?.setTracerProvider(provider);
    instrumentation?.setMeterProvider(metrics.provider);
  }

  return {
    mcp,
    undici,
    provider,
    spans: () => recorder.ended(MCP_SCOPE),
    httpSpans: () => recorder.ended(UNDICI_SCOPE),
    async waitForSpans(count, milliseconds = 3_000) {
      const spans = await recorder.waitFor(MCP_SCOPE, count, milliseconds);
      const started = recorder.startedCount(MCP_SCOPE);
      if (started !== count) throw new Error(`expected ${count} MCP spans, but ${started} were started`);
      return spans;
    },
    waitForHttpSpans: (count) => recorder.waitFor(UNDICI_SCOPE, count, 3_000),
    startedSpans: () => recorder.startedCount(MCP_SCOPE),
    durations: () => metrics.durations(),
    reset: () => recorder.reset(),
    async stop() {
      mcp.disable();
      undici?.disable();
      context.disable();
      contextManager.disable();
      await provider.shutdown();
      await metrics.provider.shutdown();
    },
  };
}

function undiciConfigOf(options: TracingOptions, mcp?: McpHttpInstrumentation): UndiciInstrumentationConfig {
  if (typeof options.undiciConfig !== 'function') return options.undiciConfig ?? {};
  if (mcp === undefined) throw new Error('a hook of ours can be given only when ours is registered first');
  return options.undiciConfig(mcp);
}

function inMemoryMetrics() {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
  const provider = new MeterProvider({ readers: [reader] });
  return {
    provider,
    async durations(): Promise<DurationPoint[]> {
      await reader.forceFlush();
      const last = exporter.getMetrics().at(-1);
      const metrics = last?.scopeMetrics.find((scope) => scope.scope.name === MCP_SCOPE)?.metrics ?? [];
      const duration = metrics.find((metric) => metric.descriptor.name === 'mcp.client.operation.duration');
      if (duration?.dataPointType !== DataPointType.HISTOGRAM) return [];
      return duration.dataPoints.map((point) => ({
        attributes: point.attributes,
        count: (point.value as Histogram).count,
        sum: (point.value as Histogram).sum ?? Number.NaN,
        boundaries: (point.value as Histogram).buckets.boundaries,
        unit: duration.descriptor.unit,
      }));
    },
  };
}
