import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { titled } from '../protocol/titled.js';
import { JSON_HEADERS, toolResult } from '../support/json-rpc.js';
import { otlpReceiver } from '../support/otlp-receiver.js';
import { run } from '../support/run.js';
import { type Script, type ScriptedServer, STAY_OPEN, scriptedServer } from '../support/scripted-server.js';
import { MCP_SCOPE } from '../support/span-recorder.js';

// Each row is a process of its own, with the built package's `register`; `npm test` builds it first.

interface Row {
  readonly rule: string;
  readonly answer: Awaited<ReturnType<Script>>;
  /** What the application does once `fetch` has resolved: a promise, or a block. */
  readonly next: string;
  /** `null`: the process was ended by a signal. */
  readonly code: number | null;
  readonly stdout?: string;
  readonly outcome: string;
  readonly reason: string | undefined;
}

const accepted = { status: 202 };
const begun = { headers: JSON_HEADERS, body: [toolResult().slice(0, 9), STAY_OPEN] as const };

const rows: Row[] = [
  {
    rule: 'a call that waits for its answer on another stream, when the process has nothing more to do',
    answer: accepted,
    next: 'response.text()',
    code: 0,
    outcome: 'UNCLASSIFIED',
    reason: 'evicted',
  },
  {
    rule: 'a call that waits for its answer on another stream, when SIGTERM comes',
    answer: accepted,
    next: "response.text().then(() => process.kill(process.pid, 'SIGTERM'))",
    code: null,
    outcome: 'UNCLASSIFIED',
    reason: 'evicted',
  },
  {
    rule: 'a call that waits for its answer on another stream, when SIGINT comes',
    answer: accepted,
    next: "response.text().then(() => process.kill(process.pid, 'SIGINT'))",
    code: null,
    outcome: 'UNCLASSIFIED',
    reason: 'evicted',
  },
  {
    rule: 'a call whose answer is under way, when SIGTERM comes',
    answer: begun,
    next: "process.kill(process.pid, 'SIGTERM')",
    code: null,
    outcome: 'UNCLASSIFIED',
    reason: 'evicted',
  },
  {
    rule: 'a call whose answer is there, when SIGTERM comes',
    answer: { headers: JSON_HEADERS, body: [toolResult({ isError: true })] },
    next: "response.text().then(() => process.kill(process.pid, 'SIGTERM'))",
    code: null,
    outcome: 'TOOL_ERROR',
    reason: undefined,
  },
  ...(['on', 'once', 'prependListener'] as const).map(
    (add): Row => ({
      rule: `a call, when SIGTERM comes to an application that listens with ${add}(), which decides when it ends`,
      answer: accepted,
      next: `{
        const alive = setInterval(() => {}, 60_000);
        process.${add}('SIGTERM', () => {
          // Much later than everything is exported.
          setTimeout(() => { console.log('ended'); clearInterval(alive); }, 500);
        });
        process.kill(process.pid, 'SIGTERM');
      }`,
      code: 0,
      stdout: 'ended\n',
      outcome: 'UNCLASSIFIED',
      reason: 'evicted',
    }),
  ),
];

describe('register exports', () => {
  let server: ScriptedServer;
  let answer: Row['answer'] = accepted;

  beforeAll(async () => {
    server = await scriptedServer(() => answer);
  });
  afterEach(() => server.forget());
  afterAll(() => server.close());

  it.each(titled(rows))('%s', async (_, row) => {
    answer = row.answer;
    const receiver = await otlpReceiver();
    const program = `
      const body = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}';
      fetch('${server.url}', { method: 'POST', body }).then((response) => ${row.next});`;
    const register = 'opentelemetry-instrumentation-mcp-http/register';
    const result = await run(process.execPath, ['--import', register, '--eval', program], {
      env: {
        OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint,
        OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
        OTEL_TRACES_EXPORTER: 'otlp',
        OTEL_METRICS_EXPORTER: 'otlp',
        OTEL_LOGS_EXPORTER: 'none',
      },
    });
    await receiver.close();
    expect(result).toEqual({ code: row.code, stdout: row.stdout ?? '', stderr: '' });
    const calls = receiver
      .spans()
      .filter(({ scope }) => scope === MCP_SCOPE)
      .map(({ name, attributes }) => [
        name,
        attributes['mcp.outcome'],
        attributes['mcp.unclassified.reason'],
      ]);
    expect(calls).toEqual([['tools/call echo', row.outcome, row.reason]]);
    const points = receiver.histogramPoints().filter(({ scope }) => scope === MCP_SCOPE);
    expect(points.map(({ count, attributes }) => [count, attributes['mcp.outcome']])).toEqual([
      [1, row.outcome],
    ]);
  });
});
