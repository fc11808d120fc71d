import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { McpHttpInstrumentation } from 'opentelemetry-instrumentation-mcp-http';

const mcp = new McpHttpInstrumentation();
const sdk = new NodeSDK({
  instrumentations: [mcp, new UndiciInstrumentation({ requestHook: mcp.httpSpanHook })],
});
sdk.start();
process.once('beforeExit', () => sdk.shutdown());
