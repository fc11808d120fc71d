import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import { metrics, NodeSDK, tracing } from '@opentelemetry/sdk-node';
import { McpHttpInstrumentation } from 'opentelemetry-instrumentation-mcp-http';

/**
 * OpenTelemetry as an application sets it up. Where the telemetry goes is up to `OTEL_EXPORTER_OTLP_ENDPOINT`.
 *
 * @param log - gets the spans as well, for the table
 */
export function startTelemetry(log) {
  const mcp = new McpHttpInstrumentation();
  const sdk = new NodeSDK({
    serviceName: process.env.OTEL_SERVICE_NAME ?? 'mcp-demo',
    spanProcessors: [new tracing.BatchSpanProcessor(new OTLPTraceExporter()), log],
    metricReaders: [new metrics.PeriodicExportingMetricReader({ exporter: new OTLPMetricExporter() })],
    logRecordProcessors: [],
    instrumentations: [mcp, new UndiciInstrumentation({ requestHook: mcp.httpSpanHook })],
  });
  sdk.start();
  return sdk;
}
