import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { JSON_HEADERS, rpcError, toolResult } from '../support/json-rpc.js';
import { type Answer, type ScriptedServer, scriptedServer } from '../support/scripted-server.js';
import { type Backend, startBackend } from './backend.js';
import { searchTraces, tagOf } from './jaeger-query.js';

const SERVICE = 'e2e-agent';

/** What the server answers, by the tool that is called. */
const ANSWERS: Readonly<Record<string, Answer>> = {
  works: { headers: JSON_HEADERS, body: [toolResult()] },
  fails: { headers: JSON_HEADERS, body: [toolResult({ isError: true })] },
  'bad-params': { headers: JSON_HEADERS, body: [rpcError(-32602)] },
  'no-method': { status: 404, headers: JSON_HEADERS, body: [rpcError(-32601)] },
  outage: { status: 503, body: ['down'] },
  page: { headers: { 'content-type': 'text/html' }, body: ['<html></html>'] },
  ends: { headers: { 'content-type': 'text/event-stream' }, body: [': nothing\n\n'] },
};

const AGENT = `
  for (const name of ${JSON.stringify(Object.keys(ANSWERS))}) {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } });
    const response = await fetch(process.env.MCP_URL, { method: 'POST', body });
    await response.text();
  }`;

describe('calls of an agent, sent through the collector to Jaeger', () => {
  let backend: Backend;
  let server: ScriptedServer;
  let failed = true;

  beforeAll(async () => {
    server = await scriptedServer(({ body }) => {
      const { params } = JSON.parse(body) as { params: { name: string } };
      return ANSWERS[params.name] ?? { status: 500 };
    });
    backend = await startBackend();
    await promisify(execFile)(
      process.execPath,
      ['--import', 'opentelemetry-instrumentation-mcp-http/register', '--input-type=module', '--eval', AGENT],
      {
        env: {
          ...process.env,
          MCP_URL: server.url,
          OTEL_SERVICE_NAME: SERVICE,
          OTEL_EXPORTER_OTLP_ENDPOINT: backend.otlpEndpoint,
          OTEL_LOGS_EXPORTER: 'none',
        },
        timeout: 30_000,
      },
    );
    // The collector batches for 200 ms, and its exporter may send again: wait for the last span, not for a time.
    await vi.waitFor(async () => expect(await toolsFoundBy({})).toEqual(Object.keys(ANSWERS).sort()), {
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
    expect(spans).toHaveLength(2);
    expect(post?.references.map(({ spanID }) => spanID)).toEqual([call?.spanID]);
  });
});
