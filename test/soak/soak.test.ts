import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTracing, type Tracing } from '../support/tracing.js';
import { CALLERS, type Caller } from '../undici/callers.js';
import { KINDS, MAX_BODY_BYTES } from '../undici/kinds.js';
import { mix, mixedServer } from '../undici/mixed-calls.js';
import { bySpanKey, expectedSpans } from '../undici/mixed-spans.js';

// Calls of all kinds in random orders, with random delays and cuts in their midst, until the time is over. A round can be
// played again by its seed: SOAK_SEED=7 SOAK_SECONDS=1 npm run test:soak

const SECONDS = Number(process.env['SOAK_SECONDS'] ?? 60);
const SEED = Number(process.env['SOAK_SEED'] ?? Date.now() % 1_000_000_007);
const MAX_DELAY_MILLIS = 15;

const nodesFetch = CALLERS.find(({ redirects }) => redirects === 'one call');
let tracing: Tracing;
let caller: Caller;

beforeAll(async () => {
  if (nodesFetch === undefined) throw new Error("there is no row for Node's own fetch");
  tracing = startTracing({ config: { maxBodyBytes: MAX_BODY_BYTES } });
  caller = await nodesFetch.open();
});
afterAll(async () => {
  await caller.close();
  await tracing.stop();
});

/** The same for the same seed and id. */
function delayOf(seed: number, id: number): number {
  return Math.abs(Math.imul(seed ^ id, 0x9e3779b1) >> 8) % MAX_DELAY_MILLIS;
}

it(`every call's outcome is what the script says, for ${SECONDS} s from the seed ${SEED} on`, async () => {
  const end = performance.now() + SECONDS * 1_000;
  let rounds = 0;
  for (let seed = SEED; rounds === 0 || performance.now() < end; seed++) {
    const mixed = await mixedServer({ atOnce: 32, delayOf: (id) => delayOf(seed, id) });
    const calls = mix(KINDS, 5, seed);
    await mixed.run(caller, calls);
    const { size, byCall } = expectedSpans(calls, 'one call');
    const spans = await tracing.waitForSpans(size, 10_000);
    await mixed.server.close();
    expect(bySpanKey(spans), `play it again: SOAK_SEED=${seed}`).toEqual(byCall);
    tracing.reset();
    rounds++;
  }
  console.log(`${rounds} rounds, ${rounds * KINDS.length * 5} calls`);
});
