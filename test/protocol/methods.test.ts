import { describe, expect, it } from 'vitest';
import { identifiesMcp, isMcpMethod } from '../../src/protocol/index.js';
import { titled } from './titled.js';

/**
 * What clients may send, by the revision that brought it.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema
 */
const BY_REVISION: Record<string, readonly string[]> = {
  '2024-11-05': [
    'initialize',
    'ping',
    'completion/complete',
    'logging/setLevel',
    'prompts/get',
    'prompts/list',
    'resources/list',
    'resources/read',
    'resources/subscribe',
    'resources/templates/list',
    'resources/unsubscribe',
    'tools/call',
    'tools/list',
    'notifications/cancelled',
    'notifications/initialized',
    'notifications/progress',
    'notifications/roots/list_changed',
  ],
  '2025-11-25': ['tasks/cancel', 'tasks/get', 'tasks/list', 'tasks/result', 'notifications/tasks/status'],
  '2026-07-28': ['server/discover', 'subscriptions/listen', 'tasks/update'],
};
const ALL = Object.values(BY_REVISION).flat();

describe('isMcpMethod', () => {
  it.each(ALL)('knows %s', (method) => {
    expect(isMcpMethod(method)).toBe(true);
  });

  it.each([
    'eth_call',
    'textDocument/hover',
    'message/send',
    'tools/Call',
    'tools',
    '',
    '__proto__',
    'constructor',
    // Servers send these; a client that POSTs one is no MCP client.
    'sampling/createMessage',
    'notifications/tools/list_changed',
  ])("doesn't know %j", (method) => {
    expect(isMcpMethod(method)).toBe(false);
    expect(identifiesMcp(method, { protocolVersion: '2025-11-25' })).toBe(false);
  });
});

describe('identifiesMcp', () => {
  const SHARED = ['initialize', 'ping', 'tasks/cancel', 'tasks/get', 'tasks/list'];

  it.each(ALL.filter((method) => !SHARED.includes(method)))('needs no params with %s', (method) => {
    expect(identifiesMcp(method, undefined)).toBe(true);
  });

  const modern = { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } };

  it.each(
    titled([
      {
        rule: "initialize with a revision is MCP's",
        method: 'initialize',
        params: { protocolVersion: '2025-11-25' },
        mcp: true,
      },
      {
        rule: "initialize of a language server isn't",
        method: 'initialize',
        params: { processId: 1, rootUri: null, capabilities: {} },
        mcp: false,
      },
      {
        rule: "initialize of the agent client protocol, whose version is a number, isn't",
        method: 'initialize',
        params: { protocolVersion: 1, clientCapabilities: {} },
        mcp: false,
      },
      { rule: "initialize without params isn't", method: 'initialize', params: undefined, mcp: false },
      { rule: "ping is anybody's, even with MCP's _meta", method: 'ping', params: modern, mcp: false },
      { rule: "a task named by taskId is MCP's", method: 'tasks/get', params: { taskId: 't1' }, mcp: true },
      { rule: "a task named by id is A2A's", method: 'tasks/get', params: { id: 't1' }, mcp: false },
      {
        rule: "cancelling a task named by id is A2A's",
        method: 'tasks/cancel',
        params: { id: 't1' },
        mcp: false,
      },
      {
        rule: "cancelling a task named by taskId is MCP's",
        method: 'tasks/cancel',
        params: { taskId: 't1' },
        mcp: true,
      },
      {
        rule: "a list of tasks without a mark isn't MCP's",
        method: 'tasks/list',
        params: { pageSize: 5 },
        mcp: false,
      },
      {
        rule: "a list of tasks after a cursor is MCP's",
        method: 'tasks/list',
        params: { cursor: 'c' },
        mcp: true,
      },
      { rule: "a list of tasks with MCP's _meta is MCP's", method: 'tasks/list', params: modern, mcp: true },
      {
        rule: "a list of tasks with another _meta isn't MCP's",
        method: 'tasks/list',
        params: { _meta: { traceparent: '00', 'example.com/key': 1 } },
        mcp: false,
      },
      {
        rule: "what __proto__ brings isn't a param",
        method: 'initialize',
        params: JSON.parse('{"__proto__":{"protocolVersion":"2025-11-25"}}') as unknown,
        mcp: false,
      },
      {
        rule: "params that are an array are nobody's",
        method: 'initialize',
        params: ['2025-11-25'],
        mcp: false,
      },
    ]),
  )('%s', (_, { method, params, mcp }) => {
    expect(identifiesMcp(method, params)).toBe(mcp);
  });
});
