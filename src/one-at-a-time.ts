import { NAME } from './version.js';

/** What watches the process's MCP calls. */
export interface Watcher {
  disable(): void;
}

// On the global object, so that a second copy of the package, or another version of it, is found as well.
const WATCHING = Symbol.for(NAME);
const shared = globalThis as { [WATCHING]?: Watcher | undefined };

/**
 * Makes this the only one that watches: two would count each call twice.
 *
 * @returns whether another one watched, which has been disabled
 */
export function takePlace(watcher: Watcher): boolean {
  const before = shared[WATCHING];
  if (before === watcher) return false;
  before?.disable();
  Object.defineProperty(shared, WATCHING, { value: watcher, configurable: true, writable: true });
  return before !== undefined;
}

export function leavePlace(watcher: Watcher): void {
  if (shared[WATCHING] === watcher) delete shared[WATCHING];
}
