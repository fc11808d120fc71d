import { context, type TracerProvider, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { type Instrumentation, registerInstrumentations } from '@opentelemetry/instrumentation';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base';
import { install as installUndici7 } from 'undici7';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { McpHttpInstrumentation } from '../../src/index.js';
import { titled } from '../protocol/titled.js';
import { JSON_HEADERS, MCP_HEADERS, rpcError, toolsCall } from '../support/json-rpc.js';
import { type ScriptedServer, scriptedServer } from '../support/scripted-server.js';
import { MCP_SCOPE, SpanRecorder, UNDICI_SCOPE } from '../support/span-recorder.js';

type Fetch = typeof fetch;

interface Row {
  /** What is set up, in which order; the test's title. */
  readonly rule: string;
  /** @returns what the application calls; default: the global `fetch` at the time of the call */
  readonly setUp: (register: Register) => Fetch | undefined;
  /** What the HTTP span's parent is: the MCP span, or what is around both. */
  readonly httpParent: 'MCP span' | "the application's span" | 'no HTTP span';
}

interface Register {
  ours(): void;
  undici(): void;
  /** Both by `registerInstrumentations`, with the provider that is global at the time. */
  together(instrumentations: ('ours' | 'undici')[]): void;
  /** The application's tracer provider becomes the global one. */
  provider(): void;
}

const rows: Row[] = [
  {
    rule: 'ours, then the undici instrumentation',
    setUp({ provider, ours, undici }) {
      provider();
      ours();
      undici();
      return undefined;
    },
    httpParent: 'MCP span',
  },
  {
    rule: 'the undici instrumentation, then ours',
    setUp({ provider, ours, undici }) {
      provider();
      undici();
      ours();
      return undefined;
    },
    httpParent: 'MCP span',
  },
  {
    rule: 'registerInstrumentations, ours first',
    setUp({ provider, together }) {
      provider();
      together(['ours', 'undici']);
      return undefined;
    },
    httpParent: 'MCP span',
  },
  {
    rule: 'registerInstrumentations, ours second',
    setUp({ provider, together }) {
      provider();
      together(['undici', 'ours']);
      return undefined;
    },
    httpParent: 'MCP span',
  },
  {
    rule: 'registerInstrumentations, then the tracer provider',
    setUp({ provider, together }) {
      together(['ours', 'undici']);
      provider();
      return undefined;
    },
    httpParent: 'MCP span',
  },
  {
    rule: 'the undici instrumentation, the tracer provider, then ours',
    setUp({ provider, ours, undici }) {
      undici();
      provider();
      ours();
      return undefined;
    },
    httpParent: 'MCP span',
  },
  {
    rule: 'no undici instrumentation',
    setUp({ provider, ours }) {
      provider();
      ours();
      return undefined;
    },
    httpParent: 'no HTTP span',
  },
  {
    rule: "the application captures fetch, then both: undici's channels still tell of the call",
    setUp({ provider, together }) {
      const captured = globalThis.fetch;
      provider();
      together(['ours', 'undici']);
      return captured;
    },
    httpParent: "the application's span",
  },
  {
    rule: 'both, then the application captures fetch',
    setUp({ provider, together }) {
      provider();
      together(['ours', 'undici']);
      return globalThis.fetch;
    },
    httpParent: 'MCP span',
  },
  {
    rule: "npm undici's install(), then both",
    setUp({ provider, together }) {
      installUndici7();
      provider();
      together(['ours', 'undici']);
      return undefined;
    },
    httpParent: 'MCP span',
  },
  {
    rule: "both, then npm undici's install(), which replaces fetch: undici's channels still tell of the call",
    setUp({ provider, together }) {
      provider();
      together(['ours', 'undici']);
      installUndici7();
      return undefined;
    },
    httpParent: "the application's span",
  },
];

/** What npm undici's `install()` replaces; some of it Node 20 doesn't have. */
const INSTALLED = [
  'fetch',
  'Headers',
  'Response',
  'Request',
  'FormData',
  'WebSocket',
  'CloseEvent',
  'ErrorEvent',
  'MessageEvent',
  'EventSource',
];

describe('one call is one MCP span, and one HTTP span at most', () => {
  const nodes: Record<string, PropertyDescriptor> = Object.getOwnPropertyDescriptors(globalThis);
  let server: ScriptedServer;
  let recorder: SpanRecorder;
  let provider: BasicTracerProvider;
  let registered: Instrumentation[];

  beforeAll(async () => {
    server = await scriptedServer(() => ({ headers: JSON_HEADERS, body: [rpcError(-32602)] }));
  });
  afterAll(() => server.close());

  afterEach(async () => {
    for (const instrumentation of registered) instrumentation.disable();
    trace.disable();
    context.disable();
    await provider.shutdown();
    // install() has no way back of its own.
    for (const name of INSTALLED) {
      const descriptor = nodes[name];
      if (descriptor === undefined) Reflect.deleteProperty(globalThis, name);
      else Object.defineProperty(globalThis, name, descriptor);
    }
  });

  it.each(titled(rows))('%s', async (_, { setUp, httpParent }) => {
    recorder = new SpanRecorder();
    provider = new BasicTracerProvider({ spanProcessors: [recorder] });
    registered = [];
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    const captured = setUp(registerWith(provider, registered));

    const outer = trace.getTracer('application').startSpan('outer');
    await context.with(trace.setSpan(context.active(), outer), async () => {
      const init = { method: 'POST', headers: MCP_HEADERS, body: toolsCall() };
      const response = await (captured ?? fetch)(server.url, init);
      await response.text();
    });
    const [mcp] = await recorder.waitFor(MCP_SCOPE, 1, 3_000);
    const https = await recorder.waitFor(UNDICI_SCOPE, httpParent === 'no HTTP span' ? 0 : 1, 3_000);
    expect([recorder.startedCount(MCP_SCOPE), recorder.startedCount(UNDICI_SCOPE)]).toEqual([
      1,
      https.length,
    ]);
    expect(mcp?.name).toBe('tools/call echo');
    expect(mcp?.attributes['mcp.outcome']).toBe('JSONRPC_ERROR');
    const { spanId } = outer.spanContext();
    expect(mcp?.parentSpanContext?.spanId).toBe(spanId);
    const parents = {
      'MCP span': [mcp?.spanContext().spanId],
      "the application's span": [spanId],
      'no HTTP span': [],
    };
    expect(https.map(({ parentSpanContext }) => parentSpanContext?.spanId)).toEqual(parents[httpParent]);
  });
});

function registerWith(provider: TracerProvider, registered: Instrumentation[]): Register {
  const make = { ours: () => new McpHttpInstrumentation(), undici: () => new UndiciInstrumentation() };
  const register = (names: ('ours' | 'undici')[]) => {
    const instrumentations = names.map((name) => make[name]());
    registered.push(...instrumentations);
    registerInstrumentations({ instrumentations });
  };
  return {
    ours: () => register(['ours']),
    undici: () => register(['undici']),
    together: register,
    provider: () => trace.setGlobalTracerProvider(provider),
  };
}
