import { type DiagLogger, DiagLogLevel, diag } from '@opentelemetry/api';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CallHook, CallRecord } from '../../src/index.js';
import {
  event,
  MCP_HEADERS,
  notification,
  rpcError,
  SSE_HEADERS,
  toolResult,
  toolsCall,
} from '../support/json-rpc.js';
import { type Answer, CUT, type ScriptedServer, scriptedServer } from '../support/scripted-server.js';
import { MCP_SCOPE } from '../support/span-recorder.js';
import { startTracing, type Tracing } from '../support/tracing.js';

let server: ScriptedServer;
let tracing: Tracing;
let answer: Answer | typeof CUT;

beforeAll(async () => {
  server = await scriptedServer(() => answer);
  tracing = startTracing();
});
afterEach(() => {
  tracing.reset();
  tracing.mcp.setConfig({});
});
afterAll(async () => {
  await tracing.stop();
  await server.close();
});

async function call(
  given: Answer | typeof CUT = { body: [toolResult()] },
  body = toolsCall(),
  headers: Readonly<Record<string, string>> = MCP_HEADERS,
): Promise<string> {
  answer = given;
  const init = { method: 'POST', headers, body };
  return fetch(`${server.url}?key=1#top`, init)
    .then((response) => response.text())
    .catch((error: unknown) => String(error));
}

/** Of a call of which nothing is known yet. */
const started = (): CallRecord => ({
  client: null,
  server: null,
  protocolVersion: null,
  method: 'tools/call',
  target: 'echo',
  postCount: 0,
  httpStatuses: [],
  jsonrpc: { id: 1, errorCode: null, errorMessage: null },
  resultType: null,
  outcome: null,
  layer: null,
  errorType: null,
  retryAfter: null,
  retryOrigin: 'none',
  retryReason: null,
  attempt: 1,
  mrtrRound: null,
  startTime: expect.any(Number) as number,
  durationMs: null,
  streamEvents: null,
  url: server.url,
});

const ended = (fields: Partial<CallRecord>): CallRecord => ({
  ...started(),
  postCount: 1,
  httpStatuses: [200],
  durationMs: expect.any(Number) as number,
  ...fields,
});

describe('the record that hooks get', () => {
  let requested: CallRecord[];
  let responded: CallRecord[];

  beforeEach(() => {
    requested = [];
    responded = [];
    tracing.mcp.setConfig({
      requestHook: (_, record) => requested.push(record),
      responseHook: (_, record) => responded.push(record),
    });
  });

  it.each([
    [
      'of a tool that succeeds',
      { body: [toolResult()] },
      toolsCall(),
      { outcome: 'TOOL_SUCCESS', resultType: 'complete' },
    ],
    [
      'of an error, with its code and message',
      { status: 400, headers: { 'retry-after': '5' }, body: [rpcError(-32602, 'no such tool')] },
      toolsCall(),
      {
        outcome: 'HTTP_ERROR',
        layer: 'transport',
        errorType: '400',
        retryAfter: '5',
        httpStatuses: [400],
        jsonrpc: { id: 1, errorCode: -32602, errorMessage: 'no such tool' },
      },
    ],
    [
      'of a stream, with its events',
      { headers: SSE_HEADERS, body: [event('{}'), event(toolResult())] },
      toolsCall(),
      { outcome: 'TOOL_SUCCESS', resultType: 'complete', streamEvents: 2 },
    ],
    [
      'of a call without a response',
      CUT,
      toolsCall(),
      { outcome: 'NETWORK_ERROR', layer: 'transport', httpStatuses: [], errorType: 'UND_ERR_SOCKET' },
    ],
    [
      'of a notification, which has neither id nor retry',
      { status: 202 },
      notification('notifications/initialized'),
      {
        method: 'notifications/initialized',
        target: null,
        jsonrpc: { id: null, errorCode: null, errorMessage: null },
        outcome: 'ACCEPTED',
        retryOrigin: null,
        httpStatuses: [202],
      },
    ],
  ] as const)('%s', async (_, given, body, fields) => {
    await call(given as Answer, body);
    await tracing.waitForSpans(1);
    expect(responded).toEqual([ended(fields as Partial<CallRecord>)]);
    const { method, target, jsonrpc, retryOrigin } = ended(fields as Partial<CallRecord>);
    expect(requested).toEqual([
      { ...started(), method, target, retryOrigin, jsonrpc: { ...started().jsonrpc, id: jsonrpc.id } },
    ]);
  });

  it('of a session that told its names, with client and server as name@version', async () => {
    const headers = { ...MCP_HEADERS, 'mcp-session-id': 's' };
    const clientInfo = { name: 'agent', version: '1' };
    const initialize = { protocolVersion: '2025-06-18', clientInfo };
    await call(
      {
        headers: { 'mcp-session-id': 's' },
        body: [
          `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","serverInfo":{"name":"weather"}}}`,
        ],
      },
      JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params: initialize }),
    );
    await call({ body: [toolResult()] }, toolsCall(), headers);
    await tracing.waitForSpans(2);
    expect(responded.at(-1)).toEqual(
      ended({
        client: 'agent@1',
        server: 'weather',
        protocolVersion: '2025-06-18',
        outcome: 'TOOL_SUCCESS',
        resultType: 'complete',
      }),
    );
  });

  it('is plain: JSON gives it back whole, and changing it changes nothing', async () => {
    tracing.mcp.setConfig({
      requestHook: (_, record) => {
        record.method = 'changed';
        record.httpStatuses.push(1);
        record.jsonrpc.id = 'changed';
      },
      responseHook: (_, record) => {
        responded.push(record);
        expect(JSON.parse(JSON.stringify(record))).toEqual(record);
      },
    });
    await call();
    const [span] = await tracing.waitForSpans(1);
    expect(responded).toEqual([ended({ outcome: 'TOOL_SUCCESS', resultType: 'complete' })]);
    expect(span?.attributes).toMatchObject({
      'mcp.method.name': 'tools/call',
      'mcp.http.status_codes': [200],
    });
  });
});

describe('the span that hooks get', () => {
  it('is still open: what they put there is told', async () => {
    tracing.mcp.setConfig({
      requestHook: (span) => span.setAttribute('tenant', 't1'),
      responseHook: (span, { outcome }) => span.setAttribute('my.outcome', String(outcome)),
    });
    await call();
    const [span] = await tracing.waitForSpans(1);
    expect(span?.attributes).toMatchObject({ tenant: 't1', 'my.outcome': 'TOOL_SUCCESS' });
  });

  it('has its attributes already when the call has ended', async () => {
    let outcome: unknown;
    tracing.mcp.setConfig({
      responseHook: (span) => {
        outcome = (span as unknown as { attributes: Record<string, unknown> }).attributes['mcp.outcome'];
      },
    });
    await call();
    await tracing.waitForSpans(1);
    expect(outcome).toBe('TOOL_SUCCESS');
  });
});

describe('a hook that throws', () => {
  const failing: CallHook = () => {
    throw new Error('hook broke');
  };
  let errors: unknown[][];

  beforeEach(() => {
    errors = [];
    const ignore = () => {};
    const logger: DiagLogger = {
      error: (...args) => errors.push(args),
      warn: ignore,
      info: ignore,
      debug: ignore,
      verbose: ignore,
    };
    diag.setLogger(logger, { logLevel: DiagLogLevel.ERROR, suppressOverrideMessage: true });
  });
  afterEach(() => diag.disable());

  it.each(['requestHook', 'responseHook'])(
    '%s is reported once, and harms neither call nor span',
    async (hook) => {
      tracing.mcp.setConfig({ [hook]: failing });
      expect(await call()).toBe(toolResult());
      const [span] = await tracing.waitForSpans(1);
      expect(span?.attributes['mcp.outcome']).toBe('TOOL_SUCCESS');
      expect(errors).toEqual([[MCP_SCOPE, 'a hook threw; the call goes on', expect.any(Error)]]);
      expect((await tracing.durations()).length).toBeGreaterThan(0);
    },
  );
});
