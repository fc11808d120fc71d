import { once } from 'node:events';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';

const DURATION = 'mcp.client.operation.duration';

/** Takes OTLP over HTTP as JSON, for who has no collector, and tells whether everything has arrived. */
export async function startReceiver() {
  const spans = [];
  let callsByOutcome = {};

  const server = createServer(async (request, response) => {
    const message = await json(request);
    if (request.url === '/v1/traces') spans.push(...spansIn(message));
    // Temporality is cumulative: the last export has it all.
    if (request.url === '/v1/metrics') callsByOutcome = callsIn(message);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    endpoint: `http://127.0.0.1:${server.address().port}`,
    /** @returns one line for each thing that was sent and hasn't arrived, or arrived otherwise */
    check: (rows, spanCount) => shortfalls({ spans, callsByOutcome }, rows, spanCount),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** @param arrived - the ids of the spans, and the calls that the metric counts by outcome */
export function shortfalls({ spans, callsByOutcome }, rows, spanCount) {
  const lines = [];
  if (spans.length !== spanCount) lines.push(`${spans.length} of ${spanCount} spans arrived`);
  for (const { call, spanId } of rows) {
    if (!spans.includes(spanId)) lines.push(`the span of ${call} (${spanId}) did not arrive`);
  }
  const counted = countByOutcome(rows);
  for (const outcome of new Set([...Object.keys(counted), ...Object.keys(callsByOutcome)])) {
    const [sent, arrived] = [counted[outcome] ?? 0, callsByOutcome[outcome] ?? 0];
    if (sent !== arrived) lines.push(`${DURATION} counts ${arrived} calls as ${outcome}, not ${sent}`);
  }
  return lines;
}

function countByOutcome(rows) {
  const counts = {};
  for (const { outcome } of rows) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

const spansIn = ({ resourceSpans }) =>
  resourceSpans
    .flatMap(({ scopeSpans }) => scopeSpans)
    .flatMap(({ spans }) => spans)
    .map(({ spanId }) => spanId);

function callsIn({ resourceMetrics }) {
  const points = resourceMetrics
    .flatMap(({ scopeMetrics }) => scopeMetrics)
    .flatMap(({ metrics }) => metrics)
    .filter(({ name }) => name === DURATION)
    .flatMap(({ histogram }) => histogram.dataPoints);
  const counts = {};
  for (const { attributes, count } of points) {
    const outcome = attributes.find(({ key }) => key === 'mcp.outcome')?.value.stringValue;
    counts[outcome] = (counts[outcome] ?? 0) + Number(count);
  }
  return counts;
}
