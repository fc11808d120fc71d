import { setTimeout as delay } from 'node:timers/promises';
import type { Program } from './program.js';

const POLL_MILLIS = 50;
const READY_MILLIS = 30_000;

/**
 * Asks a program until it answers as it should.
 *
 * @param probe - what to ask; a refused connection counts as "not yet"
 * @throws when the program ends first or isn't ready in time; the message has its log
 */
export async function untilReady(program: Program, probe: () => Promise<Response>): Promise<void> {
  const deadline = Date.now() + READY_MILLIS;
  let last = 'nothing yet';
  while (Date.now() < deadline) {
    const ending = program.ending();
    if (ending !== undefined) throw new Error(`${program.name}: ${ending}\n${program.log()}`);
    try {
      const response = await probe();
      await response.arrayBuffer();
      if (response.ok) return;
      last = `HTTP ${response.status}`;
    } catch (error) {
      last = String(error);
    }
    await delay(POLL_MILLIS);
  }
  throw new Error(
    `${program.name} was not ready after ${READY_MILLIS} ms (last answer: ${last})\n${program.log()}`,
  );
}
