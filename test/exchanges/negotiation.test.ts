import { describe, expect, it } from 'vitest';
import { NEGOTIATIONS } from '../../src/index.js';
import { titled } from '../protocol/titled.js';
import {
  event,
  JSON_HEADERS,
  MCP_HEADERS,
  request,
  result,
  rpcError,
  SSE_HEADERS,
} from '../support/json-rpc.js';
import { answered, type ExchangeRow, failure, observedExchanges } from '../support/observed-exchanges.js';

const AUTHORIZED = { ...MCP_HEADERS, authorization: 'Bearer expired' };
const CHALLENGE = 'Bearer resource_metadata="https://mcp.test/.well-known/oauth-protected-resource"';
const SCOPE = 'Bearer error="insufficient_scope", scope="files:write"';

/** The failure of a first move: outcome and layer stay, the status and `error.type` don't. */
const firstMove = (outcome: string, layer: string, negotiation: (typeof NEGOTIATIONS)[number]) => ({
  'mcp.outcome': outcome,
  'mcp.error.layer': layer,
  'mcp.negotiation': negotiation,
});
const refused = (status: number, negotiation: (typeof NEGOTIATIONS)[number]) =>
  answered(status, firstMove('HTTP_ERROR', 'transport', negotiation));
const failed = (status: number) => answered(status, failure('HTTP_ERROR', 'transport', String(status)));

const authorization: ExchangeRow[] = [
  {
    rule: 'a 401 with a challenge to a request without Authorization asks for a token',
    answer: { status: 401, headers: { 'www-authenticate': CHALLENGE } },
    attributes: refused(401, 'authorization'),
  },
  {
    rule: 'a 403 with a challenge to a request without Authorization does so too',
    answer: { status: 403, headers: { 'www-authenticate': 'Bearer' } },
    attributes: refused(403, 'authorization'),
  },
  {
    rule: 'a 401 without a challenge is a failure',
    answer: { status: 401 },
    attributes: failed(401),
    failure: 'HTTP 401',
  },
  {
    rule: 'a 401 to a request with Authorization is a failure: its token was refused',
    headers: AUTHORIZED,
    answer: { status: 401, headers: { 'www-authenticate': `${CHALLENGE}, error="invalid_token"` } },
    attributes: failed(401),
    failure: 'HTTP 401',
  },
  {
    rule: 'a 403 that asks for more scope is a first move even with Authorization',
    headers: AUTHORIZED,
    answer: { status: 403, headers: { 'www-authenticate': SCOPE } },
    attributes: refused(403, 'authorization'),
  },
  {
    rule: 'any other 403 to a request with Authorization is a failure',
    headers: AUTHORIZED,
    answer: { status: 403, headers: { 'www-authenticate': 'Bearer error="invalid_token"' } },
    attributes: failed(403),
    failure: 'HTTP 403',
  },
  {
    rule: 'a challenge on another status asks for nothing',
    answer: { status: 500, headers: { 'www-authenticate': CHALLENGE } },
    attributes: failed(500),
    failure: 'HTTP 500',
  },
];

const DISCOVER = {
  name: 'server/discover',
  body: request('server/discover', { _meta: {} }),
};
const discover = (attributes: Readonly<Record<string, unknown>>) => ({
  ...attributes,
  'mcp.method.name': 'server/discover',
  'gen_ai.operation.name': undefined,
  'gen_ai.tool.name': undefined,
});
const UNSUPPORTED = rpcError(-32022, 'Unsupported protocol version');

const version: ExchangeRow[] = [
  ...[400, 404, 405].map(
    (status): ExchangeRow => ({
      ...DISCOVER,
      rule: `server/discover refused by ${status} asks for another revision`,
      answer: { status },
      attributes: discover(refused(status, 'version')),
    }),
  ),
  ...[429, 500].map(
    (status): ExchangeRow => ({
      ...DISCOVER,
      rule: `server/discover refused by ${status} is a failure: that says nothing about the method`,
      answer: { status },
      attributes: discover(failed(status)),
      failure: `HTTP ${status}`,
    }),
  ),
  {
    ...DISCOVER,
    rule: 'server/discover refused by a JSON-RPC error on 200 asks for another revision',
    answer: { headers: JSON_HEADERS, body: [rpcError(-32601)] },
    attributes: discover(
      answered(200, {
        ...firstMove('JSONRPC_ERROR', 'protocol', 'version'),
        'rpc.response.status_code': '-32601',
      }),
    ),
  },
  {
    ...DISCOVER,
    rule: 'so it does by one in a stream',
    answer: { headers: SSE_HEADERS, body: [event(rpcError(-32601))] },
    attributes: discover(
      answered(200, {
        ...firstMove('JSONRPC_ERROR', 'protocol', 'version'),
        'rpc.response.status_code': '-32601',
        'mcp.stream.end': 'response',
        'mcp.stream.events': 1,
      }),
    ),
  },
  {
    ...DISCOVER,
    rule: 'server/discover that is answered is no negotiation',
    answer: { headers: JSON_HEADERS, body: [result({ serverInfo: { name: 'weather', version: '2' } })] },
    attributes: discover(
      answered(200, {
        'mcp.outcome': 'SUCCESS',
        'mcp.result.type': 'complete',
        'mcp.server.name': 'weather',
        'mcp.server.version': '2',
      }),
    ),
  },
  {
    ...DISCOVER,
    rule: 'server/discover answered by a page is a failure: nobody refused it',
    answer: { headers: { 'content-type': 'text/html' }, body: ['<html></html>'] },
    attributes: discover(answered(200, failure('MALFORMED_JSON', 'protocol'))),
    failure: 'the response is not JSON',
  },
  {
    rule: 'the error -32022 asks for another revision, whatever the method',
    answer: { headers: JSON_HEADERS, body: [UNSUPPORTED] },
    attributes: answered(200, {
      ...firstMove('JSONRPC_ERROR', 'protocol', 'version'),
      'rpc.response.status_code': '-32022',
    }),
  },
  {
    rule: 'the error -32022 does so on a 400, where the transport wins',
    answer: { status: 400, headers: JSON_HEADERS, body: [UNSUPPORTED] },
    attributes: { ...refused(400, 'version'), 'rpc.response.status_code': '-32022' },
  },
  {
    rule: 'the error -32020, a header mismatch, is a failure',
    answer: { status: 400, headers: JSON_HEADERS, body: [rpcError(-32020, 'Header mismatch')] },
    attributes: { ...failed(400), 'rpc.response.status_code': '-32020' },
    failure: 'HTTP 400, JSON-RPC error -32020: Header mismatch',
  },
];

const MANUAL: RequestInit = { redirect: 'manual' };
const redirect: ExchangeRow[] = [
  {
    rule: 'a redirect that the client follows itself is a first move',
    init: MANUAL,
    answer: { status: 307, headers: { location: '/other' } },
    attributes: refused(307, 'redirect'),
  },
  {
    rule: 'a redirect without a Location leads nowhere: a failure',
    init: MANUAL,
    answer: { status: 307 },
    attributes: failed(307),
    failure: 'HTTP 307',
  },
  {
    rule: 'a 304 is no redirect',
    init: MANUAL,
    answer: { status: 304, headers: { location: '/other' } },
    attributes: failed(304),
    failure: 'HTTP 304',
  },
];

const rows = [...authorization, ...version, ...redirect];

describe('a failure that is a normal first move', () => {
  const exchanges = observedExchanges();
  it.each(titled(rows))('%s', (_, row) => exchanges.check(row));

  it('the metric tells it, without an error.type', async () => {
    await exchanges.span({ body: request('server/discover'), answer: { status: 404 } });
    const points = await exchanges.tracing.durations();
    const [point] = points.filter(
      ({ attributes }) =>
        attributes['mcp.method.name'] === 'server/discover' && attributes['mcp.negotiation'] === 'version',
    );
    expect(point?.attributes).toMatchObject({ 'mcp.outcome': 'HTTP_ERROR', 'mcp.error.layer': 'transport' });
    expect(point?.attributes).not.toHaveProperty('error.type');
  });

  it('every negotiation has a row, and the rules are unique', () => {
    expect(new Set(rows.map(({ attributes }) => attributes['mcp.negotiation']))).toEqual(
      new Set([undefined, ...NEGOTIATIONS]),
    );
    expect(new Set(rows.map(({ rule }) => rule)).size).toBe(rows.length);
  });
});
