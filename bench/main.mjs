// @ts-check
// `npm run bench`: measures everything, prints a table, writes RESULTS.md.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { EVERYTHING, FULL, OURS, QUICK, runBench } from './bench.mjs';
import { installPeers } from './peers.mjs';
import { markdown, table } from './report.mjs';

const USAGE = `npm run bench -- [options]
  --quick            a rough answer in about a minute; without the peers, and nothing is written
  --workload NAME    only this one (may be repeated): ${EVERYTHING.workloads.join(', ')}; nothing is written
  --ours             only this package, not what it is compared with; nothing is written`;

/** @returns what the command line asks for */
function options() {
  try {
    const { values } = parseArgs({
      options: {
        quick: { type: 'boolean', default: false },
        ours: { type: 'boolean', default: false },
        workload: { type: 'string', multiple: true, default: [] },
      },
    });
    const unknown = values.workload.find((name) => !EVERYTHING.workloads.includes(name));
    if (unknown !== undefined) throw new TypeError(`there is no workload ${unknown}`);
    return values;
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${USAGE}`);
    process.exit(2);
  }
}

const { quick, ours, workload } = options();
const isWhole = !quick && !ours && workload.length === 0;
const effort = quick ? QUICK : FULL;
const subjects = ours ? [OURS] : quick ? ['none', 'undici', OURS] : EVERYTHING.subjects;
if (!quick && !ours) installPeers();

const start = Date.now();
const results = await runBench(
  effort,
  {
    workloads: workload.length > 0 ? workload : EVERYTHING.workloads,
    subjects,
    memory: workload.length === 0 ? EVERYTHING.memory : [],
  },
  (line) => console.error(`${String(Math.round((Date.now() - start) / 1000)).padStart(4)} s  ${line}`),
);
console.log(table(results));
if (isWhole) writeFileSync(new URL('RESULTS.md', import.meta.url), markdown(results, effort));
