// @ts-check
import { measure, startServer } from './processes.mjs';
import { summarise } from './statistics.mjs';
import { WORKLOADS } from './workloads.mjs';

/** @typedef {import('./statistics.mjs').Summary} Summary */
/** @typedef {import('./compare.mjs').Comparison} Comparison */
/** @typedef {import('./compare.mjs').Measurement} Measurement */
/** @typedef {import('./memory.mjs').MemoryRun} MemoryRun */

/** What every ratio is relative to. */
export const BASE = 'undici';
export const OURS = 'ours';
export const PEERS = ['traceloop', 'openlit', 'autotel'];

/**
 * @typedef {object} Effort
 * @property {number} seconds - of measuring in each process
 * @property {number} processes - for each comparison: code that V8 happens to optimise well or badly stays so as long as
 *   its process lives
 * @property {number} processesForOurs
 * @property {number} warmUpSeconds - in each process
 * @property {number} minPairs - of slices in each process, however long they take
 * @property {number} sliceMillis - several collections of the young generation fall into it: of short slices one would
 *   have such a pause and its neighbour none
 * @property {number} memoryRuns - of each variant
 */

/** @type {Effort} */
export const FULL = {
  seconds: 12,
  processes: 1,
  processesForOurs: 2,
  warmUpSeconds: 5,
  minPairs: 4,
  sliceMillis: 250,
  memoryRuns: 3,
};
/** @type {Effort} */
export const QUICK = {
  seconds: 2,
  processes: 1,
  processesForOurs: 1,
  warmUpSeconds: 2,
  minPairs: 2,
  sliceMillis: 40,
  memoryRuns: 1,
};

/**
 * @typedef {object} Row
 * @property {string} workload
 * @property {string} subject - a variant; `undici`, the base itself, shows what the machine's noise makes of equals
 * @property {Summary} ratio
 * @property {number} baseMicros - median CPU time of a call
 * @property {number} subjectMicros
 */

/**
 * @typedef {object} MemoryRow
 * @property {MemoryRun['tool']} tool
 * @property {Summary} base - live megabytes at the peak, over those before the call
 * @property {Summary} ours
 */

/**
 * @typedef {object} Results
 * @property {Row[]} rows
 * @property {MemoryRow[]} memory
 */

/**
 * @typedef {object} Selection
 * @property {readonly string[]} workloads
 * @property {readonly string[]} subjects
 * @property {readonly MemoryRun['tool'][]} memory - what is answered with a large body
 */

/** @type {Selection} */
export const EVERYTHING = {
  workloads: Object.keys(WORKLOADS),
  subjects: ['none', BASE, OURS, ...PEERS],
  memory: ['large-json', 'large-sse'],
};

/**
 * Runs the whole benchmark, one process at a time.
 *
 * @param {Effort} effort
 * @param {Selection} selection
 * @param {(line: string) => void} progress
 * @returns {Promise<Results>}
 */
export async function runBench(effort, selection, progress = () => {}) {
  const server = await startServer();
  try {
    /** @type {Results} */
    const results = { rows: [], memory: [] };
    for (const workload of selection.workloads) {
      for (const subject of selection.subjects) {
        // The peers see the SDK's client only.
        if (PEERS.includes(subject) && !WORKLOADS[workload]?.sdk) continue;
        const row = await compare(server.origin, workload, subject, effort);
        progress(`${workload}, ${subject}: ${row.ratio.median.toFixed(3)}`);
        results.rows.push(row);
      }
    }
    for (const tool of selection.memory) {
      results.memory.push(await compareMemory(server.origin, tool, effort));
      progress(`memory, ${tool}`);
    }
    return results;
  } finally {
    await server.stop();
  }
}

/**
 * @param {string} origin
 * @param {string} workload
 * @param {string} subject
 * @param {Effort} effort
 * @returns {Promise<Row>}
 */
async function compare(origin, workload, subject, effort) {
  const processes = subject === OURS ? effort.processesForOurs : effort.processes;
  /** @type {Comparison} */
  const comparison = {
    origin,
    workload,
    base: BASE,
    subject,
    sliceMillis: effort.sliceMillis,
    warmUpMillis: effort.warmUpSeconds * 1000,
    budgetMillis: effort.seconds * 1000,
    minPairs: effort.minPairs,
  };
  /** @type {Measurement[]} */
  const measurements = [];
  for (let n = 0; n < processes; n++) {
    measurements.push(await measure('compare.mjs', comparison, ['--expose-gc']));
  }
  return {
    workload,
    subject,
    ratio: summarise(measurements.flatMap(({ ratios }) => ratios)),
    baseMicros: summarise(measurements.flatMap(({ baseMicros }) => baseMicros)).median,
    subjectMicros: summarise(measurements.flatMap(({ subjectMicros }) => subjectMicros)).median,
  };
}

/**
 * A peak can only be had once per process, so here processes are compared, in turn.
 *
 * @param {string} origin
 * @param {MemoryRun['tool']} tool
 * @param {Effort} effort
 * @returns {Promise<MemoryRow>}
 */
async function compareMemory(origin, tool, effort) {
  /** @type {number[]} */
  const base = [];
  /** @type {number[]} */
  const ours = [];
  for (let n = 0; n < effort.memoryRuns; n++) {
    base.push(await measure('memory.mjs', { origin, tool, variant: BASE }, ['--expose-gc']));
    ours.push(await measure('memory.mjs', { origin, tool, variant: OURS }, ['--expose-gc']));
  }
  return { tool, base: summarise(base), ours: summarise(ours) };
}
