import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cancellationIn, requestMeta, targetOf } from '../../src/protocol/index.js';
import { jsonText } from './generators.js';
import { titled } from './titled.js';

const parse = (text: string): unknown => JSON.parse(text);

describe('targetOf', () => {
  it.each(
    titled([
      { rule: 'a tool', method: 'tools/call', params: { name: 'echo' }, expected: { toolName: 'echo' } },
      {
        rule: 'a prompt',
        method: 'prompts/get',
        params: { name: 'greet' },
        expected: { promptName: 'greet' },
      },
      {
        rule: 'a resource read',
        method: 'resources/read',
        params: { uri: 'file:///a' },
        expected: { resourceUri: 'file:///a' },
      },
      {
        rule: 'a resource subscribed to',
        method: 'resources/subscribe',
        params: { uri: 'file:///a' },
        expected: { resourceUri: 'file:///a' },
      },
      {
        rule: 'a resource unsubscribed from',
        method: 'resources/unsubscribe',
        params: { uri: 'file:///a' },
        expected: { resourceUri: 'file:///a' },
      },
      {
        rule: 'the prompt that a completion is about',
        method: 'completion/complete',
        params: { ref: { type: 'ref/prompt', name: 'greet' }, argument: { name: 'who', value: 'w' } },
        expected: { promptName: 'greet' },
      },
      {
        rule: 'the resource template that a completion is about',
        method: 'completion/complete',
        params: { ref: { type: 'ref/resource', uri: 'file:///{path}' } },
        expected: { resourceUri: 'file:///{path}' },
      },
      {
        rule: 'no name where lists are asked for',
        method: 'tools/list',
        params: { name: 'x' },
        expected: {},
      },
      { rule: 'no name that is a number', method: 'tools/call', params: { name: 7 }, expected: {} },
      { rule: 'no name without params', method: 'tools/call', params: undefined, expected: {} },
      {
        rule: 'no name inherited through __proto__',
        method: 'tools/call',
        params: parse('{"__proto__":{"name":"x"}}'),
        expected: {},
      },
      {
        rule: 'no name of an unknown reference',
        method: 'completion/complete',
        params: { ref: {} },
        expected: {},
      },
    ]),
  )('finds %s', (_, { method, params, expected }) => {
    expect(targetOf({ method, params })).toStrictEqual(expected);
  });
});

describe('requestMeta', () => {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'agent', version: '1.2.3' },
  };

  it.each(
    titled([
      {
        rule: 'initialize says who asks, and for which revision',
        method: 'initialize',
        params: { protocolVersion: '2025-11-25', clientInfo: { name: 'agent', version: '1.2.3' } },
        expected: { protocolVersion: '2025-11-25', clientName: 'agent', clientVersion: '1.2.3' },
      },
      {
        rule: 'from 2026-07-28 on each request says it in _meta',
        method: 'tools/call',
        params: { name: 'echo', _meta: meta },
        expected: { protocolVersion: '2026-07-28', clientName: 'agent', clientVersion: '1.2.3' },
      },
      {
        rule: 'initialize goes by its own params before _meta',
        method: 'initialize',
        params: { protocolVersion: '2025-11-25', clientInfo: { name: 'older' }, _meta: meta },
        expected: { protocolVersion: '2025-11-25', clientName: 'older' },
      },
      {
        rule: 'clientInfo of another method is an argument like any other',
        method: 'tools/call',
        params: { protocolVersion: '1', clientInfo: { name: 'x' } },
        expected: {},
      },
      {
        rule: 'a version without a name says nothing',
        method: 'initialize',
        params: { clientInfo: { version: '1' } },
        expected: {},
      },
      {
        rule: 'what is no string says nothing',
        method: 'initialize',
        params: { protocolVersion: 1, clientInfo: 'agent' },
        expected: {},
      },
    ]),
  )('%s', (_, { method, params, expected }) => {
    expect(requestMeta({ method, params })).toStrictEqual(expected);
  });
});

describe('cancellationIn', () => {
  it.each(
    titled([
      {
        rule: 'a cancel notice names its request and may give a reason',
        method: 'notifications/cancelled',
        params: { requestId: 3, reason: 'Error: Request timed out' },
        expected: { requestId: 3, reason: 'Error: Request timed out' },
      },
      {
        rule: 'request 0 can be cancelled',
        method: 'notifications/cancelled',
        params: { requestId: 0 },
        expected: { requestId: 0 },
      },
      {
        rule: 'a reason that is no string is none',
        method: 'notifications/cancelled',
        params: { requestId: 'a', reason: {} },
        expected: { requestId: 'a' },
      },
      {
        rule: 'without a request nothing is cancelled',
        method: 'notifications/cancelled',
        params: { reason: 'x' },
        expected: undefined,
      },
      {
        rule: 'request null is no request',
        method: 'notifications/cancelled',
        params: { requestId: null },
        expected: undefined,
      },
      {
        rule: 'another method cancels nothing',
        method: 'tasks/cancel',
        params: { requestId: 1 },
        expected: undefined,
      },
    ]),
  )('%s', (_, { method, params, expected }) => {
    expect(cancellationIn({ method, params })).toStrictEqual(expected);
  });
});

describe('the readers of params', () => {
  it('take strings from any value, and nothing else', () => {
    const methods = fc.constantFrom(
      'tools/call',
      'initialize',
      'completion/complete',
      'notifications/cancelled',
    );
    fc.assert(
      fc.property(methods, jsonText.map(parse), (method, params) => {
        for (const found of [
          ...Object.values(targetOf({ method, params })),
          ...Object.values(requestMeta({ method, params })),
        ]) {
          expect(typeof found).toBe('string');
        }
        const cancellation = cancellationIn({ method, params });
        if (cancellation !== undefined) expect(method).toBe('notifications/cancelled');
      }),
      { numRuns: 1000 },
    );
  });
});
