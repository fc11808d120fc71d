// An application that calls MCP tools with `fetch` as it is told to: on stdin a line of JSON for each turn, the names to
// call; on stdout a line about each. MCP_URL is the server.
import { createInterface } from 'node:readline';
import { trace } from '@opentelemetry/api';

const tracer = trace.getTracer('agent');
let lastId = 0;

async function call(name) {
  const message = name.includes('/')
    ? { method: name, params: {} }
    : { method: 'tools/call', params: { name, arguments: {} } };
  const started = performance.now();
  const body = JSON.stringify({ jsonrpc: '2.0', id: ++lastId, ...message });
  const response = await fetch(process.env.MCP_URL, { method: 'POST', body }).catch(() => undefined);
  await response?.text();
  return performance.now() - started;
}

for await (const line of createInterface({ input: process.stdin })) {
  const names = JSON.parse(line);
  const millis = [];
  await tracer.startActiveSpan('turn', async (span) => {
    for (const name of names) millis.push(await call(name));
    span.end();
  });
  console.log(JSON.stringify({ made: names.length, longestMillis: Math.max(...millis) }));
}
