import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { titled } from '../protocol/titled.js';
import { errorView } from '../support/application-view.js';
import { MCP_HEADERS, toolsCall } from '../support/json-rpc.js';
import { refusedPort } from '../support/raw-server.js';
import { signal, within } from '../support/signal.js';
import { startTracing, type Tracing } from '../support/tracing.js';

const init = () => ({ method: 'POST', headers: MCP_HEADERS, body: toolsCall() });

let tracing: Tracing | undefined;
const sides = [
  { rule: 'without the instrumentation', start: () => {} },
  {
    rule: 'with it',
    start: () => {
      tracing = startTracing();
    },
  },
];

afterEach(async () => {
  await tracing?.stop();
  tracing = undefined;
});

describe('a fetch that fails', () => {
  let url: string;
  const unhandled: unknown[] = [];
  let unhandledCame = signal();
  const note = (reason: unknown) => {
    unhandled.push(errorView(reason));
    unhandledCame.give();
  };
  // The runner's own listeners would take it for a failure of the test.
  let listeners: NodeJS.UnhandledRejectionListener[] = [];

  beforeAll(async () => {
    url = `http://127.0.0.1:${await refusedPort()}/mcp`;
    listeners = process.listeners('unhandledRejection');
    process.removeAllListeners('unhandledRejection');
    process.on('unhandledRejection', note);
  });
  afterAll(() => {
    process.off('unhandledRejection', note);
    for (const listener of listeners) process.on('unhandledRejection', listener);
  });
  afterEach(() => {
    unhandled.length = 0;
    unhandledCame = signal();
  });

  it.each(titled(sides))('and that nobody handles is one unhandled rejection, %s', async (_, { start }) => {
    start();
    void fetch(url, init());
    await within(5_000, 'an unhandled rejection', unhandledCame.seen);
    await tracing?.waitForSpans(1);
    for (let turn = 0; turn < 5; turn++) await nextTurn();
    expect(unhandled).toEqual([
      expect.objectContaining({
        class: 'TypeError',
        message: 'fetch failed',
        cause: expect.objectContaining({ code: 'ECONNREFUSED' }),
      }),
    ]);
  });

  it.each(titled(sides))('and is handled is none, %s', async (_, { start }) => {
    start();
    await fetch(url, init()).catch(() => {});
    await tracing?.waitForSpans(1);
    for (let turn = 0; turn < 5; turn++) await nextTurn();
    expect(unhandled).toEqual([]);
  });
});
