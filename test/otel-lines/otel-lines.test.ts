import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { JSON_HEADERS, rpcError, toolResult } from '../support/json-rpc.js';
import { type OtlpReceiver, otlpReceiver, type ReceivedSpan } from '../support/otlp-receiver.js';
import { type Run, run } from '../support/run.js';
import { type ScriptedServer, scriptedServer } from '../support/scripted-server.js';
import { MCP_SCOPE, UNDICI_SCOPE } from '../support/span-recorder.js';

// The packed package, installed as users install it, with each line of OpenTelemetry JS.

const NAME = 'opentelemetry-instrumentation-mcp-http';
const HERE = 'test/otel-lines';
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const hasNode = (wantedMajor: number, wantedMinor: number): boolean =>
  major > wantedMajor || (major === wantedMajor && minor >= wantedMinor);

const lines = [
  { line: 'current', api: '1.9.1', runs: true },
  {
    line: 'next',
    api: '1.10.0',
    // `engines` of its packages: ^22.15.0 || >=24.
    runs: hasNode(22, 15),
  },
];

let workshop: string;
let tarball: string;
let server: ScriptedServer;

const ANSWERS: Record<string, (id: number) => string> = {
  works: (id) => toolResult({}, id),
  fails: (id) => toolResult({ isError: true }, id),
  unknown: (id) => rpcError(-32602, 'Unknown tool', id),
};

const WAYS = [
  { way: 'import', args: ['--import', './tracing.mjs', 'calls.mjs'] },
  { way: 'require', args: ['--require', './tracing.cjs', 'calls.mjs'] },
  { way: `--import ${NAME}/register`, args: ['--import', `${NAME}/register`, 'calls.mjs'] },
  { way: `--require ${NAME}/register`, args: ['--require', `${NAME}/register`, 'calls.mjs'] },
];

beforeAll(async () => {
  workshop = mkdtempSync(join(tmpdir(), 'otel-lines-'));
  await npm(process.cwd(), 'pack', '--pack-destination', workshop);
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  tarball = join(workshop, `${NAME}-${version}.tgz`);
  server = await scriptedServer(({ body }) => {
    const { id, params } = JSON.parse(body) as { id: number; params: { name: string } };
    return { headers: JSON_HEADERS, body: [ANSWERS[params.name]?.(id) ?? ''] };
  });
});
afterAll(async () => {
  await server?.close();
  rmSync(workshop, { recursive: true, force: true });
});

async function npm(cwd: string, ...args: string[]): Promise<Run> {
  const done = await run('npm', [...args, '--no-audit', '--no-fund'], { cwd, timeoutMillis: 240_000 });
  if (done.code !== 0) throw new Error(`npm ${args.join(' ')} failed:\n${done.stdout}\n${done.stderr}`);
  return done;
}

it.each([
  ['API 1.9 and an SDK without instrumentation', { '@opentelemetry/sdk-trace-node': '2.12.0' }],
  ['API 1.9 alone', {}],
])('is installed beside %s, whatever newer versions there are', async (_what, dependencies) => {
  const home = mkdtempSync(join(workshop, 'beside-'));
  const all = { '@opentelemetry/api': '1.9.1', ...dependencies, [NAME]: `file:${tarball}` };
  writeFileSync(join(home, 'package.json'), JSON.stringify({ private: true, dependencies: all }));
  await npm(home, 'install');
  expect((await npm(home, 'ls', '--all')).stderr).toBe('');
});

for (const { line, api, runs } of lines) {
  const title = runs ? line : `${line} (not on Node ${process.versions.node}: it needs 22.15)`;

  describe.skipIf(!runs)(`the ${title} line of OpenTelemetry JS`, () => {
    let home: string;
    let installed: Run;

    beforeAll(async () => {
      home = join(workshop, line);
      cpSync(join(HERE, line), home, { recursive: true });
      for (const file of ['calls.mjs', 'tracing.mjs', 'tracing.cjs', 'consumer.mts', 'consumer.cts']) {
        cpSync(join(HERE, file), join(home, file));
      }
      await npm(home, 'ci');
      installed = await npm(home, 'install', '--no-save', tarball);
    });

    it('takes the package without a conflict or a second API', async () => {
      expect(`${installed.stdout}${installed.stderr}`).not.toMatch(/ERESOLVE|peer dep|EBADENGINE/);
      const versionOf = (name: string, from: string) => {
        const { version } = JSON.parse(
          readFileSync(join(home, 'node_modules', from, name, 'package.json'), 'utf8'),
        ) as { version: string };
        return version;
      };
      expect(versionOf('@opentelemetry/api', '')).toBe(api);
      expect((await npm(home, 'ls', '--all')).stderr).toBe('');
      // A second API would have globals of its own.
      expect(() => versionOf('@opentelemetry/api', `${NAME}/node_modules`)).toThrow(/ENOENT/);
    });

    it.each(['mts', 'cts'])("its types fit the package's (consumer.%s)", async (extension) => {
      const tsconfig = {
        compilerOptions: {
          strict: true,
          noEmit: true,
          module: 'nodenext',
          target: 'es2022',
          lib: ['es2023'],
          skipLibCheck: false,
          types: ['node'],
          typeRoots: [resolve('node_modules/@types')],
        },
        files: [`consumer.${extension}`],
      };
      writeFileSync(join(home, `tsconfig.${extension}.json`), JSON.stringify(tsconfig));
      const checked = await run(
        process.execPath,
        [resolve('node_modules/typescript/bin/tsc'), '-p', join(home, `tsconfig.${extension}.json`)],
        { cwd: home, timeoutMillis: 150_000 },
      );
      // The exit code too: a compiler that was killed says nothing.
      expect(checked).toEqual({ code: 0, stdout: '', stderr: '' });
    });

    describe.each(WAYS)('$way', ({ args }) => {
      let receiver: OtlpReceiver;
      let spans: ReceivedSpan[];

      beforeAll(async () => {
        receiver = await otlpReceiver();
        const program = await run(process.execPath, args, {
          cwd: home,
          env: {
            MCP_URL: server.url,
            OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint,
            OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
            OTEL_METRICS_EXPORTER: 'otlp',
            OTEL_LOGS_EXPORTER: 'none',
            NODE_OPTIONS: undefined,
          },
        });
        await receiver.close();
        spans = receiver.spans();
        expect(program).toEqual({ code: 0, stdout: '', stderr: '' });
      });

      it("tells each call's outcome, and the HTTP span is its child", () => {
        const calls = spans.filter(({ scope }) => scope === MCP_SCOPE);
        const told = calls.map(({ name, attributes }) => [name, attributes['mcp.outcome']]);
        expect(told.sort()).toEqual([
          ['tools/call fails', 'TOOL_ERROR'],
          ['tools/call unknown', 'JSONRPC_ERROR'],
          ['tools/call works', 'TOOL_SUCCESS'],
        ]);
        const https = spans.filter(({ scope }) => scope === UNDICI_SCOPE);
        expect(https.map(({ parentSpanId }) => parentSpanId).sort()).toEqual(
          calls.map(({ spanId }) => spanId).sort(),
        );
        expect(https.map(({ attributes }) => attributes['mcp.outcome']).sort()).toEqual(
          told.map(([, outcome]) => outcome).sort(),
        );
      });

      it('sends the histogram', () => {
        const outcomes = receiver
          .histogramPoints()
          .filter(({ name }) => name === 'mcp.client.operation.duration')
          .map(({ attributes }) => attributes['mcp.outcome']);
        expect(new Set(outcomes)).toEqual(new Set(['TOOL_SUCCESS', 'TOOL_ERROR', 'JSONRPC_ERROR']));
      });
    });
  });
}
