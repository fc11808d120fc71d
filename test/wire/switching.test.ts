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

it('leaves nothing in use that promises pay for, however often it is switched off and on', async () => {
  const inUse = storagesInUse();
  const seen = new Set<unknown>();
  for (let n = 0; n < 3; n++) {
    globalThis.fetch = async () => new Response();
    const stop = observeWire({
      listener: {
        captureContext: () => undefined,
        openStream: () => undefined,
        open: () => ({
          done: true,
          interest: { needles: [], serverMessages: false, firstEvent: false, whileOpen: false },
          run: (fn) => fn(),
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
    await fetch('http://localhost/mcp', { method: 'POST', body: '{"jsonrpc":"2.0","method":"x"}' });
    expect(inUse.size).toBe(1);
    for (const storage of inUse) seen.add(storage);
    stop();
    expect(inUse.size).toBe(0);
  }
  expect(seen.size).toBe(1);
});
