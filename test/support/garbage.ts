import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

let gc: (() => void) | undefined;

/** Collects what nobody holds, and lets the finalizers run. */
export async function collectGarbage(): Promise<void> {
  if (gc === undefined) {
    setFlagsFromString('--expose-gc');
    gc = runInNewContext('gc') as () => void;
  }
  await setImmediate();
  gc();
  await setImmediate();
}
