import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { VERSION } from '../src/version.js';
import { JSON_HEADERS, rpcError } from './support/json-rpc.js';
import { scriptedServer } from './support/scripted-server.js';

// These run the built package under its own name, as users do; `npm test` builds it first.

const NAME = 'opentelemetry-instrumentation-mcp-http';

interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

async function node(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Run> {
  const child = spawn(process.execPath, args, { env: { ...process.env, ...env }, timeout: 15_000 });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (data) => {
    output.stdout += data;
  });
  child.stderr.on('data', (data) => {
    output.stderr += data;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...output };
}

/** Takes OTLP as JSON, and keeps what was sent to `/v1/traces`. */
async function otlpReceiver() {
  const traces: string[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    if (request.url === '/v1/traces') traces.push(body);
    response.writeHead(200, JSON_HEADERS).end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    traces,
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise((closed) => server.close(closed)),
  };
}

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
    const run = await node(['--input-type=module', '--eval', program]);
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
    const run = await node([flag, module, '--eval', program], {
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_METRICS_EXPORTER: 'none',
      OTEL_LOGS_EXPORTER: 'none',
    });
    await receiver.close();
    await server.close();
    expect(run).toMatchObject({ code: 0, stderr: '' });
    const spans = receiver.traces.flatMap((body) => spansIn(body));
    const mcp = spans.find(({ name }) => name === 'tools/call echo');
    const http = spans.find(({ name }) => name === 'POST');
    expect(spans).toHaveLength(2);
    expect(mcp?.outcome).toBe('JSONRPC_ERROR');
    expect(http).toMatchObject({ outcome: 'JSONRPC_ERROR', parentSpanId: mcp?.spanId });
  });
});

describe('README', () => {
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

interface Attribute {
  key: string;
  value: { stringValue?: string };
}

function spansIn(body: string) {
  const { resourceSpans } = JSON.parse(body) as {
    resourceSpans: {
      scopeSpans: {
        spans: { name: string; spanId: string; parentSpanId?: string; attributes: Attribute[] }[];
      }[];
    }[];
  };
  return resourceSpans
    .flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
    .map(({ name, spanId, parentSpanId, attributes }) => ({
      name,
      spanId,
      parentSpanId,
      outcome: attributes.find(({ key }) => key === 'mcp.outcome')?.value.stringValue,
    }));
}
