// node totals.mjs FOLDER: one line with the sums over the JSON reports of vitest in that folder.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = process.argv[2];
const totals = { numPassedTests: 0, numFailedTests: 0 };
for (const file of readdirSync(folder).filter((name) => name.endsWith('.json'))) {
  const report = JSON.parse(readFileSync(join(folder, file), 'utf8'));
  for (const key of Object.keys(totals)) totals[key] += report[key];
}
console.log(`${totals.numPassedTests} passed, ${totals.numFailedTests} failed`);
