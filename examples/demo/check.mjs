import { OUTCOMES } from 'opentelemetry-instrumentation-mcp-http';

/** What a row is where a scenario doesn't say otherwise. */
const EXPECTED_BY_DEFAULT = { http: [200], code: null, resultType: null, layer: null, detail: null };

/**
 * @param played - a scenario, its rows, and what its `run` threw
 * @returns one line for each thing that isn't as expected
 */
export function mismatches({ scenario, rows, thrown }) {
  const { name, expected } = scenario;
  const wrong = rows.flatMap((row, index) => {
    const wanted = expected[index];
    return wanted === undefined
      ? [`${name}: unexpected call ${row.call} (${row.outcome})`]
      : differences(row, wanted).map((difference) => `${name}: ${difference}`);
  });
  const missing = expected.slice(rows.length).map(({ call }) => `${name}: no call ${call}`);
  if (missing.length > 0 && thrown !== undefined) missing.push(`${name}: the client said: ${thrown}`);
  return [...wrong, ...missing];
}

function differences(row, expected) {
  const retryOrigin = expected.call.startsWith('notifications/') ? null : 'none';
  return Object.entries({ ...EXPECTED_BY_DEFAULT, retryOrigin, ...expected })
    .filter(([field, value]) => JSON.stringify(row[field]) !== JSON.stringify(value))
    .map(([field, value]) => {
      const found = JSON.stringify(row[field]);
      return `${expected.call}: ${field} is ${found}, expected ${JSON.stringify(value)}`;
    });
}

/** @returns one line for each outcome that no row shows. */
export function missingOutcomes(rows) {
  const shown = new Set(rows.map(({ outcome }) => outcome));
  return OUTCOMES.filter((outcome) => !shown.has(outcome)).map((outcome) => `no call ended as ${outcome}`);
}
