import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  JSON_HEADERS,
  MCP_HEADERS,
  notification,
  request,
  result,
  rpcError,
  toolResult,
  toolsCall,
} from '../support/json-rpc.js';
import { type Answer, type ScriptedServer, scriptedServer } from '../support/scripted-server.js';
import { type DurationPoint, startTracing, type Tracing } from '../support/tracing.js';

const BUCKETS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];

let server: ScriptedServer;
let tracing: Tracing;
let answer: Answer;

beforeAll(async () => {
  server = await scriptedServer(() => answer);
});
afterAll(() => server.close());
afterEach(() => tracing.stop());

async function call(body: string, given: Answer): Promise<void> {
  answer = given;
  const response = await fetch(server.url, { method: 'POST', headers: MCP_HEADERS, body });
  await response.text();
}

const json = (text: string, status = 200): Answer => ({ status, headers: JSON_HEADERS, body: [text] });
const common = () => ({
  'network.transport': 'tcp',
  'network.protocol.name': 'http',
  'server.address': '127.0.0.1',
  'server.port': server.port,
});

describe('mcp.client.operation.duration', () => {
  beforeEach(() => {
    tracing = startTracing();
  });

  it.each([
    [
      'a tool that succeeds',
      toolsCall(),
      json(toolResult()),
      {
        'mcp.method.name': 'tools/call',
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'echo',
        'mcp.outcome': 'TOOL_SUCCESS',
        'mcp.retry.origin': 'none',
      },
    ],
    [
      'an error',
      toolsCall(),
      json(rpcError(-32602)),
      {
        'mcp.method.name': 'tools/call',
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'echo',
        'mcp.outcome': 'JSONRPC_ERROR',
        'mcp.error.layer': 'protocol',
        'error.type': '-32602',
        'rpc.response.status_code': '-32602',
        'mcp.retry.origin': 'none',
      },
    ],
    [
      'a prompt',
      request('prompts/get', { name: 'greeting' }),
      json(result({})),
      {
        'mcp.method.name': 'prompts/get',
        'gen_ai.prompt.name': 'greeting',
        'mcp.outcome': 'SUCCESS',
        'mcp.retry.origin': 'none',
      },
    ],
    [
      'a notification, which nobody sends again',
      notification('notifications/initialized'),
      { status: 202 },
      { 'mcp.method.name': 'notifications/initialized', 'mcp.outcome': 'ACCEPTED' },
    ],
  ] as const)(
    '%s is measured once, with these attributes and no others',
    async (_, body, given, attributes) => {
      await call(body, given);
      await tracing.waitForSpans(1);
      const points = await tracing.durations();
      expect(points).toEqual([
        {
          attributes: { ...common(), ...attributes },
          count: 1,
          sum: expect.any(Number),
          boundaries: BUCKETS,
          unit: 's',
        },
      ]);
    },
  );

  it('is in seconds, of the same time as the span', async () => {
    await call(toolsCall(), json(toolResult()));
    const [span] = await tracing.waitForSpans(1);
    const [point] = await tracing.durations();
    const [seconds = 0, nanoseconds = 0] = span?.duration ?? [];
    // Two clocks read a moment apart: what is asked is that the unit is right.
    expect(Math.abs((point?.sum ?? 0) - (seconds + nanoseconds / 1e9))).toBeLessThan(0.5);
  });

  it('the revision is told, as of the header', async () => {
    answer = json(toolResult());
    const headers = { ...MCP_HEADERS, 'mcp-protocol-version': '2025-06-18', 'mcp-session-id': 's' };
    await (await fetch(server.url, { method: 'POST', headers, body: toolsCall() })).text();
    await tracing.waitForSpans(1);
    const [point] = await tracing.durations();
    expect(point?.attributes['mcp.protocol.version']).toBe('2025-06-18');
    expect(point?.attributes).not.toHaveProperty('mcp.session.id');
  });

  it('a method that is not of MCP is _OTHER, however many there are', async () => {
    for (let i = 0; i < 3; i++) await call(request(`my/method${i}`), json(result({})));
    await tracing.waitForSpans(3);
    expect(valuesOf(await tracing.durations(), 'mcp.method.name')).toEqual(['_OTHER']);
  });
});

function valuesOf(points: readonly DurationPoint[], name: string): unknown[] {
  return points.map(({ attributes }) => attributes[name]).sort();
}

describe('maxNames', () => {
  beforeEach(() => {
    tracing = startTracing({ config: { maxNames: 2 } });
  });

  it.each([
    ['gen_ai.tool.name', (i: number) => [toolsCall(`v${i}`), json(toolResult())]],
    ['gen_ai.prompt.name', (i: number) => [request('prompts/get', { name: `v${i}` }), json(result({}))]],
    ['rpc.response.status_code', (i: number) => [toolsCall(), json(rpcError(i))]],
    ['error.type', (i: number) => [toolsCall(), { status: 500 + i }]],
    [
      'mcp.protocol.version',
      (i: number) => [
        request('tools/list', { _meta: { 'io.modelcontextprotocol/protocolVersion': `v${i}` } }),
        json(result({})),
      ],
    ],
  ] as const)('the metric takes so many values of %s, then _OTHER', async (name, exchange) => {
    for (const i of [0, 1, 2, 3, 1]) {
      const [body, given] = exchange(i) as [string, Answer];
      await call(body, given);
    }
    const spans = await tracing.waitForSpans(5);
    const points = await tracing.durations();
    const values = valuesOf(points, name);
    expect(values).toHaveLength(3);
    expect(values).toContain('_OTHER');
    expect(points.map(({ count }) => count).sort()).toEqual([1, 2, 2]);
    // The span keeps what the metric gives up.
    expect(new Set(spans.map(({ attributes }) => attributes[name])).size).toBe(4);
  });

  it('that is set later holds from then on', async () => {
    await call(toolsCall('a'), json(toolResult()));
    tracing.mcp.setConfig({ maxNames: 5 });
    for (const name of ['b', 'c', 'd']) await call(toolsCall(name), json(toolResult()));
    await tracing.waitForSpans(4);
    expect(valuesOf(await tracing.durations(), 'gen_ai.tool.name')).toEqual(['a', 'b', 'c', 'd']);
  });
});
