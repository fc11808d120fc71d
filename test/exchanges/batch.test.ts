import { describe, expect, it } from 'vitest';
import {
  event,
  JSON_HEADERS,
  notification,
  rpcError,
  SSE_HEADERS,
  toolResult,
  toolsCall,
} from '../support/json-rpc.js';
import { type ExchangeRow, observedExchanges } from '../support/observed-exchanges.js';

describe('a batch', () => {
  const exchanges = observedExchanges({ undici: 'first' });
  const body = `[${toolsCall('a', 1)},${notification('notifications/progress')},${toolsCall('b', 2)}]`;

  async function outcomes(answer: ExchangeRow['answer']) {
    await exchanges.make({ body, answer });
    return (await exchanges.tracing.waitForSpans(3)).map(({ name, attributes }) => [
      name,
      attributes['mcp.outcome'],
    ]);
  }

  it('makes a span per message, and each ends by its own response', async () => {
    expect(
      await outcomes({ headers: JSON_HEADERS, body: [`[${toolResult({}, 2)},${rpcError(-1, 'no', 1)}]`] }),
    ).toEqual([
      ['notifications/progress', 'ACCEPTED'],
      ['tools/call a', 'JSONRPC_ERROR'],
      ['tools/call b', 'TOOL_SUCCESS'],
    ]);
  });

  it('may be answered event by event', async () => {
    expect(
      await outcomes({
        headers: SSE_HEADERS,
        body: [event(toolResult({}, 2)), event(toolResult({ isError: true }, 1))],
      }),
    ).toEqual([
      ['notifications/progress', 'ACCEPTED'],
      ['tools/call b', 'TOOL_SUCCESS'],
      ['tools/call a', 'TOOL_ERROR'],
    ]);
  });

  it("a request of it that is not answered is incomplete; its sibling's response is no stranger", async () => {
    expect(await outcomes({ headers: JSON_HEADERS, body: [toolResult({}, 2)] })).toEqual([
      ['notifications/progress', 'ACCEPTED'],
      ['tools/call a', 'STREAM_INCOMPLETE'],
      ['tools/call b', 'TOOL_SUCCESS'],
    ]);
  });

  it('the HTTP span is a child of the first span, and the others link to the first', async () => {
    await outcomes({ headers: JSON_HEADERS, body: [`[${toolResult({}, 1)},${toolResult({}, 2)}]`] });
    const spans = await exchanges.tracing.waitForSpans(3);
    const [httpSpan] = await exchanges.tracing.waitForHttpSpans(1);
    const first = spans.find(({ name }) => name === 'tools/call a');
    expect(httpSpan?.parentSpanContext?.spanId).toBe(first?.spanContext().spanId);
    expect(first?.links).toEqual([]);
    for (const span of spans.filter((other) => other !== first)) {
      expect(span.links).toMatchObject([
        { context: { spanId: first?.spanContext().spanId }, attributes: { 'mcp.link.type': 'batch' } },
      ]);
    }
  });
});
