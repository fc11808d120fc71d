import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { html } from './html.mjs';
import { kindOf } from './kind.mjs';

/**
 * The spans of one trace under each other, each with a bar from its start to its end.
 *
 * @param scene - a scenario that was played, with its rows
 * @param spans - of its trace, in the order in which they began
 */
export function waterfall({ scenario, traceId, rows }, spans) {
  const start = Math.min(...spans.map(startOf));
  const end = Math.max(...spans.map(endOf));
  const timeline = { start, length: Math.max(end - start, Number.MIN_VALUE) };
  const calls = new Map(rows.map((row) => [row.spanId, row]));
  const depths = depthsOf(spans);
  return html`<section class="trace" id="trace-${traceId}">
<h3>${scenario.name} <small>${scenario.client}, ${spans.length} spans, ${timeline.length.toFixed(1)} ms</small></h3>
<ol>
${spans.map((span) => {
  const call = calls.get(span.spanContext().spanId);
  return spanOf({ span, call, depth: depths.get(span), timeline, open: scenario.tree && call !== undefined });
})}</ol>
</section>
`;
}

function spanOf({ span, call, depth, timeline, open }) {
  const percent = (milliseconds) => ((milliseconds / timeline.length) * 100).toFixed(2);
  const kind = call === undefined ? 'other' : kindOf(call);
  const milliseconds = endOf(span) - startOf(span);
  return html`<li><details${open ? html` open` : undefined}>
<summary><span class="name" style="padding-left:${depth * 1.2}em">${span.name}${call && html` <span class="outcome ${kind}">${call.outcome}</span>`}</span><span class="track"><span class="bar ${kind}" style="left:${percent(startOf(span) - timeline.start)}%;width:${percent(milliseconds)}%"></span></span><span class="number">${milliseconds.toFixed(1)} ms</span></summary>
${statusOf(span)}<table class="attributes"><tbody>
<tr><th>span kind</th><td>${SpanKind[span.kind].toLowerCase()}</td></tr>
${Object.entries(span.attributes).map(([key, value]) => attribute(key, value))}${span.events.map((event) => eventOf(event, timeline.start))}</tbody></table>
</details></li>
`;
}

function statusOf({ status }) {
  if (status.code !== SpanStatusCode.ERROR) return undefined;
  return html`<p class="error">ERROR ${status.message}</p>
`;
}

const attribute = (key, value) => html`<tr><th>${key}</th><td>${textOf(value)}</td></tr>
`;

function eventOf({ name, time, attributes }, start) {
  const values = Object.entries(attributes ?? {}).map(([key, value]) => `${key} = ${textOf(value)}`);
  return html`<tr class="event"><th>event ${name}</th><td>at ${(millisecondsOf(time) - start).toFixed(1)} ms${values.map((value) => html`<br>${value}`)}</td></tr>
`;
}

/** How deep under the trace's first span each is. */
function depthsOf(spans) {
  const byId = new Map(spans.map((span) => [span.spanContext().spanId, span]));
  const depthOf = (span) => {
    const parent = byId.get(span.parentSpanContext?.spanId);
    return parent === undefined ? 0 : depthOf(parent) + 1;
  };
  return new Map(spans.map((span) => [span, depthOf(span)]));
}

const textOf = (value) => (Array.isArray(value) ? value.join(', ') : String(value));
const millisecondsOf = ([seconds, nanoseconds]) => seconds * 1e3 + nanoseconds / 1e6;
const startOf = ({ startTime }) => millisecondsOf(startTime);
const endOf = ({ endTime }) => millisecondsOf(endTime);
