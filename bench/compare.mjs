// @ts-check
// The measuring process: one workload, two variants, switched in ABBA order in short slices.
// Argument: a JSON `Comparison`; answer: one IPC message, a `Measurement`.
import { context, trace } from '@opentelemetry/api';
import { startTelemetry } from './telemetry.mjs';
import { HTTP_SCOPE, makeVariant } from './variants.mjs';
import { WORKLOADS } from './workloads.mjs';

/**
 * @typedef {object} Comparison
 * @property {string} origin
 * @property {string} workload
 * @property {string} base
 * @property {string} subject
 * @property {number} sliceMillis - CPU time that one slice should take
 * @property {number} warmUpMillis
 * @property {number} budgetMillis - no new pair of slices is begun after it
 * @property {number} minPairs - are measured whatever the budget
 */

/**
 * @typedef {object} Measurement
 * @property {number[]} ratios - CPU time, subject to base, of each pair of slices
 * @property {number[]} baseMicros - CPU time of a call in each slice
 * @property {number[]} subjectMicros
 * @property {number} callsPerSlice
 */

/** @type {Comparison} */
const comparison = JSON.parse(process.argv[2] ?? '{}');
const workload = WORKLOADS[comparison.workload];
if (workload === undefined) throw new Error(`no such workload: ${comparison.workload}`);
const { open, mcp } = workload;

const telemetry = startTelemetry();
const base = await makeVariant(comparison.base, telemetry);
const subject = await makeVariant(comparison.subject, telemetry);

/** The first calls after a switch find caches and optimised code of the other variant. */
const CALLS_AFTER_SWITCH = 10;

/**
 * A session for each hundred calls: the SDK's transport gives all its requests one AbortSignal, fetch takes its listener
 * off that only when the request is collected, and each further listener makes the next call dearer.
 * https://github.com/nodejs/undici/blob/v6.24.1/lib/web/fetch/request.js
 */
const CALLS_PER_SESSION = 100;

/** How much longer than the others the slices are that don't count. */
const LONGER_WARM_UP = 10;

/**
 * Garbage of the slice before is not this one's. Only the young generation's: after a full collection V8 throws away
 * the optimised code that holds a collected object, and the slice would measure the interpreter.
 */
async function collectGarbage() {
  globalThis.gc?.({ type: 'minor' });
  // FinalizationRegistry's callbacks are tasks of their own.
  await new Promise((resolve) => setImmediate(resolve));
}

/**
 * @param {import('./variants.mjs').Variant} variant
 * @param {number} calls
 * @returns {Promise<number>} CPU time of one call in microseconds
 */
async function slice(variant, calls) {
  variant.on();
  let micros = 0;
  for (let done = 0; done < calls; done += CALLS_PER_SESSION) {
    const n = Math.min(CALLS_PER_SESSION, calls - done);
    micros += await callsOfSession(variant, n, done === 0);
  }
  variant.off();
  return micros / calls;
}

/**
 * @param {import('./variants.mjs').Variant} variant
 * @param {number} calls
 * @param {boolean} switched - the variant has just been switched on
 * @returns {Promise<number>} CPU time of the calls in microseconds
 */
async function callsOfSession(variant, calls, switched) {
  const session = await open(comparison.origin);
  variant.attach?.(session);
  // As an agent's calls are: inside a span.
  const parent = telemetry.tracer.startSpan('slice');
  const micros = await context.with(trace.setSpan(context.active(), parent), async () => {
    for (let n = 0; switched && n < Math.min(CALLS_AFTER_SWITCH, calls); n++) await session.call();
    await telemetry.flush();
    if (switched) await collectGarbage();
    telemetry.spans.clear();
    const start = process.cpuUsage();
    for (let n = 0; n < calls; n++) await session.call();
    const { user, system } = process.cpuUsage(start);
    return user + system;
  });
  parent.end();
  await telemetry.flush();
  mustHaveWatched(variant, calls);
  await session.close();
  return micros;
}

/**
 * A comparison in which the instrumentation was not at work would look splendid.
 *
 * @param {import('./variants.mjs').Variant} variant
 * @param {number} calls
 */
function mustHaveWatched(variant, calls) {
  const scopes = [...(variant.httpSpans ? [HTTP_SCOPE] : []), ...(mcp ? (variant.mcpScopes ?? []) : [])];
  const wanted = JSON.stringify(scopes.sort().map((scope) => [scope, calls]));
  telemetry.spans.delete('bench');
  const seen = JSON.stringify([...telemetry.spans].sort());
  if (seen !== wanted) throw new Error(`${calls} calls should have made the spans ${wanted}, not ${seen}`);
}

/**
 * Until V8 has optimised what both variants run, which takes some thousand calls: long slices, few switches.
 *
 * @returns {Promise<number>} how many calls fill a slice
 */
async function warmUp() {
  const sliceMicros = comparison.sliceMillis * 1000;
  let least = await slice(base, 1);
  const end = Date.now() + comparison.warmUpMillis;
  for (let n = 0; n < 2 || Date.now() < end; n++) {
    const calls = Math.max(1, Math.round((LONGER_WARM_UP * sliceMicros) / least));
    least = Math.min(least, await slice(n % 2 === 0 ? subject : base, calls));
  }
  return Math.max(1, Math.round(sliceMicros / least));
}

const callsPerSlice = await warmUp();
/** @type {Measurement} */
const measurement = { ratios: [], baseMicros: [], subjectMicros: [], callsPerSlice };
const end = Date.now() + comparison.budgetMillis;
for (let pair = 0; pair < comparison.minPairs || Date.now() < end; pair++) {
  // AB, BA, AB, …: a drift of the machine then favours neither.
  const baseFirst = pair % 2 === 0;
  const first = await slice(baseFirst ? base : subject, callsPerSlice);
  const second = await slice(baseFirst ? subject : base, callsPerSlice);
  const [baseMicros, subjectMicros] = baseFirst ? [first, second] : [second, first];
  measurement.ratios.push(subjectMicros / baseMicros);
  measurement.baseMicros.push(baseMicros);
  measurement.subjectMicros.push(subjectMicros);
}
await telemetry.stop();
process.send?.(measurement, () => process.exit(0));
