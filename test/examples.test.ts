import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { delimiter, dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { otlpReceiver, type ReceivedSpan } from './support/otlp-receiver.js';
import { run, runNode } from './support/run.js';
import { within } from './support/signal.js';
import { MCP_SCOPE, UNDICI_SCOPE } from './support/span-recorder.js';

// These run the examples on the built package, by the very commands of examples/README.md; `npm test` builds it first.

const readme = readFileSync('examples/README.md', 'utf8');

const commands = ['agent-esm', 'agent-cjs'].flatMap((folder) => {
  const section = readme.split(`\n## ${folder}\n`)[1]?.split('\n## ')[0] ?? '';
  return [...section.matchAll(/^node .*$/gm)].map(([command]) => ({ folder, command }));
});

let server: ChildProcess;
let url: string;

beforeAll(async () => {
  const child = spawn(process.execPath, ['examples/demo/serve.mjs'], {
    env: { ...process.env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  server = child;
  const [line] = await within(10_000, 'the server says where it is', once(child.stdout, 'data'));
  url = /^MCP at (\S+)\n$/.exec(String(line))?.[1] ?? '';
});
afterAll(async () => {
  const exited = once(server, 'exit');
  server.kill();
  await exited;
});

it('examples/README.md runs each agent by a file of its own and by register', () => {
  const loaded = commands.map(({ folder, command }) => [folder, command.split(' ').slice(1, 3).join(' ')]);
  expect(loaded).toEqual([
    ['agent-esm', '--import ./tracing.mjs'],
    ['agent-esm', '--import opentelemetry-instrumentation-mcp-http/register'],
    ['agent-cjs', '--require ./tracing.cjs'],
    ['agent-cjs', '--require opentelemetry-instrumentation-mcp-http/register'],
  ]);
});

describe.each(commands)('$folder: $command', ({ folder, command }) => {
  let spans: ReceivedSpan[];

  beforeAll(async () => {
    const receiver = await otlpReceiver();
    const result = await run('sh', ['-c', command], {
      cwd: `examples/${folder}`,
      env: {
        PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
        MCP_URL: url,
        OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint,
        OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      },
    });
    await receiver.close();
    spans = receiver.spans();
    expect(result).toEqual({
      code: 0,
      stdout: 'tools: search, book, pay\nbook failed: [{"type":"text","text":"Grand has no room left"}]\n',
      stderr: '',
    });
  });

  it('sends one span for each call, with its outcome and layer', () => {
    const calls = spans
      .filter(({ scope }) => scope === MCP_SCOPE)
      .map(({ name, attributes }) => [name, attributes['mcp.outcome'], attributes['mcp.error.layer']]);
    expect(calls.sort()).toEqual([
      ['initialize', 'SUCCESS', undefined],
      ['notifications/initialized', 'ACCEPTED', undefined],
      ['tools/call book', 'TOOL_ERROR', 'application'],
      ['tools/list', 'SUCCESS', undefined],
    ]);
  });

  it('sends the HTTP span of each call as its child, with the outcome', () => {
    for (const call of spans.filter(({ scope }) => scope === MCP_SCOPE)) {
      const children = spans.filter(({ parentSpanId }) => parentSpanId === call.spanId);
      expect(children).toHaveLength(1);
      expect(children[0]).toMatchObject({
        scope: UNDICI_SCOPE,
        name: 'POST',
        attributes: { 'mcp.outcome': call.attributes['mcp.outcome'] },
      });
    }
  });
});

it('an agent shows a tool that the server does not have as the JSON-RPC error it is', async () => {
  const result = await runNode(['examples/agent-esm/agent.mjs', 'refund'], { MCP_URL: url });
  expect(result).toMatchObject({
    code: 0,
    stdout: 'tools: search, book, pay\nrefund failed: Tool refund not found\n',
  });
});

it('examples/log-lines writes a line per call, with the ids of its span', async () => {
  const section = readme.split('\n## log-lines\n')[1]?.split('\n## ')[0] ?? '';
  const [command = ''] = /^node .*$/m.exec(section) ?? [];
  const receiver = await otlpReceiver();
  const result = await run('sh', ['-c', command], {
    cwd: 'examples/agent-esm',
    env: {
      PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
      MCP_URL: url,
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    },
  });
  await receiver.close();
  const lines = result.stderr
    .trim()
    .split('\n')
    .map(
      (line) => JSON.parse(line) as { trace_id: string; span_id: string; method: string; outcome: string },
    );
  expect(lines.map(({ method, outcome }) => [method, outcome])).toEqual([
    ['initialize', 'SUCCESS'],
    ['notifications/initialized', 'ACCEPTED'],
    ['tools/list', 'SUCCESS'],
    ['tools/call', 'TOOL_ERROR'],
  ]);
  expect(lines.at(-1)).toMatchObject({
    client: 'agent-esm@1.0.0',
    target: 'book',
    postCount: 1,
    httpStatuses: [200],
    resultType: 'complete',
    layer: 'application',
    retryOrigin: 'none',
  });
  const sent = receiver.spans().filter(({ scope }) => scope === MCP_SCOPE);
  expect(sent.map(({ traceId, spanId }) => `${traceId} ${spanId}`).sort()).toEqual(
    lines.map(({ trace_id, span_id }) => `${trace_id} ${span_id}`).sort(),
  );
});
