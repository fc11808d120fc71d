// @ts-check
// The OpenTelemetry SDK as an application would have it. The exporters drop what they get: serialising and sending is
// the same work per span whoever made it, and no instrumentation's own.
import { metrics, trace } from '@opentelemetry/api';
import { ExportResultCode } from '@opentelemetry/core';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { AlwaysOnSampler, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node';

/** @typedef {import('@opentelemetry/sdk-trace-base').SpanExporter} SpanExporter */
/** @typedef {import('@opentelemetry/sdk-metrics').PushMetricExporter} PushMetricExporter */

/**
 * The SDK asks for a stream by GET when it has connected, and doesn't wait for the answer.
 *
 * @param {import('@opentelemetry/sdk-trace-base').ReadableSpan} span
 */
function isSdksOwn({ attributes }) {
  return attributes['http.request.method'] === 'GET' && attributes['url.path'] === '/mcp';
}

/**
 * Registers the global providers.
 *
 * @returns what the slices need of them: `spans` counts exported spans by scope since it was last cleared
 */
export function startTelemetry() {
  /** @type {Map<string, number>} */
  const spans = new Map();
  /** @type {SpanExporter} */
  const spanExporter = {
    export(batch, done) {
      for (const span of batch) {
        if (isSdksOwn(span)) continue;
        const scope = span.instrumentationScope.name;
        spans.set(scope, (spans.get(scope) ?? 0) + 1);
      }
      done({ code: ExportResultCode.SUCCESS });
    },
    forceFlush: async () => {},
    shutdown: async () => {},
  };
  /** @type {PushMetricExporter} */
  const metricExporter = {
    export: (_metrics, done) => done({ code: ExportResultCode.SUCCESS }),
    forceFlush: async () => {},
    shutdown: async () => {},
  };
  const tracerProvider = new NodeTracerProvider({
    sampler: new AlwaysOnSampler(),
    spanProcessors: [new BatchSpanProcessor(spanExporter)],
  });
  tracerProvider.register();
  const meterProvider = new MeterProvider({
    readers: [new PeriodicExportingMetricReader({ exporter: metricExporter })],
  });
  metrics.setGlobalMeterProvider(meterProvider);
  return {
    spans,
    tracer: trace.getTracer('bench'),
    meter: (/** @type {string} */ name) => meterProvider.getMeter(name),
    flush: () => tracerProvider.forceFlush(),
    async stop() {
      await tracerProvider.shutdown();
      await meterProvider.shutdown();
    },
  };
}
