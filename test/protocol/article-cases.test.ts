import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classifyToolCall } from '../../src/protocol/index.js';

const ok = { resultType: 'complete', content: [{ type: 'text', text: 'ok' }], isError: false };
const answer = (fields: object) => JSON.stringify({ jsonrpc: '2.0', id: 1, ...fields });

const cases = [
  ['a complete result', 200, answer({ result: ok }), { layer: 'application', outcome: 'TOOL_SUCCESS' }],
  ['a 503', 503, '{"note":"outage"}', { layer: 'transport', outcome: 'HTTP_ERROR', status: 503 }],
  [
    'a JSON-RPC error on 200',
    200,
    answer({ error: { code: -32602, message: 'Invalid params' } }),
    { layer: 'protocol', outcome: 'JSONRPC_ERROR', code: -32602 },
  ],
  [
    'isError true',
    200,
    answer({ result: { ...ok, isError: true } }),
    { layer: 'application', outcome: 'TOOL_ERROR' },
  ],
  [
    'a 500 with a body like success',
    500,
    answer({ result: ok }),
    { layer: 'transport', outcome: 'HTTP_ERROR', status: 500 },
  ],
  ['no JSON', 200, '{unclosed', { layer: 'protocol', outcome: 'MALFORMED_JSON' }],
  [
    'result and error together',
    200,
    answer({ result: ok, error: { code: 1, message: '' } }),
    { layer: 'protocol', outcome: 'INVALID_ENVELOPE' },
  ],
  ['another id', 200, answer({ id: 99, result: ok }), { layer: 'protocol', outcome: 'INVALID_ENVELOPE' }],
  [
    'input_required',
    200,
    answer({ result: { resultType: 'input_required', inputRequests: {} } }),
    { layer: 'interaction', outcome: 'INPUT_REQUIRED' },
  ],
  [
    'no resultType, as servers before 2026-07-28 answer',
    200,
    answer({ result: { content: [], isError: false } }),
    { layer: 'application', outcome: 'TOOL_SUCCESS' },
  ],
  [
    'content that is no array',
    200,
    answer({ result: { ...ok, content: 'not-an-array' } }),
    { layer: 'protocol', outcome: 'INVALID_TOOL_RESULT' },
  ],
] as const;

describe('classifyToolCall', () => {
  it.each(cases)('%s', (_rule, status, body, expected) => {
    expect(classifyToolCall({ status, body, expectedId: 1 })).toStrictEqual(expected);
  });

  it('gives one of the eight outcomes to any JSON and any text', () => {
    const outcomes = new Set<string>(cases.map(([, , , expected]) => expected.outcome));
    expect(outcomes.size).toBe(8);
    fc.assert(
      fc.property(
        fc.integer({ min: 100, max: 599 }),
        fc.oneof(fc.json(), fc.string({ unit: 'binary' })),
        (status, body) => outcomes.has(classifyToolCall({ status, body, expectedId: 1 }).outcome),
      ),
    );
  });
});
