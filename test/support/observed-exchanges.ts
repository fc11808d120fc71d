import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { type Application, type Exchange, newExchange, readToTheEnd, type View } from './application-view.js';
import { MCP_HEADERS, toolsCall } from './json-rpc.js';
import {
  type Answer,
  type CUT,
  type RecordedRequest,
  type Script,
  type ScriptedServer,
  scriptedServer,
} from './scripted-server.js';
import { type Expectation, expectTold } from './told.js';
import { startTracing, type Tracing, type TracingOptions } from './tracing.js';

/** One exchange: what is sent, what comes back, how the application takes it. */
export interface ExchangeScript {
  /** Default: a `tools/call` of `echo` with id 1. */
  readonly body?: string | undefined;
  /** Default: `MCP_HEADERS`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly init?: RequestInit | undefined;
  /** A function gets the request, and what the server may wait for. */
  readonly answer:
    | Answer
    | typeof CUT
    | ((request: RecordedRequest, exchange: Exchange) => ReturnType<Script>);
  /** Default: reads the answer to its end. */
  readonly application?: Application | undefined;
}

/** A row of a table: an exchange and everything that its one span tells. */
export interface ExchangeRow extends ExchangeScript, Expectation {
  /** The rule, which is the test's title. */
  readonly rule: string;
}

export interface ObservedExchanges {
  readonly server: ScriptedServer;
  readonly tracing: Tracing;
  /** Lets the application make its call against the scripted answer. */
  make(exchange: ExchangeScript): Promise<View>;
  /** Makes it, and waits for its span; fails when there is more than one. */
  span(exchange: ExchangeScript): Promise<ReadableSpan>;
  /** Compares everything that the span of a row tells. */
  check(row: ExchangeRow): Promise<void>;
}

/** For a `describe` or a test file: a scripted server and our instrumentation, in memory, from its start to its end. */
export function observedExchanges(options: TracingOptions = {}): ObservedExchanges {
  let server: ScriptedServer;
  let tracing: Tracing;
  let script: Script = () => ({});

  beforeAll(async () => {
    server = await scriptedServer((request) => script(request));
    tracing = startTracing(options);
  });
  afterEach(() => {
    tracing.reset();
    server.forget();
    // Forgets what has failed: one row's call isn't the next one's earlier attempt.
    tracing.mcp.disable();
    tracing.mcp.enable();
  });
  afterAll(async () => {
    await tracing.stop();
    await server.close();
  });

  const observed: ObservedExchanges = {
    get server() {
      return server;
    },
    get tracing() {
      return tracing;
    },
    async make({ body = toolsCall(), headers = MCP_HEADERS, init, answer, application = readToTheEnd }) {
      // Asked for only by applications that wait for it: some never send anything.
      const exchange = newExchange(() => server.request(0), 4);
      script = typeof answer === 'function' ? (request) => answer(request, exchange) : () => answer;
      return application(server.url, { method: 'POST', headers, body, ...init }, exchange);
    },
    async span(exchange) {
      await observed.make(exchange);
      const [span] = await tracing.waitForSpans(1);
      if (span === undefined) throw new Error('there is no span');
      return span;
    },
    async check(row) {
      const span = await observed.span(row);
      expectTold(span, { ...row, attributes: { 'server.port': server.port, ...row.attributes } });
    },
  };
  return observed;
}

/** What is told of every `tools/call` of `echo` with id 1 that went out over HTTP/1.1 once; not the port. */
export const SENT = {
  'mcp.method.name': 'tools/call',
  'gen_ai.operation.name': 'execute_tool',
  'gen_ai.tool.name': 'echo',
  'jsonrpc.request.id': '1',
  'mcp.retry.origin': 'none',
  'mcp.http.post_count': 1,
  'network.transport': 'tcp',
  'network.protocol.name': 'http',
  'network.protocol.version': '1.1',
  'server.address': '127.0.0.1',
} as const;

/** The same, answered with this status. */
export function answered(status: number, attributes: Readonly<Record<string, unknown>>) {
  return {
    ...SENT,
    'http.response.status_code': status,
    'mcp.http.status_codes': [status],
    ...attributes,
  };
}

/** What is told of a call that fails with this outcome; `errorType` is the outcome in lower case when absent. */
export function failure(outcome: string, layer: string, errorType = outcome.toLowerCase()) {
  return { 'mcp.outcome': outcome, 'mcp.error.layer': layer, 'error.type': errorType };
}
