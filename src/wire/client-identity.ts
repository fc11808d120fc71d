import { types } from 'node:util';

/**
 * An object by which two fetches are known for the same client's: the signal that it aborts its requests by. Where it
 * makes a new one for each request with `AbortSignal.any`, the first signal that went into it, which in the MCP SDK v2
 * and the AI SDK is the transport's. Without a signal, the options themselves: who passes the same object twice sends the
 * same message twice.
 */
export function clientOf(signal: AbortSignal | undefined, init: object): object {
  return signal === undefined ? init : (firstSource(signal) ?? signal);
}

/**
 * Node keeps the sources under a symbol of its own, as a set of weak references (20 to 26). Where that isn't so, each
 * combined signal counts as a client of its own, and less is known.
 */
function firstSource(signal: AbortSignal): object | undefined {
  const key = Object.getOwnPropertySymbols(signal).find(
    ({ description }) => description === 'kSourceSignals',
  );
  const sources: unknown = key && Object.getOwnPropertyDescriptor(signal, key)?.value;
  if (!types.isSet(sources)) return undefined;
  for (const reference of sources) {
    // Node's own kind of WeakRef, which is no instance of the global one.
    const source: unknown = (reference as Partial<WeakRef<object>> | null)?.deref?.();
    return source instanceof AbortSignal ? source : undefined;
  }
  return undefined;
}
