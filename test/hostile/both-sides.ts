import { createHash } from 'node:crypto';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { expect } from 'vitest';
import { type Application, newExchange, readToTheEnd, type View } from '../support/application-view.js';
import { MCP_HEADERS, toolsCall } from '../support/json-rpc.js';
import type { Tracing } from '../support/tracing.js';

/**
 * Makes the same call without the instrumentation and with it, and asks that the application can't tell which was
 * which.
 *
 * @returns what the application saw, and the one span of the call with the instrumentation
 */
export async function onBothSides(
  tracing: Tracing,
  url: string,
  application: Application = readToTheEnd,
): Promise<{ view: View; span: ReadableSpan }> {
  const make = async () => {
    const exchange = newExchange(() => Promise.reject(new Error('nobody waits for the request here')), 0);
    const init = { method: 'POST', headers: MCP_HEADERS, body: toolsCall() };
    return withBytesJoined(await application(url, init, exchange));
  };
  tracing.reset();
  tracing.mcp.disable();
  const without = await make();
  expect(tracing.startedSpans()).toBe(0);
  tracing.mcp.enable();
  const view = await make();
  expect(view).toEqual(without);
  const [span] = await tracing.waitForSpans(1);
  if (span === undefined) throw new Error('there is no span');
  return { view, span };
}

/** Into how many chunks a body is cut is the network's doing; a digest, because bodies are large. */
function withBytesJoined({ chunks, ...view }: View): View {
  if (chunks === undefined) return view;
  const hash = createHash('sha256');
  for (const chunk of chunks) hash.update(Buffer.from(chunk, 'base64'));
  return { ...view, chunks: [hash.digest('hex')] };
}
