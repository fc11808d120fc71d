import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { ScriptedServer } from '../support/scripted-server.js';
import { startAgent } from './agent.js';
import { type Backend, startBackend } from './backend.js';
import { searchTraces, tagOf } from './jaeger-query.js';
import { answeringServer } from './mcp-answers.js';

const SERVICE = 'e2e-agent';

const TOOLS = ['works', 'fails', 'bad-params', 'no-method', 'outage', 'page', 'ends'];

describe('calls of an agent, sent through the collector to Jaeger', () => {
  let backend: Backend;
  let server: ScriptedServer;
  let failed = true;

  beforeAll(async () => {
    server = await answeringServer();
    backend = await startBackend();
    const agent = startAgent({ mcpUrl: server.url, otlpEndpoint: backend.otlpEndpoint, service: SERVICE });
    for (const tool of TOOLS) await agent.turn([tool]);
    expect(await agent.end()).toEqual({ code: 0, stderr: '' });
    // The collector batches for 200 ms, and its exporter may send again: wait for the last span, not for a time.
    await vi.waitFor(async () => expect(await toolsFoundBy({})).toEqual([...TOOLS].sort()), {
      timeout: 30_000,
      interval: 100,
    });
    failed = false;
  });
  afterAll(async () => {
    await backend?.close(failed);
    await server?.close();
  });

  /** The tools whose call carries these tags; of each trace only the MCP span is looked at. */
  async function toolsFoundBy(tags: Readonly<Record<string, string>>): Promise<unknown[]> {
    const spans = await searchTraces(backend.jaegerQuery, SERVICE, tags);
    return spans
      .filter((span) => span.operationName.startsWith('tools/call'))
      .map((span) => tagOf(span, 'gen_ai.tool.name'))
      .sort();
  }

  it.each([
    [{ 'mcp.outcome': 'TOOL_SUCCESS' }, ['works']],
    [{ 'mcp.outcome': 'TOOL_ERROR' }, ['fails']],
    [{ 'mcp.outcome': 'JSONRPC_ERROR' }, ['bad-params']],
    [{ 'mcp.outcome': 'HTTP_ERROR' }, ['no-method', 'outage']],
    [{ 'mcp.outcome': 'MALFORMED_JSON' }, ['page']],
    [{ 'mcp.outcome': 'STREAM_INCOMPLETE' }, ['ends']],
    [{ 'mcp.error.layer': 'transport' }, ['ends', 'no-method', 'outage']],
    [{ 'mcp.error.layer': 'protocol' }, ['bad-params', 'page']],
    [{ 'mcp.error.layer': 'application' }, ['fails']],
    [{ 'rpc.response.status_code': '-32602' }, ['bad-params']],
    [{ 'rpc.response.status_code': '-32601' }, ['no-method']],
    [{ 'mcp.outcome': 'INVALID_ENVELOPE' }, []],
  ])('%o finds exactly %j', async (tags, tools) => {
    expect(await toolsFoundBy(tags as unknown as Record<string, string>)).toEqual(tools);
  });

  it('the HTTP span is a child of the call', async () => {
    const spans = await searchTraces(backend.jaegerQuery, SERVICE, { 'mcp.outcome': 'TOOL_ERROR' });
    const call = spans.find((span) => span.operationName === 'tools/call fails');
    const post = spans.find((span) => span.operationName === 'POST');
    expect(spans.map(({ operationName }) => operationName).sort()).toEqual([
      'POST',
      'tools/call fails',
      'turn',
    ]);
    expect(post?.references.map(({ spanID }) => spanID)).toEqual([call?.spanID]);
  });
});
