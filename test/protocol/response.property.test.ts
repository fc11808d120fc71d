import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type AnsweredMessage,
  classifyResponse,
  layerOf,
  OUTCOMES,
  parseJson,
  parseRequestBody,
  responseIn,
} from '../../src/protocol/index.js';
import { anyText, body, jsonText, nearResponse, status } from './generators.js';

// A fixed seed: the tests also claim that the runs come to every outcome.
const RUNS = { numRuns: 3000, seed: 20_260_728 };

const request: fc.Arbitrary<AnsweredMessage> = fc.record(
  {
    id: fc.oneof(
      { weight: 4, arbitrary: fc.constant(1) },
      { weight: 1, arbitrary: fc.constantFrom(0, '1', null, Number.POSITIVE_INFINITY) },
    ),
    method: fc.oneof(
      { weight: 2, arbitrary: fc.constant('tools/call') },
      {
        weight: 3,
        arbitrary: fc.constantFrom('tools/list', 'initialize', 'subscriptions/listen', '__proto__', ''),
      },
    ),
    params: fc.oneof(
      fc.constantFrom(
        undefined,
        { task: {} },
        {
          _meta: {
            'io.modelcontextprotocol/clientCapabilities': {
              extensions: { 'io.modelcontextprotocol/tasks': {} },
            },
          },
        },
      ),
      jsonText.map((text) => JSON.parse(text) as unknown),
    ),
    siblingIds: fc.constant(new Set([99, '1'])),
  },
  { requiredKeys: ['method'] },
);

describe('classifyResponse, on anything', () => {
  it('gives a verdict whose parts fit its outcome', () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(status, body, request, (httpStatus, text, sent) => {
        const verdict = classifyResponse({ status: httpStatus, body: text, request: sent });
        const { outcome } = verdict;
        seen.add(outcome);
        expect(OUTCOMES).toContain(outcome);
        expect(['CANCELLED', 'NETWORK_ERROR', 'TIMEOUT', 'UNCLASSIFIED']).not.toContain(outcome);
        expect(verdict.layer).toBe(layerOf(outcome));
        expect('layer' in verdict).toBe(verdict.layer !== undefined);
        expect(outcome === 'HTTP_ERROR').toBe(httpStatus > 299 || httpStatus < 200);
        expect('status' in verdict).toBe(outcome === 'HTTP_ERROR');
        expect('defect' in verdict).toBe(outcome === 'INVALID_ENVELOPE');
        expect('inputRequests' in verdict).toBe(outcome === 'INPUT_REQUIRED');
        if (outcome === 'JSONRPC_ERROR') expect(Number.isInteger(verdict.code)).toBe(true);
        if (sent.id === undefined && httpStatus < 300)
          expect(outcome).toBe(httpStatus < 200 ? 'HTTP_ERROR' : 'ACCEPTED');
        for (const part of ['code', 'message', 'resultType', 'server'] as const) {
          if (part in verdict) expect(verdict[part]).toBeDefined();
        }
      }),
      RUNS,
    );
    expect(OUTCOMES.filter((outcome) => !seen.has(outcome)).sort()).toStrictEqual([
      'CANCELLED',
      'NETWORK_ERROR',
      'TIMEOUT',
      'UNCLASSIFIED',
    ]);
  });

  it('makes no difference between a response and an array of it', () => {
    let compared = 0;
    fc.assert(
      fc.property(nearResponse, request, (text, sent) => {
        const alone = responseIn(JSON.parse(text), sent);
        expect(responseIn(JSON.parse(`[null,${text},{}]`), sent)).toStrictEqual(alone);
        if (alone.kind !== 'verdict') return;
        compared++;
        for (const whole of [text, `[${text}]`, ` ${text}\n`]) {
          expect(classifyResponse({ status: 200, body: whole, request: sent })).toStrictEqual(alone.verdict);
        }
      }),
      RUNS,
    );
    expect(compared).toBeGreaterThan(RUNS.numRuns / 10);
  });

  it('survives a million levels of nesting', () => {
    const nested = `${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`;
    const text = `{"jsonrpc":"2.0","id":1,"result":{"content":${nested}}}`;
    const sent = { id: 1, method: 'tools/call' };
    // A JSON parser may have a limit of its own, and then it isn't JSON.
    const expected = parseJson(text) === undefined ? 'MALFORMED_JSON' : 'TOOL_SUCCESS';
    expect(classifyResponse({ status: 200, body: text, request: sent }).outcome).toBe(expected);
    expect(classifyResponse({ status: 200, body: nested, request: sent }).outcome).not.toBe('UNCLASSIFIED');
    expect(parseRequestBody(nested)).toBeUndefined();
  });

  it('is never asked by a polluted Object.prototype', () => {
    const prototype = Object.prototype as unknown as Record<string, unknown>;
    prototype['result'] = { content: [] };
    prototype['isError'] = true;
    prototype['jsonrpc'] = '2.0';
    try {
      const sent = { id: 1, method: 'tools/call' };
      expect(classifyResponse({ status: 200, body: '{"jsonrpc":"2.0","id":1}', request: sent }).defect).toBe(
        'neither',
      );
      const good = '{"jsonrpc":"2.0","id":1,"result":{"content":[]}}';
      expect(classifyResponse({ status: 200, body: good, request: sent }).outcome).toBe('TOOL_SUCCESS');
      expect(classifyResponse({ status: 200, body: '{}', request: sent }).defect).toBe('jsonrpc_version');
    } finally {
      delete prototype['result'];
      delete prototype['isError'];
      delete prototype['jsonrpc'];
    }
  });
});

describe('parseRequestBody, on anything', () => {
  it('gives messages of the three kinds or undefined', () => {
    const kinds = new Set<string | undefined>();
    fc.assert(
      fc.property(fc.oneof(body, anyText, jsonText), (text) => {
        const parsed = parseRequestBody(text);
        kinds.add(parsed?.messages[0]?.kind);
        if (parsed === undefined) return;
        const value: unknown = JSON.parse(text);
        expect(parsed.batch).toBe(Array.isArray(value));
        if (!parsed.batch) expect(parsed.messages).toHaveLength(1);
        for (const message of parsed.messages) {
          if (message.kind !== 'response') expect(typeof message.method).toBe('string');
          if (message.kind === 'request') expect(['string', 'number', 'object']).toContain(typeof message.id);
        }
      }),
      RUNS,
    );
    expect([...kinds].map(String).sort()).toStrictEqual(['notification', 'request', 'response', 'undefined']);
  });
});
