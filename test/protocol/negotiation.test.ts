import { describe, expect, it } from 'vitest';
import { NEGOTIATIONS, type Negotiation, negotiationOf } from '../../src/protocol/index.js';
import { titled } from './titled.js';

interface NegotiationCase {
  readonly rule: string;
  readonly exchange: Partial<Parameters<typeof negotiationOf>[0]>;
  readonly expected: Negotiation | undefined;
}

const BEARER = 'Bearer resource_metadata="https://example.com/.well-known/oauth-protected-resource"';
const SCOPE = 'Bearer error="insufficient_scope", scope="files:write", error_description="More, please"';

const cases: NegotiationCase[] = [
  {
    rule: 'a challenged 401 to a request without Authorization is how authorization begins',
    exchange: { status: 401, wwwAuthenticate: BEARER },
    expected: 'authorization',
  },
  {
    rule: 'so is a challenged 403',
    exchange: { status: 403, wwwAuthenticate: BEARER },
    expected: 'authorization',
  },
  {
    rule: 'a challenge may be the name of a scheme',
    exchange: { status: 401, wwwAuthenticate: 'Bearer' },
    expected: 'authorization',
  },
  {
    rule: 'a 401 without a challenge is an ordinary error',
    exchange: { status: 401 },
    expected: undefined,
  },
  {
    rule: 'an empty challenge is none',
    exchange: { status: 401, wwwAuthenticate: ' ' },
    expected: undefined,
  },
  {
    rule: 'with Authorization sent, a 401 is an ordinary error',
    exchange: { status: 401, wwwAuthenticate: BEARER, authorizationSent: true },
    expected: undefined,
  },
  {
    rule: 'with Authorization sent, a 403 for a larger scope goes on with authorization',
    exchange: { status: 403, wwwAuthenticate: SCOPE, authorizationSent: true },
    expected: 'authorization',
  },
  {
    rule: 'the scope error needs no quotes and may follow another challenge',
    exchange: {
      status: 403,
      wwwAuthenticate: 'Basic realm="a", Bearer Error = insufficient_scope',
      authorizationSent: true,
    },
    expected: 'authorization',
  },
  {
    rule: 'a 401 for a larger scope is an ordinary error: the token itself was refused',
    exchange: { status: 401, wwwAuthenticate: SCOPE, authorizationSent: true },
    expected: undefined,
  },
  {
    rule: 'another error of the challenge is an ordinary error',
    exchange: { status: 403, wwwAuthenticate: 'Bearer error="invalid_token"', authorizationSent: true },
    expected: undefined,
  },
  {
    rule: 'a description that quotes the scope error is no scope error',
    exchange: {
      status: 403,
      wwwAuthenticate:
        'Bearer error_description="no error=\\"insufficient_scope\\", error=insufficient_scope"',
      authorizationSent: true,
    },
    expected: undefined,
  },
  {
    rule: 'a challenge on another status asks for nothing',
    exchange: { status: 407, wwwAuthenticate: BEARER },
    expected: undefined,
  },
  {
    rule: 'a server that does not know server/discover says so by 404',
    exchange: { method: 'server/discover', status: 404 },
    expected: 'version',
  },
  {
    rule: 'or by 400',
    exchange: { method: 'server/discover', status: 400, code: -32600 },
    expected: 'version',
  },
  {
    rule: 'or by a JSON-RPC error on 200',
    exchange: { method: 'server/discover', status: 200, code: -32601 },
    expected: 'version',
  },
  {
    rule: 'a broken answer to server/discover is an ordinary error',
    exchange: { method: 'server/discover', status: 200 },
    expected: undefined,
  },
  {
    rule: 'a failing server is no older server',
    exchange: { method: 'server/discover', status: 503 },
    expected: undefined,
  },
  {
    rule: 'no connection to a server says nothing of its version',
    exchange: { method: 'server/discover' },
    expected: undefined,
  },
  ...[401, 403, 408, 429].map(
    (status): NegotiationCase => ({
      rule: `a ${status} to server/discover says nothing of the version`,
      exchange: { method: 'server/discover', status },
      expected: undefined,
    }),
  ),
  {
    rule: 'a challenged probe is about authorization first',
    exchange: { method: 'server/discover', status: 401, wwwAuthenticate: BEARER },
    expected: 'authorization',
  },
  {
    rule: 'another method that is refused by 404 is an ordinary error',
    exchange: { status: 404, code: -32601 },
    expected: undefined,
  },
  {
    rule: 'an unsupported revision is negotiated whatever the method',
    exchange: { status: 400, code: -32022 },
    expected: 'version',
  },
  {
    rule: 'an unsupported revision is negotiated on 200, too',
    exchange: { status: 200, code: -32022 },
    expected: 'version',
  },
  {
    rule: 'a redirect that the client follows itself is a first move',
    exchange: { status: 307, location: true, redirectFollowedByClient: true },
    expected: 'redirect',
  },
  {
    rule: 'a redirect to nowhere is an ordinary error',
    exchange: { status: 307, location: false, redirectFollowedByClient: true },
    expected: undefined,
  },
  {
    rule: 'a redirect that fetch was to follow has failed when it is the last response',
    exchange: { status: 308, location: true, redirectFollowedByClient: false },
    expected: undefined,
  },
  {
    rule: 'a 304 is no redirect',
    exchange: { status: 304, location: true, redirectFollowedByClient: true },
    expected: undefined,
  },
];

const negotiation = (exchange: NegotiationCase['exchange']): Negotiation | undefined =>
  negotiationOf({
    method: 'tools/call',
    authorizationSent: false,
    redirectFollowedByClient: false,
    ...exchange,
  });

describe('negotiationOf', () => {
  it.each(titled(cases))('%s', (_, { exchange, expected }) => {
    expect(negotiation(exchange)).toBe(expected);
  });

  it('has each rule once, and each negotiation', () => {
    const rules = cases.map(({ rule }) => rule);
    expect(rules).toStrictEqual([...new Set(rules)]);
    const seen = new Set(cases.map(({ expected }) => expected));
    expect(NEGOTIATIONS.filter((name) => !seen.has(name))).toStrictEqual([]);
  });

  it.each([
    ['letters', 'a'.repeat(1_000_000)],
    ['names without values', 'a '.repeat(500_000)],
    ['spaces', `a${' '.repeat(1_000_000)}`],
    ['open quotes', 'a="\\'.repeat(250_000)],
    ['equals signs', 'a='.repeat(500_000)],
  ])('reads a million characters of %s in one pass', (_, challenge) => {
    // Were the search quadratic, this would run into the test's timeout by far.
    expect(negotiation({ status: 403, wwwAuthenticate: challenge, authorizationSent: true })).toBeUndefined();
  });
});
