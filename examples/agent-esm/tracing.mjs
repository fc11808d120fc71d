import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { McpHttpInstrumentation } from 'opentelemetry-instrumentation-mcp-http';

const mcp = new McpHttpInstrumentation();
const sdk = new NodeSDK({
  serviceName: 'agent-esm',
  // Sends to OTEL_EXPORTER_OTLP_ENDPOINT, http://localhost:4318 when not set.
  traceExporter: new OTLPTraceExporter(),
  instrumentations: [mcp, new UndiciInstrumentation({ requestHook: mcp.httpSpanHook })],
});
sdk.start();

// Spans leave in batches: send the last one before the process ends.
process.once('beforeExit', () => sdk.shutdown().catch(console.error));
