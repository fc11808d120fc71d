import { expect, it } from 'vitest';
import { titled } from '../protocol/titled.js';
import { event, JSON_HEADERS, MCP_HEADERS, SSE_HEADERS, toolResult, toolsCall } from '../support/json-rpc.js';
import { observedExchanges } from '../support/observed-exchanges.js';
import { CUT } from '../support/scripted-server.js';
import { signal } from '../support/signal.js';

const CLIENTS = 40;

const rows = [
  {
    rule: 'JSON',
    headers: JSON_HEADERS,
    first: '{"jsonrpc":',
    rest: toolResult().slice('{"jsonrpc":'.length),
  },
  {
    rule: 'a stream',
    headers: SSE_HEADERS,
    first: event('{"jsonrpc":"2.0","method":"x"}'),
    rest: event(toolResult()),
  },
];

const exchanges = observedExchanges();

it.each(titled(rows))(
  'of clients at one URL whose ids are equal, each call has its own end: half are answered, half cut, in %s',
  async (_, { headers, first, rest }) => {
    const { tracing } = exchanges;
    const allArrived = signal();
    let arrived = 0;
    await exchanges.make({
      answer: ({ body }) => {
        arrived++;
        if (arrived === CLIENTS) allArrived.give();
        return { headers, body: [first, allArrived.seen, body.includes('answered') ? rest : CUT] };
      },
      application: async (url) => {
        const call = async (name: string) => {
          const response = await fetch(url, { method: 'POST', headers: MCP_HEADERS, body: toolsCall(name) });
          return response.text();
        };
        const names = Array.from({ length: CLIENTS }, (_, i) => `${i % 2 === 0 ? 'answered' : 'cut'} ${i}`);
        const ends = await Promise.allSettled(names.map(call));
        expect(ends.map(({ status }) => status)).toEqual(
          names.map((name) => (name.startsWith('answered') ? 'fulfilled' : 'rejected')),
        );
        return {};
      },
    });
    const spans = await tracing.waitForSpans(CLIENTS);
    for (const { attributes } of spans) {
      expect(attributes['jsonrpc.request.id']).toBe('1');
      expect([attributes['gen_ai.tool.name'], attributes['mcp.outcome']]).toEqual([
        expect.any(String),
        String(attributes['gen_ai.tool.name']).startsWith('answered') ? 'TOOL_SUCCESS' : 'STREAM_INCOMPLETE',
      ]);
    }
    expect(new Set(spans.map(({ attributes }) => attributes['gen_ai.tool.name'])).size).toBe(CLIENTS);
  },
);
