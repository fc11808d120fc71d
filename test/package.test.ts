import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { OUTCOMES } from '../src/protocol/index.js';
import { VERSION } from '../src/version.js';
import { JSON_HEADERS, rpcError } from './support/json-rpc.js';
import { otlpReceiver } from './support/otlp-receiver.js';
import { runNode } from './support/run.js';
import { scriptedServer } from './support/scripted-server.js';

// These run the built package under its own name, as users do; `npm test` builds it first.

const NAME = 'opentelemetry-instrumentation-mcp-http';

describe('the package', () => {
  it('tells the version that package.json has', () => {
    expect(VERSION).toBe((JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }).version);
  });

  it('is one copy, whether it is imported or required', async () => {
    const program = `
      import { createRequire } from 'node:module';
      import * as imported from '${NAME}';
      const required = createRequire(process.cwd() + '/')('${NAME}');
      const names = Object.keys(required);
      console.log(names.length > 50, names.every((name) => imported[name] === required[name]));`;
    const run = await runNode(['--input-type=module', '--eval', program]);
    expect(run).toMatchObject({ code: 0, stdout: 'true true\n' });
  });

  it.each([
    ['--import', `${NAME}/register`],
    ['--require', `${NAME}/register`],
  ])('%s %s sends the spans of a call before the process ends', async (flag, module) => {
    const server = await scriptedServer(() => ({ headers: JSON_HEADERS, body: [rpcError(-32602)] }));
    const receiver = await otlpReceiver();
    const program = `
      const body = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}';
      fetch('${server.url}', { method: 'POST', body }).then((response) => response.text());`;
    const run = await runNode([flag, module, '--eval', program], {
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_METRICS_EXPORTER: 'none',
      OTEL_LOGS_EXPORTER: 'none',
    });
    await receiver.close();
    await server.close();
    expect(run).toMatchObject({ code: 0, stderr: '' });
    const spans = receiver.spans();
    const mcp = spans.find(({ name }) => name === 'tools/call echo');
    const http = spans.find(({ name }) => name === 'POST');
    expect(spans).toHaveLength(2);
    expect(mcp?.attributes['mcp.outcome']).toBe('JSONRPC_ERROR');
    expect(http).toMatchObject({
      attributes: { 'mcp.outcome': 'JSONRPC_ERROR' },
      parentSpanId: mcp?.spanId,
    });
  });
});

describe('a call that still waits for its answer when the process ends', () => {
  const call = (url: string): string => `
    const body = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"later"}}';
    const response = await fetch('${url}', { method: 'POST', body });
    await response.text();`;
  const told = { 'mcp.outcome': 'UNCLASSIFIED', 'mcp.unclassified.reason': 'evicted' };

  it.each([
    ['by itself: register exports it', '', 0],
    [
      'by a signal: register exports it',
      `process.kill(process.pid, 'SIGTERM'); setTimeout(() => {}, 5_000);`,
      null,
    ],
  ])('%s', async (_how, end, code) => {
    // Accepted: the answer would come on a stream that nobody opens.
    const server = await scriptedServer(() => ({ status: 202 }));
    const receiver = await otlpReceiver();
    const run = await runNode(
      ['--import', `${NAME}/register`, '--input-type=module', '--eval', call(server.url) + end],
      {
        OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint,
        OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
        OTEL_METRICS_EXPORTER: 'none',
        OTEL_LOGS_EXPORTER: 'none',
      },
    );
    await receiver.close();
    await server.close();
    expect(run).toEqual({ code, stdout: '', stderr: '' });
    expect(receiver.spans().find(({ name }) => name === 'tools/call later')?.attributes).toMatchObject(told);
  });

  it('is there for a set-up of its own that exports on beforeExit, whoever registered first', async () => {
    const server = await scriptedServer(() => ({ status: 202 }));
    const program = `
      import { InMemorySpanExporter, BasicTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
      import { McpHttpInstrumentation } from '${NAME}';
      const exporter = new InMemorySpanExporter();
      const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
      process.once('beforeExit', () => {
        console.log(exporter.getFinishedSpans().map(({ attributes }) => attributes['mcp.outcome']).join());
      });
      const mcp = new McpHttpInstrumentation();
      mcp.setTracerProvider(provider);
      ${call(server.url)}
      // What waits keeps the process from nothing.
      console.log(exporter.getFinishedSpans().length);`;
    const run = await runNode(['--input-type=module', '--eval', program]);
    await server.close();
    expect(run).toEqual({ code: 0, stdout: '0\nUNCLASSIFIED\n', stderr: '' });
  });
});

describe('README', () => {
  it.each(['README.md', 'docs/outcomes.md', 'docs/telemetry.md'])('%s names every outcome', (page) => {
    const text = readFileSync(page, 'utf8');
    expect(OUTCOMES.filter((outcome) => !text.includes(`\`${outcome}\``))).toEqual([]);
  });

  it('lists exactly the options that there are', () => {
    const table = readFileSync('README.md', 'utf8').split('## Options')[1]?.split('\n## ')[0] ?? '';
    const listed = [...table.matchAll(/^\| ((?:`\w+`(?:, )?)+)/gm)].flatMap(([, names = '']) =>
      [...names.matchAll(/`(\w+)`/g)].map(([, name]) => name),
    );
    const source = readFileSync('src/config.ts', 'utf8').split('export interface Options')[0] ?? '';
    const options = [...source.matchAll(/^ {2}(\w+)\?: /gm)].map(([, name]) => name);
    expect(options.length).toBeGreaterThan(5);
    expect(listed.sort()).toEqual(options.sort());
  });
});
