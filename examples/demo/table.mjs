import Table from 'cli-table3';
import { NEGOTIATIONS } from 'opentelemetry-instrumentation-mcp-http';

const HEADINGS = ['call', 'client', 'HTTP', 'JSON-RPC', 'resultType', 'outcome', 'layer', 'retry', 'ms'];
const NO_LINES = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '  ',
};

/** The calls as a table without lines, about 120 characters wide. */
export function tableOf(rows, colors) {
  const table = new Table({
    head: HEADINGS.map((heading) => colors.bold(heading)),
    chars: NO_LINES,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
    colAligns: HEADINGS.map((heading) => (heading === 'ms' ? 'right' : 'left')),
  });
  for (const row of rows) {
    const paint = paintOf(row, colors);
    table.push([
      row.call,
      colors.dim(row.client),
      row.http.join(' '),
      row.code ?? '',
      row.resultType ?? '',
      paint(row.outcome) + (row.detail === null ? '' : colors.dim(` ${row.detail}`)),
      paint(row.layer ?? ''),
      colors.dim(row.retryOrigin ?? ''),
      row.ms,
    ]);
  }
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

const BY_LAYER = { transport: 'red', protocol: 'magenta', application: 'yellow' };
const NEITHER = ['CANCELLED', 'UNCLASSIFIED'];

function paintOf({ outcome, layer, detail }, colors) {
  if (NEITHER.includes(outcome) || NEGOTIATIONS.includes(detail)) return colors.cyan;
  return layer === null ? colors.green : colors[BY_LAYER[layer]];
}
