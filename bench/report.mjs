// @ts-check
import { availableParallelism } from 'node:os';
import Table from 'cli-table3';
import colors from 'picocolors';
import { MEMORY_AIM_MEGABYTES, RATIO_AIMS } from './aims.mjs';
import { BASE, OURS } from './bench.mjs';
import { WORKLOADS } from './workloads.mjs';

/** @typedef {import('./bench.mjs').Effort} Effort */
/** @typedef {import('./bench.mjs').Results} Results */
/** @typedef {import('./bench.mjs').Row} Row */
/** @typedef {import('./statistics.mjs').Summary} Summary */

/** @type {Record<string, string>} */
const SUBJECT_TITLES = {
  none: 'no instrumentation',
  undici: 'instrumentation-undici again',
  ours: 'this package',
  traceloop: '@traceloop/instrumentation-mcp',
  openlit: 'openlit',
  autotel: 'autotel-mcp-instrumentation',
};

const MEMORY_TITLES = { 'large-json': 'one JSON answer', 'large-sse': 'events of 64 KiB, then the answer' };

/** @typedef {'met' | 'within noise' | 'missed' | ''} Judgement */

/**
 * @typedef {object} Line
 * @property {string} workload
 * @property {string} subject
 * @property {string} value
 * @property {string} spread
 * @property {string} interval
 * @property {string} micros
 * @property {string} aim
 * @property {Judgement} judgement
 */

const HEAD = ['workload', 'with', 'ratio', 'quartiles', '95 % of median', 'µs of CPU a call', 'aim', ''];

/** @type {(number: number, digits: number) => string} */
const fixed = (number, digits) => number.toFixed(digits);

/** @type {(low: number, high: number, digits: number) => string} */
const range = (low, high, digits) => `${fixed(low, digits)} to ${fixed(high, digits)}`;

/**
 * @param {Summary} summary
 * @param {number} aim
 * @returns {Judgement}
 */
function judge({ median, low }, aim) {
  if (median <= aim) return 'met';
  return low <= aim ? 'within noise' : 'missed';
}

/**
 * @param {Row} row
 * @returns {Line}
 */
function cpuLine({ workload, subject, ratio, baseMicros, subjectMicros }) {
  const aim = subject === OURS ? /** @type {Record<string, number>} */ (RATIO_AIMS)[workload] : undefined;
  const digits = baseMicros < 10_000 ? 0 : -3;
  const micros = (/** @type {number} */ value) =>
    digits === 0 ? fixed(value, 0) : (Math.round(value / 100) * 100).toLocaleString('en');
  return {
    workload: WORKLOADS[workload]?.title ?? workload,
    subject: SUBJECT_TITLES[subject] ?? subject,
    value: fixed(ratio.median, 3),
    spread: range(ratio.q1, ratio.q3, 2),
    interval: range(ratio.low, ratio.high, 3),
    micros: `${micros(baseMicros)} → ${micros(subjectMicros)}`,
    aim: aim === undefined ? '' : `≤ ${fixed(aim, 2)}`,
    judgement: aim === undefined ? '' : judge(ratio, aim),
  };
}

/**
 * @param {Results['memory'][number]} row
 * @returns {Line}
 */
function memoryLine({ tool, base, ours }) {
  const difference = ours.median - base.median;
  return {
    workload: `memory at 100 MB: ${MEMORY_TITLES[tool]}`,
    subject: SUBJECT_TITLES[OURS] ?? OURS,
    value: `${fixed(difference, 1)} MB more`,
    spread: `${range(ours.q1 - base.median, ours.q3 - base.median, 1)} MB`,
    interval: '',
    micros: '',
    aim: `≤ ${MEMORY_AIM_MEGABYTES} MB`,
    judgement: difference <= MEMORY_AIM_MEGABYTES ? 'met' : 'missed',
  };
}

/**
 * The aim of the SDK call has a second half: to be cheaper than whoever patches the SDK.
 *
 * @param {Results} results
 * @returns {string | undefined} `undefined` when no peer was measured
 */
export function peersSentence({ rows }) {
  const ofSdk = rows.filter(({ workload }) => workload === 'sdk');
  const ours = ofSdk.find(({ subject }) => subject === OURS);
  const peers = ofSdk.filter(({ subject }) => !['none', BASE, OURS].includes(subject));
  if (ours === undefined || peers.length === 0) return undefined;
  const cheaper = peers.filter(({ ratio }) => ratio.median <= ours.ratio.median);
  if (cheaper.length === 0) return 'On the SDK call this package is cheaper than every peer: met.';
  const names = cheaper.map(({ subject }) => SUBJECT_TITLES[subject]).join(', ');
  return `On the SDK call this package should be cheaper than every peer; these are cheaper: ${names}.`;
}

/**
 * @param {Results} results
 * @returns {Line[]}
 */
function lines({ rows, memory }) {
  return [...rows.map(cpuLine), ...memory.map(memoryLine)];
}

/** @type {(line: Line) => string[]} */
const cells = (line) => Object.values(line);

/**
 * @param {Results} results
 * @returns {string} for a terminal
 */
export function table(results) {
  const paint = { met: colors.green, 'within noise': colors.yellow, missed: colors.red, '': String };
  const printed = new Table({ head: HEAD, style: { head: [], border: [] } });
  for (const line of lines(results)) {
    printed.push([...cells(line).slice(0, -1), paint[line.judgement](line.judgement)]);
  }
  return [printed.toString(), peersSentence(results)].filter(Boolean).join('\n');
}

/**
 * @param {Results} results
 * @param {Effort} effort
 * @returns {string} Markdown
 */
export function markdown(results, effort) {
  const rows = [HEAD, HEAD.map(() => '---'), ...lines(results).map(cells)];
  const sentence = peersSentence(results);
  return `# Results

Written by \`npm run bench\`; [README.md](README.md) says what is measured, and how. Node ${process.version},
undici ${process.versions['undici']}, ${availableParallelism()} CPUs, ${process.platform} ${process.arch}. Each line: ${effort.processes} processes, ${effort.processesForOurs} for this package,
with ${effort.seconds} s of slices each.

Ratios are CPU time of a call, relative to instrumentation-undici alone; "instrumentation-undici again" compares it with
itself, so what differs from 1 there is noise.

${rows.map((row) => `| ${row.join(' | ')} |`).join('\n')}
${sentence === undefined ? '' : `\n${sentence}\n`}`;
}
