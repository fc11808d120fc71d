import { describe, expect, it } from 'vitest';
import { mismatches, missingOutcomes } from '../examples/demo/check.mjs';
import { shortfalls } from '../examples/demo/receiver.mjs';
import { OUTCOMES } from '../src/index.js';
import { type Run, runNode } from './support/run.js';

// These run the demo on the built package, as users do; `npm test` builds it first.

const ESCAPE = '\u001b';

interface Row {
  readonly call: string;
  readonly outcome: string;
  readonly layer: string | null;
  readonly retryOrigin: string | null;
  readonly spanId: string;
}

function demo(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Run> {
  const unset = { NO_COLOR: undefined, FORCE_COLOR: undefined, OTEL_EXPORTER_OTLP_ENDPOINT: undefined };
  return runNode(['examples/demo/main.mjs', ...args], { ...unset, ...env });
}

describe('npm run demo', () => {
  it('--json has a row for every outcome, and one for each who may send a call again', async () => {
    const run = await demo(['--json']);
    expect(run).toMatchObject({ code: 0, stderr: '' });
    const rows = JSON.parse(run.stdout) as Row[];
    expect([...new Set(rows.map(({ outcome }) => outcome))].sort()).toEqual([...OUTCOMES].sort());
    expect(new Set(rows.map(({ spanId }) => spanId)).size).toBe(rows.length);
    const requests = rows.filter(({ call }) => !call.startsWith('notifications/'));
    expect(new Set(requests.map(({ retryOrigin }) => retryOrigin))).toEqual(
      new Set(['none', 'sdk', 'application', 'manual']),
    );
    for (const { call, retryOrigin } of rows) {
      expect(retryOrigin === null).toBe(call.startsWith('notifications/'));
    }
  });

  it('without a terminal it prints the table, a span tree and where the telemetry went, in no colour', async () => {
    const run = await demo([]);
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout).not.toContain(ESCAPE);
    expect(run.stdout.split('\n')[0]).toMatch(
      /^call +client +HTTP +JSON-RPC +resultType +outcome +layer +retry +ms$/,
    );
    expect(run.stdout).toMatch(
      /^tools\/call refund +SDK v1 +200 +-32602 +JSONRPC_ERROR +protocol +none +\d+$/m,
    );
    expect(run.stdout).toMatch(
      /^the tool does not exist INTERNAL .*\n└─ tools\/call refund CLIENT .*(?:\n {3}│.*)+\n {3}└─ POST CLIENT/m,
    );
    expect(run.stdout).toMatch(/^\d+ spans and the metric of \d+ calls went to a receiver inside the demo/m);
  });

  it('FORCE_COLOR gives colours, NO_COLOR goes before it', async () => {
    const [forced, refused] = await Promise.all([
      demo([], { FORCE_COLOR: '1' }),
      demo([], { FORCE_COLOR: '1', NO_COLOR: '1' }),
    ]);
    expect(forced.stdout).toContain(`${ESCAPE}[35mJSONRPC_ERROR${ESCAPE}[39m`);
    expect(refused.code).toBe(0);
    expect(refused.stdout).not.toContain(ESCAPE);
  });

  it('exits with 1 and names call, field and values when rows are not what they should be', async () => {
    // Spans that may have only so many attributes lose what comes last: how the call ended.
    const run = await demo([], { OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT: '8' });
    expect(run.code).toBe(1);
    expect(run.stderr).toContain(
      'demo: the tool does not exist: tools/call refund: outcome is null, expected "JSONRPC_ERROR"\n',
    );
  });

  it('exits with 1 and says where when the telemetry cannot be sent', async () => {
    const endpoint = 'http://127.0.0.1:1';
    const run = await demo(['--json'], {
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      OTEL_EXPORTER_OTLP_TIMEOUT: '500',
    });
    expect(run.code).toBe(1);
    expect(run.stderr).toMatch(new RegExp(`^demo: the telemetry could not be sent to ${endpoint}: .+\n$`));
  });

  it('exits with 2 and tells the usage when an option is unknown', async () => {
    const run = await demo(['--jsno']);
    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(run.stderr).toMatch(/^Unknown option '--jsno'.*\n\nnpm run demo/);
  });
});

describe('the check of a scenario', () => {
  const scenario = {
    name: 's',
    client: 'fetch',
    run: async () => {},
    expected: [
      { call: 'tools/call a', code: '-32602', outcome: 'JSONRPC_ERROR', layer: 'protocol' },
      { call: 'notifications/initialized', http: [202], outcome: 'ACCEPTED' },
    ],
  };
  const call = {
    call: 'tools/call a',
    http: [200],
    code: '-32602',
    resultType: null,
    outcome: 'JSONRPC_ERROR',
    layer: 'protocol',
    detail: null,
    retryOrigin: 'none',
  };
  const notice = {
    ...{ call: 'notifications/initialized', http: [202], code: null, resultType: null },
    ...{ outcome: 'ACCEPTED', layer: null, detail: null, retryOrigin: null },
  };
  const check = (rows: object[], thrown?: string) => mismatches({ scenario, rows, thrown } as never);

  it('has nothing to say of rows that are as expected, whatever the client threw', () => {
    expect(check([call, notice], 'McpError: no')).toEqual([]);
  });

  it.each([
    ['call', 'tools/call b'],
    ['http', [503]],
    ['code', null],
    ['resultType', 'complete'],
    ['outcome', 'TOOL_ERROR'],
    ['layer', 'application'],
    ['detail', 'version'],
    ['retryOrigin', 'sdk'],
  ])('names a wrong %s, its value and the expected one', (field, value) => {
    const lines = check([{ ...call, [field]: value }, notice]);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(`s: tools/call a: ${field} is ${JSON.stringify(value)}, expected `);
  });

  it('a notification that has a retry origin is wrong', () => {
    expect(check([call, { ...notice, retryOrigin: 'none' }])).toEqual([
      's: notifications/initialized: retryOrigin is "none", expected null',
    ]);
  });

  it('names a call that nobody expected', () => {
    expect(check([call, notice, call])).toEqual(['s: unexpected call tools/call a (JSONRPC_ERROR)']);
  });

  it('names a call that is missing, and what the client threw', () => {
    expect(check([call], 'Error: closed')).toEqual([
      's: no call notifications/initialized',
      's: the client said: Error: closed',
    ]);
  });

  it('names the outcomes that no row shows', () => {
    const rows = OUTCOMES.filter((outcome) => outcome !== 'TIMEOUT').map((outcome) => ({ outcome }));
    expect(missingOutcomes(rows)).toEqual(['no call ended as TIMEOUT']);
  });
});

describe('the check of what arrived', () => {
  const rows = [
    { call: 'tools/call a', outcome: 'TOOL_SUCCESS', spanId: 'a' },
    { call: 'tools/call b', outcome: 'TOOL_ERROR', spanId: 'b' },
  ];
  const callsByOutcome = { TOOL_SUCCESS: 1, TOOL_ERROR: 1 };

  it('has nothing to say when each span came once and the metric counts each call', () => {
    expect(shortfalls({ spans: ['a', 'http', 'b'], callsByOutcome }, rows, 3)).toEqual([]);
  });

  it('names the span of a call that did not come', () => {
    expect(shortfalls({ spans: ['a', 'http'], callsByOutcome }, rows, 3)).toEqual([
      '2 of 3 spans arrived',
      'the span of tools/call b (b) did not arrive',
    ]);
  });

  it('names an outcome that the metric counts too often or not at all', () => {
    const lines = shortfalls({ spans: ['a', 'b'], callsByOutcome: { TOOL_SUCCESS: 2 } }, rows, 2);
    expect(lines).toEqual([
      'mcp.client.operation.duration counts 2 calls as TOOL_SUCCESS, not 1',
      'mcp.client.operation.duration counts 0 calls as TOOL_ERROR, not 1',
    ]);
  });
});
