import { AsyncLocalStorage } from 'node:async_hooks';
import { afterEach, expect, it, vi } from 'vitest';
import { observeWire } from '../../src/wire/wire.js';

const original = globalThis.fetch;

afterEach(() => {
  globalThis.fetch = original;
  vi.restoreAllMocks();
});

/** The storages that are in use: up to Node 22, each of them costs every promise of the process something. */
function storagesInUse(): Set<unknown> {
  const inUse = new Set<unknown>();
  const { run, disable } = AsyncLocalStorage.prototype;
  vi.spyOn(AsyncLocalStorage.prototype, 'run').mockImplementation(function (
    this: AsyncLocalStorage<unknown>,
    ...args
  ) {
    inUse.add(this);
    return run.apply(this, args);
  });
  vi.spyOn(AsyncLocalStorage.prototype, 'disable').mockImplementation(function (
    this: AsyncLocalStorage<unknown>,
  ) {
    inUse.delete(this);
    disable.apply(this);
  });
  return inUse;
}

/** Watches with a listener that takes each send, and keeps what it has to carry in a variable or not at all. */
function observe(keeps: boolean): { stop: () => void; carried: () => object | undefined } {
  let carried: object | undefined;
  globalThis.fetch = async () => new Response();
  const stop = observeWire({
    listener: {
      captureContext: () => undefined,
      carried: () => carried,
      openStream: () => undefined,
      open: () => ({
        done: true,
        interest: { needles: [], serverMessages: false, firstEvent: false, whileOpen: false },
        run(carry, fn) {
          if (keeps) carried = carry;
          return fn();
        },
        request() {},
        httpVersion() {},
        response() {},
        event() {},
        body() {},
        obstacle() {},
        end() {},
      }),
    },
    endpoints: { included: undefined, ignored: undefined },
    maxBodyBytes: 1,
    report: (error) => expect.fail(String(error)),
  });
  return { stop, carried: () => carried };
}

it('takes no storage of its own into use where somebody keeps contexts', async () => {
  const inUse = storagesInUse();
  const { stop, carried } = observe(true);
  await fetch('http://localhost/mcp', { method: 'POST', body: '{"jsonrpc":"2.0","method":"x"}' });
  // The send did go through the context.
  expect(carried()).toHaveProperty('send');
  expect(inUse.size).toBe(0);
  stop();
});

it('leaves nothing in use that promises pay for, however often it is switched off and on', async () => {
  const inUse = storagesInUse();
  const seen = new Set<unknown>();
  for (let n = 0; n < 3; n++) {
    const { stop } = observe(false);
    await fetch('http://localhost/mcp', { method: 'POST', body: '{"jsonrpc":"2.0","method":"x"}' });
    expect(inUse.size).toBe(1);
    for (const storage of inUse) seen.add(storage);
    stop();
    expect(inUse.size).toBe(0);
  }
  expect(seen.size).toBe(1);
});
