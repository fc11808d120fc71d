const { OTLPTraceExporter } = require('@opentelemetry/exporter-trace-otlp-http');
const { UndiciInstrumentation } = require('@opentelemetry/instrumentation-undici');
const { NodeSDK } = require('@opentelemetry/sdk-node');
const { McpHttpInstrumentation } = require('opentelemetry-instrumentation-mcp-http');

const mcp = new McpHttpInstrumentation();
const sdk = new NodeSDK({
  serviceName: 'agent-cjs',
  // Sends to OTEL_EXPORTER_OTLP_ENDPOINT, http://localhost:4318 when not set.
  traceExporter: new OTLPTraceExporter(),
  instrumentations: [mcp, new UndiciInstrumentation({ requestHook: mcp.httpSpanHook })],
});
sdk.start();

// Spans leave in batches: send the last one before the process ends.
process.once('beforeExit', () => sdk.shutdown().catch(console.error));
