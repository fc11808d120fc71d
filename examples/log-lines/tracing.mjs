import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { McpHttpInstrumentation } from 'opentelemetry-instrumentation-mcp-http';

/** One line of JSON per call, with the ids by which its span is found. */
function log(span, call) {
  const { traceId, spanId } = span.spanContext();
  const time = new Date(call.startTime).toISOString();
  console.error(JSON.stringify({ time, trace_id: traceId, span_id: spanId, ...call }));
}

const mcp = new McpHttpInstrumentation({ responseHook: log });
const sdk = new NodeSDK({
  serviceName: 'agent-log-lines',
  instrumentations: [mcp, new UndiciInstrumentation({ requestHook: mcp.httpSpanHook })],
});
sdk.start();

process.once('beforeExit', () => sdk.shutdown().catch(console.error));
