import { AsyncLocalStorage } from 'node:async_hooks';
import { observeChannels } from './channels.js';
import { wrapFetch } from './fetch.js';
import type { WireListener } from './listener.js';
import type { Endpoints } from './recognise.js';
import { type Resends, resends } from './resends.js';
import type { Send, SendReference } from './send.js';

export interface WireOptions {
  readonly listener: WireListener;
  readonly endpoints: Endpoints;
  /** Bytes kept of one body or one event; more is given up. */
  readonly maxBodyBytes: number;
  /** Takes what went wrong inside; must not throw. */
  readonly report: (error: unknown) => void;
}

/** What the parts of the wire share. */
export interface Wire extends WireOptions {
  /** The fetch in whose context the running code is. */
  currentSend(): Send | undefined;
  readonly resends: Resends;
  withinSend<T>(send: Send, fn: () => T): T;
}

// For who has no context manager, such as an application with metrics alone. Not used otherwise: up to Node 22 each
// storage in use makes every promise of the process larger, and a new one gives all of them another shape, so who is
// switched off leaves its own to the next one.
const sends = new AsyncLocalStorage<SendReference>();

/**
 * Begins to watch `globalThis.fetch` and undici.
 *
 * @returns a function that stops it and gives `fetch` back
 */
export function observeWire(options: WireOptions): () => void {
  const { listener } = options;
  const wire: Wire = {
    ...options,
    resends: resends(options.report),
    currentSend: () => ((listener.carried() as SendReference | undefined) ?? sends.getStore())?.send,
    withinSend: (send, fn) =>
      send.listener.run(send.reference, () =>
        listener.carried() === send.reference ? fn() : sends.run(send.reference, fn),
      ),
  };
  const stopChannels = observeChannels(wire);
  const unwrapFetch = wrapFetch(wire);
  return () => {
    unwrapFetch();
    stopChannels();
    wire.resends.stop();
    sends.disable();
  };
}
