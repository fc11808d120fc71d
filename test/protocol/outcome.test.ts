import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  classifyResponse,
  ENVELOPE_DEFECTS,
  ERROR_LAYERS,
  layerOf,
  OUTCOMES,
} from '../../src/protocol/index.js';

const source = readFileSync(join(__dirname, '../../src/protocol/outcome.ts'), 'utf8');

/** The doc comment above each name of a list. */
const docs = new Map(
  [...source.matchAll(/\/\*\* (.*) \*\/\n {2}'(\w+)',/g)].map(([, doc = '', name = '']) => [name, doc]),
);
/** The bodies in a doc comment: its code spans that begin as JSON or HTML do. */
const bodiesIn = (doc: string): string[] =>
  [...doc.matchAll(/`([{["<n].*?)`/g)]
    .map(([, code = '']) => code)
    .filter((code) => /^[{["<]|^null$/.test(code));
const methodIn = (doc: string): string => /`(\w+\/\w+)`/.exec(doc)?.[1] ?? 'tools/call';

describe('the list of outcomes', () => {
  it('gives exactly the failures a layer, and uses each layer', () => {
    const failures = OUTCOMES.filter((outcome) => layerOf(outcome) !== undefined);
    expect(failures).toStrictEqual([
      'HTTP_ERROR',
      'NETWORK_ERROR',
      'TIMEOUT',
      'STREAM_INCOMPLETE',
      'MALFORMED_JSON',
      'INVALID_ENVELOPE',
      'JSONRPC_ERROR',
      'INVALID_TOOL_RESULT',
      'INVALID_RESULT',
      'TOOL_ERROR',
    ]);
    expect(new Set(failures.map(layerOf))).toStrictEqual(new Set(ERROR_LAYERS));
  });

  it.each(OUTCOMES)('explains %s', (outcome) => {
    expect(docs.get(outcome)).toBeTypeOf('string');
  });

  const examples = OUTCOMES.flatMap((outcome) =>
    bodiesIn(docs.get(outcome) ?? '').map((body) => ({ outcome, body })),
  );

  it('has an example body for the outcomes that a body decides', () => {
    expect(examples.map(({ outcome }) => outcome)).toStrictEqual([
      'TOOL_SUCCESS',
      'SUCCESS',
      'INPUT_REQUIRED',
      'TASK_CREATED',
      'MALFORMED_JSON',
      'INVALID_ENVELOPE',
      'JSONRPC_ERROR',
      'INVALID_TOOL_RESULT',
      'INVALID_RESULT',
      'TOOL_ERROR',
    ]);
  });

  it.each(examples.map(({ outcome, body }) => [body, outcome] as const))(
    'is right that %s is %s',
    (body, outcome) => {
      const method = methodIn(docs.get(outcome) ?? '');
      const params = outcome === 'TASK_CREATED' ? { name: 'echo', task: {} } : { name: 'echo' };
      expect(classifyResponse({ status: 200, body, request: { id: 1, method, params } }).outcome).toBe(
        outcome,
      );
    },
  );
});

describe('the list of envelope defects', () => {
  const examples = ENVELOPE_DEFECTS.flatMap((defect) =>
    bodiesIn(docs.get(defect) ?? '').map((body) => ({ defect, body })),
  );

  it('has an example for each', () => {
    expect(new Set(examples.map(({ defect }) => defect))).toStrictEqual(new Set(ENVELOPE_DEFECTS));
  });

  it.each(examples.map(({ defect, body }) => [body, defect] as const))(
    'is right that %s is %s',
    (body, defect) => {
      const request = { id: 1, method: 'tools/list' };
      expect(classifyResponse({ status: 200, body, request }).defect).toBe(defect);
    },
  );
});
