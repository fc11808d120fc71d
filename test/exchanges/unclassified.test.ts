import type { Context, Span, SpanOptions, Tracer } from '@opentelemetry/api';
import { afterEach, describe, expect, it } from 'vitest';
import { UNCLASSIFIED_REASONS } from '../../src/index.js';
import { titled } from '../protocol/titled.js';
import { collectGarbage } from '../support/garbage.js';
import { event, JSON_HEADERS, SSE_HEADERS, toolResult, toolsCall } from '../support/json-rpc.js';
import { answered, type ExchangeRow, observedExchanges, SENT } from '../support/observed-exchanges.js';
import { signal } from '../support/signal.js';
import { MCP_SCOPE } from '../support/span-recorder.js';
import { expectTold } from '../support/told.js';

const unclassified = (reason: (typeof UNCLASSIFIED_REASONS)[number]) => ({
  'mcp.outcome': 'UNCLASSIFIED',
  'mcp.unclassified.reason': reason,
});
const SUCCESS = { 'mcp.outcome': 'TOOL_SUCCESS', 'mcp.result.type': 'complete' };
const stream = (end: string, events: number) => ({ 'mcp.stream.end': end, 'mcp.stream.events': events });
const LIMIT = 1_000;
const padded = (length: number, id = 1) => toolResult({}, id).padEnd(length, ' ');
const long = toolResult({ content: [{ type: 'text', text: 'x'.repeat(LIMIT) }] });

const sizes: ExchangeRow[] = [
  {
    rule: 'a body of maxBodyBytes is looked at',
    answer: { headers: JSON_HEADERS, body: [padded(LIMIT)] },
    attributes: answered(200, SUCCESS),
  },
  {
    rule: 'a body with one byte more is not',
    answer: { headers: JSON_HEADERS, body: [padded(LIMIT + 1)] },
    attributes: answered(200, unclassified('body_too_large')),
  },
  {
    rule: 'what does not count is characters: 400 of three bytes each are too many',
    answer: { headers: JSON_HEADERS, body: [toolResult({ content: [], t: '€'.repeat(400) })] },
    attributes: answered(200, unclassified('body_too_large')),
  },
  {
    rule: 'an error response that is too large still has its status',
    answer: { status: 500, headers: JSON_HEADERS, body: ['x'.repeat(LIMIT + 1)] },
    attributes: answered(500, {
      'mcp.outcome': 'HTTP_ERROR',
      'mcp.error.layer': 'transport',
      'error.type': '500',
    }),
    failure: 'HTTP 500',
  },
  {
    rule: 'a stream may be longer than maxBodyBytes: the limit is one event',
    answer: {
      headers: SSE_HEADERS,
      body: [...Array.from({ length: 50 }, () => event('x'.repeat(100))), event(toolResult())],
    },
    attributes: answered(200, { ...SUCCESS, ...stream('response', 51) }),
  },
  {
    rule: 'an event that is too large hides the response only when no other comes',
    answer: { headers: SSE_HEADERS, body: [event(long), event(toolResult())] },
    attributes: answered(200, { ...SUCCESS, ...stream('response', 2) }),
  },
  {
    rule: 'a response that is too large an event is not looked at',
    answer: { headers: SSE_HEADERS, body: [event(long)] },
    attributes: answered(200, { ...unclassified('body_too_large'), ...stream('closed', 1) }),
  },
];

describe('a call whose response is larger than maxBodyBytes', () => {
  const exchanges = observedExchanges({ config: { maxBodyBytes: LIMIT } });
  it.each(titled(sizes))('%s', (_, row) => exchanges.check(row));
});

const rest: ExchangeRow[] = [
  {
    rule: 'a coding that nobody knows is not guessed at',
    answer: { headers: { ...JSON_HEADERS, 'content-encoding': 'x-secret' }, body: [toolResult()] },
    attributes: answered(200, unclassified('unsupported_encoding')),
  },
  {
    rule: 'a body that is not what its coding says is not looked at',
    answer: { headers: { ...JSON_HEADERS, 'content-encoding': 'gzip' }, body: [toolResult()] },
    attributes: answered(200, unclassified('unsupported_encoding')),
  },
  {
    rule: 'a response that fetch makes up without going to the network is not seen',
    answer: { headers: JSON_HEADERS },
    application: async (_, init) => {
      const response = await fetch(`data:application/json,${encodeURIComponent(toolResult())}`, init);
      return { status: response.status };
    },
    attributes: {
      ...SENT,
      ...unclassified('body_not_read'),
      'mcp.http.post_count': 0,
      'network.protocol.version': undefined,
      'server.address': '',
      'server.port': 80,
    },
  },
];

describe('a call whose response cannot be read', () => {
  const exchanges = observedExchanges();
  it.each(titled(rest))('%s', (_, row) => exchanges.check(row));
});

describe('a call whose response nobody reads', () => {
  const exchanges = observedExchanges();

  it('ends when the response is collected', async () => {
    // More than undici reads ahead: the end of the body is not seen by itself.
    const body = Array.from({ length: 64 }, () => ' '.repeat(64 * 1024));
    await exchanges.make({
      answer: { headers: JSON_HEADERS, body },
      application: async (url, init) => ({ status: (await fetch(url, init)).status }),
    });
    const { tracing, server } = exchanges;
    for (let round = 0; round < 200 && tracing.spans().length === 0; round++) await collectGarbage();
    const [span] = await tracing.waitForSpans(1);
    expectTold(span, {
      attributes: { ...answered(200, unclassified('body_not_read')), 'server.port': server.port },
    });
  });
});

describe('a call beyond maxOpenCalls', () => {
  const exchanges = observedExchanges({ config: { maxOpenCalls: 1 } });

  it('the oldest ends as evicted, and its late response changes nothing', async () => {
    const { server, tracing } = exchanges;
    await exchanges.make({
      answer: ({ body }) =>
        body.includes('"id":1')
          ? { headers: SSE_HEADERS, body: [server.request(1), event(toolResult())] }
          : { headers: JSON_HEADERS, body: [toolResult({}, 2)] },
      application: async (url, init) => {
        const first = await fetch(url, init);
        const second = await fetch(url, { ...init, body: toolsCall('echo', 2) });
        expect(await second.json()).toMatchObject({ id: 2 });
        expect(await first.text()).toContain('"id":1');
        return {};
      },
    });
    const [oldest, newest] = await tracing.waitForSpans(2);
    expect(oldest?.attributes).toMatchObject({ 'jsonrpc.request.id': '1', ...unclassified('evicted') });
    expectTold(newest, {
      attributes: { ...answered(200, SUCCESS), 'jsonrpc.request.id': '2', 'server.port': server.port },
    });
  });
});

describe('a call that is open when the instrumentation is disabled', () => {
  const exchanges = observedExchanges();
  afterEach(() => exchanges.tracing.mcp.enable());

  it('ends as evicted, and goes on for the application', async () => {
    const { server, tracing } = exchanges;
    const disabled = signal();
    await exchanges.make({
      answer: {
        headers: JSON_HEADERS,
        body: [toolResult().slice(0, 9), disabled.seen, toolResult().slice(9)],
      },
      application: async (url, init) => {
        const response = await fetch(url, init);
        tracing.mcp.disable();
        disabled.give();
        expect(await response.text()).toBe(toolResult());
        return {};
      },
    });
    const [span] = await tracing.waitForSpans(1);
    expectTold(span, {
      attributes: { ...answered(200, unclassified('evicted')), 'server.port': server.port },
    });
  });
});

describe('a call at which the observer itself fails', () => {
  const exchanges = observedExchanges();

  it('is told as far as possible, and the application has its response', async () => {
    const { server, tracing } = exchanges;
    tracing.mcp.setTracerProvider({ getTracer: () => failingOnce(tracing.provider.getTracer(MCP_SCOPE)) });
    try {
      const response = await exchanges.make({
        answer: { headers: JSON_HEADERS, body: [toolResult()] },
        application: async (url, init) => {
          const answer = await fetch(url, init);
          expect(await answer.text()).toBe(toolResult());
          return { status: answer.status };
        },
      });
      expect(response).toEqual({ status: 200 });
      const [span] = await tracing.waitForSpans(1);
      expect(span?.attributes).toMatchObject({
        ...unclassified('observer_error'),
        'server.port': server.port,
      });
    } finally {
      tracing.mcp.setTracerProvider(tracing.provider);
    }
  });
});

/** A tracer whose spans fail at their first event. */
function failingOnce(tracer: Tracer): Tracer {
  const failing = Object.create(tracer) as Tracer;
  failing.startSpan = (name: string, options?: SpanOptions, parent?: Context): Span => {
    const span = tracer.startSpan(name, options, parent);
    const { addEvent } = span;
    span.addEvent = () => {
      span.addEvent = addEvent;
      throw new Error('no room');
    };
    return span;
  };
  return failing;
}

it('every reason has a test', () => {
  const rows = [...sizes, ...rest].map(({ attributes }) => attributes['mcp.unclassified.reason']);
  const others = ['evicted', 'observer_error'];
  expect(new Set([...rows, ...others])).toEqual(new Set([undefined, ...UNCLASSIFIED_REASONS]));
});
