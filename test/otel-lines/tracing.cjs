const { UndiciInstrumentation } = require('@opentelemetry/instrumentation-undici');
const { NodeSDK } = require('@opentelemetry/sdk-node');
const { McpHttpInstrumentation } = require('opentelemetry-instrumentation-mcp-http');

const mcp = new McpHttpInstrumentation();
const sdk = new NodeSDK({
  instrumentations: [mcp, new UndiciInstrumentation({ requestHook: mcp.httpSpanHook })],
});
sdk.start();
process.once('beforeExit', () => sdk.shutdown());
