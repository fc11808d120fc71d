import { describe, expect, it } from 'vitest';
import { answers, askedIn, followUpIn } from '../../src/protocol/index.js';
import { titled } from './titled.js';

interface Row {
  readonly rule: string;
  readonly result: unknown;
  readonly params: unknown;
  readonly follows: boolean;
}

const question = { method: 'elicitation/create', params: {} };

const rows: Row[] = [
  {
    rule: 'the state that the server gave is sent back',
    result: { inputRequests: { a: question }, requestState: 's1' },
    params: { inputResponses: { a: {} }, requestState: 's1' },
    follows: true,
  },
  {
    rule: 'the state alone is enough: not every round asks a question',
    result: { requestState: 's1' },
    params: { requestState: 's1' },
    follows: true,
  },
  {
    rule: 'another state is another dialogue, even with the same questions',
    result: { inputRequests: { a: question }, requestState: 's1' },
    params: { inputResponses: { a: {} }, requestState: 's2' },
    follows: false,
  },
  {
    rule: 'a state that the server gave must come back',
    result: { inputRequests: { a: question }, requestState: 's1' },
    params: { inputResponses: { a: {} } },
    follows: false,
  },
  {
    rule: 'a state that the server never gave is of another dialogue',
    result: { inputRequests: { a: question } },
    params: { inputResponses: { a: {} }, requestState: 's1' },
    follows: false,
  },
  {
    rule: 'without a state, the names of the questions tell, in any order',
    result: { inputRequests: { a: question, b: question } },
    params: { inputResponses: { b: {}, a: {} } },
    follows: true,
  },
  {
    rule: 'without a state, fewer answers than questions follow nothing',
    result: { inputRequests: { a: question, b: question } },
    params: { inputResponses: { a: {} } },
    follows: false,
  },
  {
    rule: 'without a state, answers to other questions follow nothing',
    result: { inputRequests: { a: question } },
    params: { inputResponses: { b: {} } },
    follows: false,
  },
  {
    rule: 'no state and no questions: nothing is known by which to follow',
    result: { inputRequests: {} },
    params: { inputResponses: {} },
    follows: false,
  },
  {
    rule: 'a state that is not a string is none',
    result: { requestState: { a: 1 } },
    params: { requestState: { a: 1 } },
    follows: false,
  },
  {
    rule: 'an empty state is a state',
    result: { requestState: '' },
    params: { requestState: '' },
    follows: true,
  },
  {
    rule: 'answers that are an array are none',
    result: { inputRequests: { 0: question } },
    params: { inputResponses: [{}] },
    follows: false,
  },
  {
    rule: 'the same call again, without answers, begins anew',
    result: { inputRequests: { a: question }, requestState: 's1' },
    params: { name: 'book' },
    follows: false,
  },
  ...[undefined, null, 'text', [], 7].map((params) => ({
    rule: `params ${JSON.stringify(params)} follow nothing`,
    result: { inputRequests: { a: question } },
    params,
    follows: false,
  })),
  ...[undefined, null, 'text', []].map((result) => ({
    rule: `a result ${JSON.stringify(result)} asks nothing`,
    result,
    params: { inputResponses: { a: {} } },
    follows: false,
  })),
];

describe('a follow-up', () => {
  it.each(titled(rows))('%s', (_, { result, params, follows }) => {
    const followUp = followUpIn(params);
    expect(followUp !== undefined && answers(followUp, askedIn(result))).toBe(follows);
  });
});
