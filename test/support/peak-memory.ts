import { expect } from 'vitest';
import { run } from './run.js';

export interface Reading {
  readonly url: string;
  readonly init: RequestInit;
  readonly maxBodyBytes: number;
}

/** What was in use at most, in bytes, over what was in use before the call. */
export interface Peaks {
  /** Read by the application. */
  readonly bytes: number;
  readonly without: number;
  readonly withUs: number;
  /** Of each span the outcome, and the number of events where the answer was a stream. */
  readonly told: readonly [outcome: string, events: number | null][];
}

/** Reads one answer in a process of its own, with and without the instrumentation. Needs the package to be built. */
export async function peakMemory(reading: Reading): Promise<Peaks> {
  const args = ['--expose-gc', 'test/support/peak-memory.mjs', JSON.stringify(reading)];
  const { code, stdout, stderr } = await run(process.execPath, args, { timeoutMillis: 60_000 });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
}
