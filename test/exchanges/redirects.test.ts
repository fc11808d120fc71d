import { describe, expect, it } from 'vitest';
import { titled } from '../protocol/titled.js';
import { JSON_HEADERS, toolResult } from '../support/json-rpc.js';
import { answered, type ExchangeRow, failure, observedExchanges } from '../support/observed-exchanges.js';
import { CUT, type RecordedRequest } from '../support/scripted-server.js';

const SUCCESS = { 'mcp.outcome': 'TOOL_SUCCESS', 'mcp.result.type': 'complete' };

/** Redirects `/mcp` to `/1`, `/1` to `/2` and so on, so often; then gives the answer. */
function hops(statuses: readonly number[], last: (request: RecordedRequest) => ReturnType<typeof answerOf>) {
  return (request: RecordedRequest) => {
    const hop = request.path === '/mcp' ? 0 : Number(request.path.slice(1));
    const status = statuses[hop];
    if (status === undefined) return last(request);
    return { status, headers: { location: `/${hop + 1}` }, body: ['moved'] };
  };
}
const answerOf = () => ({ headers: JSON_HEADERS, body: [toolResult()] });

const rows: ExchangeRow[] = [
  ...[307, 308].map(
    (status): ExchangeRow => ({
      rule: `a ${status} that fetch follows is one call with two POSTs`,
      answer: hops([status], answerOf),
      attributes: {
        ...answered(200, SUCCESS),
        'mcp.http.post_count': 2,
        'mcp.http.status_codes': [status, 200],
      },
    }),
  ),
  {
    rule: 'every hop counts',
    answer: hops([307, 308, 307], answerOf),
    attributes: {
      ...answered(200, SUCCESS),
      'mcp.http.post_count': 4,
      'mcp.http.status_codes': [307, 308, 307, 200],
    },
  },
  {
    rule: 'the last hop decides: what it fails with, the call fails with',
    answer: hops([307], () => ({ ...answerOf(), status: 503 })),
    attributes: {
      ...answered(503, failure('HTTP_ERROR', 'transport', '503')),
      'mcp.http.post_count': 2,
      'mcp.http.status_codes': [307, 503],
    },
    failure: 'HTTP 503',
  },
  {
    rule: 'a redirect that is not allowed is the response, and a failure',
    init: { redirect: 'error' },
    answer: { status: 307, headers: { location: '/1' } },
    attributes: answered(307, failure('HTTP_ERROR', 'transport', '307')),
    failure: 'HTTP 307',
  },
  {
    rule: 'a redirect to nowhere is the response, and a failure',
    answer: { status: 308, headers: { location: 'http://[' } },
    attributes: answered(308, failure('HTTP_ERROR', 'transport', '308')),
    failure: 'HTTP 308',
  },
];

describe('redirects', () => {
  const exchanges = observedExchanges({ undici: 'first' });
  it.each(titled(rows))('%s', (_, row) => exchanges.check(row));

  it('the HTTP spans of all hops are children of the one MCP span', async () => {
    const span = await exchanges.span({ answer: hops([307, 308], answerOf) });
    const httpSpans = await exchanges.tracing.waitForHttpSpans(3);
    expect(httpSpans.map((http) => http.parentSpanContext?.spanId)).toEqual(
      Array.from({ length: 3 }, () => span.spanContext().spanId),
    );
  });

  it('a hop after which the connection is cut is a network error of the whole call', async () => {
    const span = await exchanges.span({
      answer: (request) => (request.path === '/mcp' ? hops([307], answerOf)(request) : CUT),
    });
    expect(span.attributes).toMatchObject({
      ...failure('NETWORK_ERROR', 'transport', 'UND_ERR_SOCKET'),
      'mcp.http.post_count': 2,
      'mcp.http.status_codes': [307],
    });
  });

  it('a redirect that turns POST into GET is followed to its answer', async () => {
    const span = await exchanges.span({ answer: hops([303], answerOf) });
    expect(exchanges.server.requests.map(({ method }) => method)).toEqual(['POST', 'GET']);
    expect(span.attributes).toMatchObject({ ...SUCCESS, 'mcp.http.status_codes': [303, 200] });
  });

  it('a loop ends where fetch gives up, as the redirect that it is', async () => {
    const span = await exchanges.span({ answer: { status: 307, headers: { location: '/mcp' } } });
    expect(span.attributes).toMatchObject({
      ...failure('HTTP_ERROR', 'transport', '307'),
      'mcp.http.post_count': 21,
    });
  });
});
