import { context } from '@opentelemetry/api';
import { suppressTracing, unsuppressTracing } from '@opentelemetry/core';
import { request } from 'undici7';
import { describe, expect, it } from 'vitest';
import { readToTheEnd } from '../support/application-view.js';
import { JSON_HEADERS, MCP_HEADERS, toolResult, toolsCall } from '../support/json-rpc.js';
import { observedExchanges } from '../support/observed-exchanges.js';

// The key is read without @opentelemetry/core; these hold it to what that package writes.

describe('a call in a context in which tracing is suppressed', () => {
  const observed = observedExchanges({ undici: 'second' });
  const answer = { headers: JSON_HEADERS, body: [toolResult()] };
  const suppressed = suppressTracing(context.active());

  it.each([
    { by: 'fetch', application: readToTheEnd },
    {
      by: "npm undici's request",
      application: async (url: string) => {
        const { body } = await request(url, { method: 'POST', headers: MCP_HEADERS, body: toolsCall() });
        await body.dump();
        return {};
      },
    },
  ])('by $by makes no span and no measurement', async ({ application }) => {
    const before = await observed.tracing.durations();
    await context.with(suppressed, () => observed.make({ answer, application }));
    expect(observed.tracing.startedSpans()).toBe(0);
    expect(await observed.tracing.durations()).toEqual(before);
    await observed.make({ answer, application });
    expect(await observed.tracing.waitForSpans(1)).toHaveLength(1);
    expect(await observed.tracing.durations()).not.toEqual(before);
  });

  it('is told again where the suppression is taken back', async () => {
    await context.with(unsuppressTracing(suppressed), () => observed.make({ answer }));
    expect(await observed.tracing.waitForSpans(1)).toHaveLength(1);
  });
});
