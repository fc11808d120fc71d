import { html } from './html.mjs';
import { kindOf } from './kind.mjs';

/** All calls, one a line; each leads to its trace. */
export function callsTable(rows) {
  return html`<table class="calls">
<thead><tr><th>call</th><th>client</th><th>HTTP</th><th>JSON-RPC</th><th>resultType</th><th>outcome</th><th>layer</th><th>retry</th><th class="number">ms</th></tr></thead>
<tbody>
${rows.map(lineOf)}</tbody>
</table>`;
}

function lineOf(row) {
  const kind = kindOf(row);
  return html`<tr class="${kind}"><td><a href="#trace-${row.traceId}">${row.call}</a></td><td>${row.client}</td><td>${row.http.join(' → ')}</td><td>${row.code}</td><td>${row.resultType}</td><td><span class="outcome ${kind}">${row.outcome}</span> ${row.detail}</td><td>${row.layer}</td><td>${row.retryOrigin}</td><td class="number">${row.ms}</td></tr>
`;
}
