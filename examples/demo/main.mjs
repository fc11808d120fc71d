import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { mismatches, missingOutcomes } from './check.mjs';
import { createClients } from './clients.mjs';
import { colorsFor } from './colors.mjs';
import { startTelemetry } from './instrumentation.mjs';
import { play } from './play.mjs';
import { startReceiver } from './receiver.mjs';
import { reportOf } from './report/report.mjs';
import { rowOf } from './row.mjs';
import { SCENARIOS } from './scenarios.mjs';
import { startServer } from './server.mjs';
import { SpanLog } from './span-log.mjs';
import { treeOf } from './span-tree.mjs';
import { tableOf } from './table.mjs';

const USAGE = `npm run demo [-- [--json] [--report FILE]]

Plays an agent's MCP calls, good ones and failed ones, and shows how each is classified.
Exits with 1 when a call isn't told as it should be.

  --json         the rows of the table as JSON
  --report FILE  table and traces as a page for the browser, too

OTEL_EXPORTER_OTLP_ENDPOINT  where the telemetry goes; a receiver inside the demo when not set
OTEL_SERVICE_NAME            its service name; mcp-demo when not set
NO_COLOR, FORCE_COLOR        no colours, colours
`;

async function main({ json, report }) {
  const outside = process.env.OTEL_EXPORTER_OTLP_ENDPOINT;
  const receiver = outside ? undefined : await startReceiver();
  const endpoint = outside || receiver.endpoint;
  process.env.OTEL_EXPORTER_OTLP_ENDPOINT = endpoint;

  const log = new SpanLog();
  const telemetry = startTelemetry(log);
  const played = await playAll(log);
  const rows = played.flatMap((scene) => scene.rows);
  const problems = [...played.flatMap(mismatches), ...missingOutcomes(rows)];
  // Before the telemetry is sent: an endpoint that doesn't answer is waited for.
  console.log(json ? JSON.stringify(rows, null, 2) : pageOf(played, log));
  if (report !== undefined) problems.push(...write(report, reportOf(played, log)));

  try {
    await telemetry.shutdown();
    problems.push(...(receiver?.check(rows, log.size) ?? []));
    if (!json) {
      const where = outside ? endpoint : 'a receiver inside the demo, which has them all';
      console.log(`${log.size} spans and the metric of ${rows.length} calls went to ${where}.`);
    }
  } catch (error) {
    problems.push(`the telemetry could not be sent to ${endpoint}: ${error.message}`);
  }
  receiver?.close();

  for (const problem of problems) console.error(`demo: ${problem}`);
  return problems.length === 0 ? 0 : 1;
}

/** Plays every scenario and adds its rows. */
async function playAll(log) {
  const server = await startServer();
  const clients = createClients(server.url);
  const agent = { ...clients, arrival: server.arrival };
  const played = [];
  for (const scenario of SCENARIOS) {
    played.push({ scenario, ...(await play(scenario, { agent, server, log })) });
  }
  await clients.close();
  await server.close();
  return played.map((scene) => ({
    ...scene,
    rows: log.calls(scene.traceId).map((span) => rowOf(span, scene.scenario)),
  }));
}

function pageOf(played, log) {
  const colors = colorsFor(process.stdout, process.env);
  const trees = played
    .filter(({ scenario }) => scenario.tree)
    .map(({ traceId }) => treeOf(log.trace(traceId), colors));
  const rows = played.flatMap((scene) => scene.rows);
  return [tableOf(rows, colors), ...trees].map((part) => `${part}\n`).join('\n');
}

/** @returns what went wrong */
function write(file, text) {
  try {
    writeFileSync(file, text);
    return [];
  } catch (error) {
    return [`the report could not be written: ${error.message}`];
  }
}

function optionsOf(args) {
  try {
    const options = { json: { type: 'boolean' }, report: { type: 'string' }, help: { type: 'boolean' } };
    return parseArgs({ args, options }).values;
  } catch (error) {
    return { wrong: error.message };
  }
}

const options = optionsOf(process.argv.slice(2));
if (options.wrong !== undefined) {
  console.error(`${options.wrong}\n\n${USAGE}`);
  process.exitCode = 2;
} else if (options.help) console.log(USAGE);
else process.exitCode = await main(options);
