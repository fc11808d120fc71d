import { readFileSync } from 'node:fs';
import { callsTable } from './calls-table.mjs';
import { css, html } from './html.mjs';
import { KINDS, kindOf } from './kind.mjs';
import { waterfall } from './waterfall.mjs';

const STYLE = readFileSync(new URL('report.css', import.meta.url), 'utf8');

/**
 * The demo's calls and traces as one page that needs nothing else: no script, nothing to load. It is the demo's own;
 * what Jaeger shows of the same spans looks otherwise.
 *
 * @param played - the scenarios with their rows
 * @param log - the spans
 * @returns HTML
 */
export function reportOf(played, log) {
  const rows = played.flatMap((scene) => scene.rows);
  const traces = played.map((scene) => waterfall(scene, log.trace(scene.traceId)));
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>What happened to ${rows.length} MCP calls</title>
<style>
${css(STYLE)}</style>
</head>
<body>
<h1>What happened to ${rows.length} MCP calls</h1>
<p>Written by the demo of opentelemetry-instrumentation-mcp-http from its own spans: ${rows.filter(is200).length} of the calls got an HTTP 200, ${rows.filter((row) => is200(row) && isFailure(row)).length} of those failed all the same.</p>
<fieldset>
<legend>Show the calls that</legend>
${choice('all', 'happened', rows.length)}
${Object.entries(KINDS).map(([kind, title]) => choice(kind, title, rows.filter((row) => kindOf(row) === kind).length))}
</fieldset>
${callsTable(rows)}
<h2>Traces</h2>
<p>One for each scenario. A span opens to its attributes and events.</p>
${traces}</body>
</html>
`.toString();
}

function choice(kind, title, count) {
  const checked = kind === 'all' ? html` checked` : undefined;
  return html`<label class="${kind}"><input type="radio" name="kind" id="show-${kind}"${checked}> ${title} <b>${count}</b></label>
`;
}

const is200 = ({ http }) => http.at(-1) === 200;
const isFailure = (row) => row.layer !== null && kindOf(row) !== 'neither';
