import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type AnsweredMessage,
  classifyResponse,
  classifyToolCall,
  type ToolCallResponse,
} from '../../src/protocol/index.js';
import { anyText, body, status } from './generators.js';
import { titled } from './titled.js';

const good = {
  jsonrpc: '2.0',
  id: 1,
  result: { resultType: 'complete', content: [{ type: 'text', text: 'ok' }], isError: false },
};
const rpcError = { jsonrpc: '2.0', id: 1, error: { code: -32602, message: 'synthetic invalid params' } };

/**
 * The article's cases; its second is two responses, told apart here.
 * @see https://vxi.me/ja/posts/mcp-client-http-jsonrpc-iserror/
 */
const article: { rule: string; status?: number; body: unknown; expected: object }[] = [
  {
    rule: 'baseline complete',
    body: good,
    expected: { layer: 'application', outcome: 'TOOL_SUCCESS' },
  },
  {
    rule: '503 first',
    status: 503,
    body: { note: 'synthetic outage' },
    expected: { layer: 'transport', outcome: 'HTTP_ERROR', status: 503 },
  },
  {
    rule: '200 to the explicit second POST',
    body: { ...good },
    expected: { layer: 'application', outcome: 'TOOL_SUCCESS' },
  },
  {
    rule: 'HTTP 200 with a JSON-RPC error',
    body: rpcError,
    expected: { layer: 'protocol', outcome: 'JSONRPC_ERROR', code: -32602 },
  },
  {
    rule: 'HTTP 200 with isError true',
    body: { ...good, result: { ...good.result, isError: true } },
    expected: { layer: 'application', outcome: 'TOOL_ERROR' },
  },
  {
    rule: 'HTTP 500 with a body that looks like success',
    status: 500,
    body: good,
    expected: { layer: 'transport', outcome: 'HTTP_ERROR', status: 500 },
  },
  {
    rule: 'malformed JSON',
    body: '{unclosed',
    expected: { layer: 'protocol', outcome: 'MALFORMED_JSON' },
  },
  {
    rule: 'result and error together',
    body: { ...good, error: rpcError.error },
    expected: { layer: 'protocol', outcome: 'INVALID_ENVELOPE' },
  },
  {
    rule: 'another id',
    body: { ...good, id: 99 },
    expected: { layer: 'protocol', outcome: 'INVALID_ENVELOPE' },
  },
  {
    rule: 'input_required is not completion',
    body: {
      jsonrpc: '2.0',
      id: 1,
      result: { resultType: 'input_required', inputRequests: { approval: { method: 'elicitation/create' } } },
    },
    expected: { layer: 'interaction', outcome: 'INPUT_REQUIRED' },
  },
  {
    rule: 'an older result without resultType',
    body: { jsonrpc: '2.0', id: 1, result: { content: [], isError: false } },
    expected: { layer: 'application', outcome: 'TOOL_SUCCESS' },
  },
  {
    rule: 'content that is not an array',
    body: { ...good, result: { ...good.result, content: 'not-an-array' } },
    expected: { layer: 'protocol', outcome: 'INVALID_TOOL_RESULT' },
  },
];

/** Where the article and `classifyResponse` differ, and the rest of the article's borders. */
const borders: { rule: string; input: ToolCallResponse; expected: object }[] = [
  {
    rule: 'an empty body is malformed',
    input: { status: 200, body: '' },
    expected: { layer: 'protocol', outcome: 'MALFORMED_JSON' },
  },
  {
    rule: 'an error with id null is an invalid envelope',
    input: { status: 200, body: '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}' },
    expected: { layer: 'protocol', outcome: 'INVALID_ENVELOPE' },
  },
  {
    rule: 'an array is an invalid envelope',
    input: { status: 200, body: `[${JSON.stringify(good)}]` },
    expected: { layer: 'protocol', outcome: 'INVALID_ENVELOPE' },
  },
  {
    rule: 'a created task is an invalid tool result',
    input: { status: 200, body: '{"jsonrpc":"2.0","id":1,"result":{"task":{"taskId":"t1"}}}' },
    expected: { layer: 'protocol', outcome: 'INVALID_TOOL_RESULT' },
  },
  {
    rule: 'an error code that is no integer is an invalid envelope',
    input: { status: 200, body: '{"jsonrpc":"2.0","id":1,"error":{"code":1.5,"message":"no"}}' },
    expected: { layer: 'protocol', outcome: 'INVALID_ENVELOPE' },
  },
  {
    rule: 'the expected id may be a string',
    input: { status: 200, body: JSON.stringify({ ...good, id: 'a' }), expectedId: 'a' },
    expected: { layer: 'application', outcome: 'TOOL_SUCCESS' },
  },
  {
    rule: 'an expected id that is undefined is 1',
    input: { status: 200, body: JSON.stringify(good), expectedId: undefined },
    expected: { layer: 'application', outcome: 'TOOL_SUCCESS' },
  },
  {
    rule: 'an expected id of 0 is not 1',
    input: { status: 200, body: JSON.stringify(good), expectedId: 0 },
    expected: { layer: 'protocol', outcome: 'INVALID_ENVELOPE' },
  },
];

describe("classifyToolCall, on the article's cases", () => {
  it.each(titled(article))('%s', (_, { status: httpStatus = 200, body: content, expected }) => {
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    expect(classifyToolCall({ status: httpStatus, body: text })).toStrictEqual(expected);
  });

  it('sees each of the eight outcomes there', () => {
    const outcomes = new Set(article.map(({ expected }) => (expected as { outcome: string }).outcome));
    expect([...outcomes].sort()).toStrictEqual([
      'HTTP_ERROR',
      'INPUT_REQUIRED',
      'INVALID_ENVELOPE',
      'INVALID_TOOL_RESULT',
      'JSONRPC_ERROR',
      'MALFORMED_JSON',
      'TOOL_ERROR',
      'TOOL_SUCCESS',
    ]);
  });
});

describe('classifyToolCall', () => {
  it.each(titled(borders))('%s', (_, { input, expected }) => {
    expect(classifyToolCall(input)).toStrictEqual(expected);
  });
});

/**
 * The article's rules, read from its text and code and written down as questions in order: the first that is answered
 * with yes decides. `$` is the body as a Map of its own properties, so that nothing is shared with the code under test.
 */
type Own = ReadonlyMap<string, unknown>;
interface Facts {
  readonly status: number;
  readonly parsed: boolean;
  readonly id: unknown;
  readonly $: Own | undefined;
  readonly error: Own | undefined;
  readonly result: Own | undefined;
}

const ownProperties = (value: unknown): Own | undefined =>
  Object.prototype.toString.call(value) === '[object Object]'
    ? new Map(
        Reflect.ownKeys(value as object).map((name) => [String(name), Reflect.get(value as object, name)]),
      )
    : undefined;

const RULES: readonly [rule: string, holds: (facts: Facts) => boolean, verdict: (facts: Facts) => object][] =
  [
    [
      'HTTP first',
      ({ status: s }) => Math.floor(s / 100) !== 2,
      ({ status: s }) => ({ layer: 'transport', outcome: 'HTTP_ERROR', status: s }),
    ],
    ['then JSON', ({ parsed }) => !parsed, () => ({ layer: 'protocol', outcome: 'MALFORMED_JSON' })],
    [
      'then the envelope: an object',
      ({ $ }) => $ === undefined,
      () => ({ layer: 'protocol', outcome: 'INVALID_ENVELOPE' }),
    ],
    [
      'then the envelope: version, id, one of result and error',
      ({ $, id }) => {
        const envelope: Own = $ ?? new Map();
        const members = ['result', 'error'].filter((name) => envelope.has(name)).length;
        return envelope.get('jsonrpc') !== '2.0' || envelope.get('id') !== id || members !== 1;
      },
      () => ({ layer: 'protocol', outcome: 'INVALID_ENVELOPE' }),
    ],
    [
      'then the error: an integer code and a message',
      ({ $, error }) => {
        const code = error?.get('code');
        const whole = typeof code === 'number' && code % 1 === 0;
        return $?.has('error') === true && !(whole && typeof error?.get('message') === 'string');
      },
      () => ({ layer: 'protocol', outcome: 'INVALID_ENVELOPE' }),
    ],
    [
      'which is then a JSON-RPC error',
      ({ $ }) => $?.has('error') === true,
      ({ error }) => ({ layer: 'protocol', outcome: 'JSONRPC_ERROR', code: error?.get('code') }),
    ],
    [
      'then the result: an object',
      ({ result }) => result === undefined,
      () => ({ layer: 'protocol', outcome: 'INVALID_TOOL_RESULT' }),
    ],
    [
      'which may ask for input',
      ({ result }) => result?.get('resultType') === 'input_required',
      () => ({ layer: 'interaction', outcome: 'INPUT_REQUIRED' }),
    ],
    [
      'or be of an unknown type; absent means complete',
      ({ result }) => result?.has('resultType') === true && result.get('resultType') !== 'complete',
      () => ({ layer: 'protocol', outcome: 'INVALID_TOOL_RESULT' }),
    ],
    [
      'or have the wrong shape',
      ({ result }) =>
        Object.prototype.toString.call(result?.get('content')) !== '[object Array]' ||
        (result?.has('isError') === true && ![true, false].some((flag) => flag === result.get('isError'))),
      () => ({ layer: 'protocol', outcome: 'INVALID_TOOL_RESULT' }),
    ],
    [
      'or be a failure of the tool',
      ({ result }) => result?.get('isError') === true,
      () => ({ layer: 'application', outcome: 'TOOL_ERROR' }),
    ],
    ['or a success', () => true, () => ({ layer: 'application', outcome: 'TOOL_SUCCESS' })],
  ];

function oracle({ status: httpStatus, body: text, expectedId }: ToolCallResponse): {
  rule: string;
  verdict: object;
} {
  let parsed = true;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    parsed = false;
  }
  const $ = ownProperties(value);
  const facts: Facts = {
    status: httpStatus,
    parsed,
    id: expectedId === undefined ? 1 : expectedId,
    $,
    error: ownProperties($?.get('error')),
    result: ownProperties($?.get('result')),
  };
  for (const [rule, holds, verdict] of RULES) if (holds(facts)) return { rule, verdict: verdict(facts) };
  throw new Error('the last rule always holds');
}

// A fixed seed: the tests also claim that the runs try every rule.
const RUNS = { numRuns: 4000, seed: 20_260_728 };
const input = fc.record(
  { status, body, expectedId: fc.constantFrom(0, 1, '1', 99, '', Number.POSITIVE_INFINITY) },
  { requiredKeys: ['status', 'body'] },
);

describe("the article's rules", () => {
  it("give the article's answers", () => {
    for (const { status: httpStatus = 200, body: content, expected } of article) {
      const text = typeof content === 'string' ? content : JSON.stringify(content);
      expect(oracle({ status: httpStatus, body: text }).verdict).toStrictEqual(expected);
    }
    for (const { input: response, expected } of borders) {
      expect(oracle(response).verdict).toStrictEqual(expected);
    }
  });

  it('are what classifyToolCall does, and generated responses try each of them', () => {
    const tried = new Set<string>();
    fc.assert(
      fc.property(input, (response) => {
        const { rule, verdict } = oracle(response);
        tried.add(rule);
        expect(classifyToolCall(response)).toStrictEqual(verdict);
      }),
      RUNS,
    );
    expect(RULES.map(([rule]) => rule).filter((rule) => !tried.has(rule))).toStrictEqual([]);
  });

  it('are what classifyToolCall does with any text', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, fc.json()), (text) => {
        expect(classifyToolCall({ status: 200, body: text })).toStrictEqual(
          oracle({ status: 200, body: text }).verdict,
        );
      }),
    );
  });
});

describe('classifyToolCall and classifyResponse', () => {
  const request: AnsweredMessage = { id: 1, method: 'tools/call', params: { name: 'echo' } };
  /** What classifyResponse knows and the article doesn't. */
  const differs = (text: string): boolean => {
    if (text.trim() === '' || /^\s*\[/.test(text)) return true;
    try {
      const message: unknown = JSON.parse(text);
      return ((message as { id?: unknown } | null)?.id ?? null) === null;
    } catch {
      return false;
    }
  };

  it('agree on the outcome, but for empty bodies, arrays and messages without an id', () => {
    let compared = 0;
    fc.assert(
      fc.property(status, body, (httpStatus, text) => {
        if (httpStatus < 300 && differs(text)) return;
        const byArticle = classifyToolCall({ status: httpStatus, body: text });
        expect(classifyResponse({ status: httpStatus, body: text, request }).outcome).toBe(byArticle.outcome);
        compared++;
      }),
      RUNS,
    );
    expect(compared).toBeGreaterThan(RUNS.numRuns / 2);
  });
});

describe('classifyToolCall, called from plain JavaScript', () => {
  const throwing = {
    toString() {
      throw new Error('no');
    },
  };
  const MALFORMED = { layer: 'protocol', outcome: 'MALFORMED_JSON' };
  const INVALID = { layer: 'protocol', outcome: 'INVALID_ENVELOPE' };
  const cases: { rule: string; argument: unknown; expected: object }[] = [
    { rule: 'no argument', argument: undefined, expected: MALFORMED },
    { rule: 'null', argument: null, expected: MALFORMED },
    { rule: 'a number', argument: 1, expected: MALFORMED },
    { rule: 'no body', argument: { status: 200 }, expected: MALFORMED },
    { rule: 'a body of null, which reads as JSON', argument: { status: 200, body: null }, expected: INVALID },
    { rule: 'a body that is parsed already', argument: { status: 200, body: good }, expected: MALFORMED },
    { rule: 'a body that throws when read', argument: { status: 200, body: throwing }, expected: MALFORMED },
    { rule: 'a status that is a symbol', argument: { status: Symbol('s'), body: '{}' }, expected: MALFORMED },
    { rule: 'no status', argument: { body: '{}' }, expected: INVALID },
    {
      rule: 'a status that is a string',
      argument: { status: '503', body: '{}' },
      expected: { layer: 'transport', outcome: 'HTTP_ERROR', status: '503' },
    },
  ];

  it.each(titled(cases))('%s gets an answer', (_, { argument, expected }) => {
    expect(classifyToolCall(argument as ToolCallResponse)).toStrictEqual(expected);
  });
});
