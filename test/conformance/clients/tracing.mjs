// node --import ./tracing.mjs client.mjs: the package as a user has it, with the MCP spans that end written to the file
// that CONFORMANCE_SPANS names, one JSON object a line.
import { appendFileSync } from 'node:fs';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { McpHttpInstrumentation } from 'opentelemetry-instrumentation-mcp-http';

const SCOPE = 'opentelemetry-instrumentation-mcp-http';
const file = process.env.CONFORMANCE_SPANS;

const started = [];

/** Written as they end, and synchronously: the suite may end the client at any time. */
const spanFile = {
  onStart(span) {
    started.push(span);
  },
  onEnd(span) {
    if (span.instrumentationScope.name !== SCOPE) return;
    const { name, status, attributes } = span;
    appendFileSync(file, `${JSON.stringify({ order: started.indexOf(span), name, status, attributes })}\n`);
  },
  async forceFlush() {},
  async shutdown() {},
};

new NodeTracerProvider({ spanProcessors: [spanFile] }).register();
const mcp = new McpHttpInstrumentation();
new UndiciInstrumentation({ requestHook: mcp.httpSpanHook });
// Ends the spans of calls that are still open.
process.once('exit', () => mcp.disable());
