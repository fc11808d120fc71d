// Reads each URL chunk by chunk, without the instrumentation and with it, and writes what was alive at most.
// Its own process, so that nothing else allocates; run with --expose-gc after `npm run build`.
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { McpHttpInstrumentation } from '../../dist/index.js';

const [maxBodyBytes, ...urls] = process.argv.slice(2);
const BYTES_BETWEEN_LOOKS = 8 * 1024 * 1024;

const exporter = new InMemorySpanExporter();
const mcp = new McpHttpInstrumentation({ maxBodyBytes: Number(maxBodyBytes), enabled: false });
mcp.setTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));

function aliveBytes() {
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

async function mostAliveWhileReading(url) {
  const before = aliveBytes();
  let most = 0;
  let read = 0;
  let nextLook = 0;
  const response = await fetch(url, {
    method: 'POST',
    headers: { accept: 'application/json, text/event-stream' },
    body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}',
  });
  for await (const chunk of response.body) {
    read += chunk.length;
    if (read < nextLook) continue;
    most = Math.max(most, aliveBytes() - before);
    nextLook = read + BYTES_BETWEEN_LOOKS;
  }
  return { read, most };
}

const rows = [];
for (const url of urls) {
  // What is loaded and compiled at the first call counts for neither side.
  await mostAliveWhileReading(url.replace('/large/', '/small/'));
  const without = await mostAliveWhileReading(url);
  mcp.enable();
  await mostAliveWhileReading(url.replace('/large/', '/small/'));
  exporter.reset();
  const withIt = await mostAliveWhileReading(url);
  mcp.disable();
  const spans = exporter.getFinishedSpans().map(({ attributes }) => ({
    outcome: attributes['mcp.outcome'],
    reason: attributes['mcp.unclassified.reason'],
  }));
  rows.push({ without, withIt, spans });
}
process.stdout.write(JSON.stringify(rows));
