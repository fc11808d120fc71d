import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { titled } from '../protocol/titled.js';
import { JSON_HEADERS, toolResult } from '../support/json-rpc.js';
import { otlpReceiver } from '../support/otlp-receiver.js';
import { run } from '../support/run.js';
import { type ScriptedServer, scriptedServer } from '../support/scripted-server.js';
import { MCP_SCOPE, UNDICI_SCOPE } from '../support/span-recorder.js';

// Each row is a process of its own on the built package, loaded by its name as users do; `npm test` builds it first.

const NAME = 'opentelemetry-instrumentation-mcp-http';
const REGISTER = `${NAME}/register`;

const IMPORTS = `
  import { registerInstrumentations } from '@opentelemetry/instrumentation';
  import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
  import { NodeSDK } from '@opentelemetry/sdk-node';
  import { McpHttpInstrumentation } from '${NAME}';`;
const REQUIRES = `
  const { UndiciInstrumentation } = require('@opentelemetry/instrumentation-undici');
  const { NodeSDK } = require('@opentelemetry/sdk-node');
  const { McpHttpInstrumentation } = require('${NAME}');`;
const BOTH =
  'const mcp = new McpHttpInstrumentation(); const instrumentations = [mcp, new UndiciInstrumentation()];';
const CALL = `fetch(process.env.MCP_URL, {
  method: 'POST',
  body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}',
}).then((response) => response.text())`;
const SHUT_DOWN = 'sdk.shutdown()';
const CREATE_REQUIRE = `
  import { createRequire } from 'node:module';
  const require = createRequire(process.cwd() + '/');`;

interface Row {
  readonly rule: string;
  readonly flags?: readonly string[];
  readonly esm?: string;
  readonly cjs?: string;
  /** Default: one. */
  readonly httpSpans?: number;
}

const rows: Row[] = [
  {
    rule: 'imported, given to NodeSDK',
    esm: `${IMPORTS} ${BOTH} const sdk = new NodeSDK({ instrumentations }); sdk.start(); await ${CALL}; await ${SHUT_DOWN};`,
  },
  {
    rule: 'required, given to NodeSDK',
    cjs: `${REQUIRES} ${BOTH} const sdk = new NodeSDK({ instrumentations }); sdk.start(); ${CALL}.then(() => ${SHUT_DOWN});`,
  },
  {
    rule: 'registerInstrumentations after the SDK has started',
    esm: `${IMPORTS} ${BOTH} const sdk = new NodeSDK(); sdk.start(); registerInstrumentations({ instrumentations });
      await ${CALL}; await ${SHUT_DOWN};`,
  },
  {
    rule: 'registerInstrumentations before the SDK starts',
    esm: `${IMPORTS} ${BOTH} registerInstrumentations({ instrumentations }); const sdk = new NodeSDK(); sdk.start();
      await ${CALL}; await ${SHUT_DOWN};`,
  },
  {
    rule: 'made before the SDK, given to it later',
    esm: `${IMPORTS} ${BOTH} const sdk = new NodeSDK({ instrumentations }); await Promise.resolve(); sdk.start();
      await ${CALL}; await ${SHUT_DOWN};`,
  },
  {
    rule: '--import register, the application knows nothing',
    flags: ['--import', REGISTER],
    cjs: `${CALL};`,
  },
  {
    rule: '--require register, the application knows nothing',
    flags: ['--require', REGISTER],
    cjs: `${CALL};`,
  },
  {
    rule: '--import register, and the application requires the package and register too',
    flags: ['--import', REGISTER],
    cjs: `require('${NAME}'); require('${REGISTER}'); ${CALL};`,
  },
  {
    rule: '--require register, and the application imports the package and register too',
    flags: ['--require', REGISTER],
    esm: `import '${NAME}'; import '${REGISTER}'; await ${CALL};`,
  },
  {
    rule: '--import and --require register',
    flags: ['--require', REGISTER, '--import', REGISTER],
    esm: `${CREATE_REQUIRE} require('${REGISTER}'); await ${CALL};`,
  },
  {
    rule: '--import register, and the application has a set-up of its own: two undici instrumentations, one of ours',
    flags: ['--import', REGISTER],
    esm: `${IMPORTS} ${BOTH} const sdk = new NodeSDK({ instrumentations }); sdk.start(); await ${CALL}; await ${SHUT_DOWN};`,
    httpSpans: 2,
  },
];

describe('a call is told once when the package is', () => {
  let server: ScriptedServer;

  beforeAll(async () => {
    server = await scriptedServer(() => ({
      headers: JSON_HEADERS,
      body: [toolResult({ isError: true })],
    }));
  });
  afterAll(() => server.close());

  it.each(titled(rows))('%s', async (_, { flags = [], esm, cjs, httpSpans = 1 }) => {
    const receiver = await otlpReceiver();
    const program = esm === undefined ? ['--eval', cjs ?? ''] : ['--input-type=module', '--eval', esm];
    const result = await run(process.execPath, [...flags, ...program], {
      env: {
        MCP_URL: server.url,
        OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint,
        OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
        OTEL_TRACES_EXPORTER: 'otlp',
        OTEL_METRICS_EXPORTER: 'otlp',
        OTEL_LOGS_EXPORTER: 'none',
      },
    });
    await receiver.close();
    expect(result).toEqual({ code: 0, stdout: '', stderr: '' });

    const spans = receiver.spans();
    const [mcp, ...others] = spans.filter(({ scope }) => scope === MCP_SCOPE);
    expect(others).toEqual([]);
    expect(mcp).toMatchObject({
      name: 'tools/call echo',
      parentSpanId: undefined,
      attributes: { 'mcp.outcome': 'TOOL_ERROR' },
    });
    const http = spans.filter(({ scope }) => scope === UNDICI_SCOPE);
    expect(spans).toHaveLength(1 + http.length);
    expect(http).toHaveLength(httpSpans);
    expect(new Set(http.map(({ traceId }) => traceId))).toEqual(new Set([mcp?.traceId]));
    const points = receiver.histogramPoints().filter(({ scope }) => scope === MCP_SCOPE);
    expect(points.map(({ name, count }) => [name, count])).toEqual([['mcp.client.operation.duration', 1]]);
  });
});
