import { describe, expect, it } from 'vitest';
import { toolHintsIn } from '../../src/protocol/index.js';
import { titled } from './titled.js';

const listed = (annotations: unknown) => ({ tools: [{ name: 'pay', inputSchema: {}, annotations }] });

const rows: { rule: string; result: unknown; expected: boolean | undefined }[] = [
  { rule: 'readOnlyHint: repeatable', result: listed({ readOnlyHint: true }), expected: true },
  { rule: 'idempotentHint: repeatable', result: listed({ idempotentHint: true }), expected: true },
  {
    rule: 'a destructive tool that is idempotent destroys no more the second time',
    result: listed({ destructiveHint: true, idempotentHint: true }),
    expected: true,
  },
  {
    rule: 'that it destroys nothing does not say that it may be done twice',
    result: listed({ destructiveHint: false }),
    expected: false,
  },
  { rule: 'no annotations: not known', result: listed(undefined), expected: false },
  { rule: 'the hints say no', result: listed({ readOnlyHint: false }), expected: false },
  { rule: 'only the boolean true is a yes', result: listed({ readOnlyHint: 'true' }), expected: false },
  { rule: 'annotations that are no object', result: listed([true]), expected: false },
  {
    rule: 'annotations inherited from nowhere',
    result: listed(JSON.parse('{"__proto__":{"readOnlyHint":true}}')),
    expected: false,
  },
  { rule: 'a tool without a name is not listed', result: { tools: [{}, null, 'pay'] }, expected: undefined },
  { rule: 'tools that are no array', result: { tools: { pay: {} } }, expected: undefined },
  { rule: 'no result', result: undefined, expected: undefined },
];

describe('what a server says of its tools', () => {
  it.each(titled(rows))('%s', (_, { result, expected }) => {
    const hints = toolHintsIn(result);
    expect(hints).toEqual(expected === undefined ? [] : [{ name: 'pay', repeatable: expected }]);
  });
});
