import { metrics } from '@opentelemetry/api';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { afterEach, expect, it } from 'vitest';
import { JSON_HEADERS, MCP_HEADERS, toolResult, toolsCall } from '../support/json-rpc.js';
import { scriptedServer } from '../support/scripted-server.js';
import { startTracing } from '../support/tracing.js';

afterEach(() => metrics.disable());

it('a meter provider that was given is kept when another one becomes the global one', async () => {
  const server = await scriptedServer(() => ({ headers: JSON_HEADERS, body: [toolResult()] }));
  const tracing = startTracing();
  const call = async () => {
    const response = await fetch(server.url, { method: 'POST', headers: MCP_HEADERS, body: toolsCall() });
    await response.text();
  };
  await call();
  expect(metrics.setGlobalMeterProvider(new MeterProvider())).toBe(true);
  await call();
  await tracing.waitForSpans(2);
  expect((await tracing.durations()).map(({ count }) => count)).toEqual([2]);
  await tracing.stop();
  await server.close();
});
