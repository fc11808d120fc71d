import { describe, expect, it } from 'vitest';
import { classifyResponse, ENVELOPE_DEFECTS, layerOf, OUTCOMES } from '../../src/protocol/index.js';
import { RESPONSE_CASES } from './response-cases.js';
import { titled } from './titled.js';

/** What no response causes: these come from the life of the exchange. */
const WITHOUT_RESPONSE = ['CANCELLED', 'NETWORK_ERROR', 'TIMEOUT', 'UNCLASSIFIED'];

describe('classifyResponse', () => {
  it.each(titled(RESPONSE_CASES))('%s', (_, { request, response, expected }) => {
    expect(classifyResponse({ ...response, request })).toStrictEqual(expected);
  });
});

describe('the table of responses', () => {
  it('has each rule once', () => {
    const rules = RESPONSE_CASES.map(({ rule }) => rule);
    expect(rules).toStrictEqual([...new Set(rules)]);
  });

  it('has each response once', () => {
    const keys = RESPONSE_CASES.map(({ request, response }) =>
      JSON.stringify([request, [...(request.siblingIds ?? [])], response]),
    );
    expect(keys).toStrictEqual([...new Set(keys)]);
  });

  it('has each outcome that a response can cause', () => {
    const seen = new Set(RESPONSE_CASES.map(({ expected }) => expected.outcome));
    expect(OUTCOMES.filter((outcome) => !seen.has(outcome)).sort()).toStrictEqual(WITHOUT_RESPONSE);
  });

  it('has each envelope defect', () => {
    const seen = new Set(RESPONSE_CASES.map(({ expected }) => expected.defect));
    expect(ENVELOPE_DEFECTS.filter((defect) => !seen.has(defect))).toStrictEqual([]);
  });

  it('expects the layer that belongs to the outcome', () => {
    for (const { rule, expected } of RESPONSE_CASES) {
      expect(expected.layer, rule).toBe(layerOf(expected.outcome));
    }
  });
});

describe('classifyResponse, called from plain JavaScript', () => {
  const request = { id: 1, method: 'tools/call' };
  const thrower = {
    get status(): number {
      throw new Error('no');
    },
  };
  const cases: { rule: string; argument: unknown; expected: object }[] = [
    { rule: 'no argument', argument: undefined, expected: { reason: 'observer_error' } },
    { rule: 'null', argument: null, expected: { reason: 'observer_error' } },
    { rule: 'a status that is a string', argument: { status: '200', body: '{}', request }, expected: {} },
    { rule: 'a status that is NaN', argument: { status: Number.NaN, body: '{}', request }, expected: {} },
    { rule: 'no request', argument: { status: 200, body: '{}' }, expected: {} },
    { rule: 'a request without a method', argument: { status: 200, body: '{}', request: {} }, expected: {} },
    { rule: 'a status that throws when read', argument: thrower, expected: {} },
    {
      rule: 'a body that was never read',
      argument: { status: 200, body: undefined, request },
      expected: { reason: 'body_not_read' },
    },
    {
      rule: 'a body that is parsed already',
      argument: { status: 200, body: { jsonrpc: '2.0', id: 1, result: { content: [] } }, request },
      expected: { reason: 'body_not_read' },
    },
  ];

  it.each(titled(cases))('%s is UNCLASSIFIED', (_, { argument, expected }) => {
    expect(classifyResponse(argument as Parameters<typeof classifyResponse>[0])).toStrictEqual({
      outcome: 'UNCLASSIFIED',
      reason: 'observer_error',
      ...expected,
    });
  });

  it('a status that is not 2xx is HTTP_ERROR without request and body', () => {
    expect(classifyResponse({ status: 503 } as Parameters<typeof classifyResponse>[0])).toStrictEqual({
      outcome: 'HTTP_ERROR',
      layer: 'transport',
      status: 503,
    });
  });
});
