import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { titled } from '../protocol/titled.js';
import { errorView } from '../support/application-view.js';
import { JSON_HEADERS, MCP_HEADERS, toolResult, toolsCall } from '../support/json-rpc.js';
import { type ScriptedServer, scriptedServer } from '../support/scripted-server.js';
import { startTracing, type Tracing } from '../support/tracing.js';

// What an application may hand to `fetch`: each row runs with and without the instrumentation. The server must get the
// same request, and code of the application's own (getters, traps, iterators) must run as often.

interface Row {
  readonly rule: string;
  /** Makes the call. `ran` notes each time that code of the application's runs. */
  readonly call: (url: string, ran: (what: string) => void) => Promise<Response>;
  readonly spans?: number;
  /** Code of the application's does run, whatever Node it is. */
  readonly runs?: true;
  readonly fails?: true;
}

const body = toolsCall();
const mcp = { method: 'POST', headers: MCP_HEADERS, body } as const;

// `@types/node` declares the methods as properties, which can't be overridden as methods.
const BaseHeaders = Headers as unknown as new (
  init: object,
) => {
  get(name: string): string | null;
  has(name: string): boolean;
  [Symbol.iterator](): Iterator<[string, string]>;
};

/** An object whose every property is a getter of the application's. */
function watched<T extends object>(target: T, ran: (what: string) => void): T {
  const object = {};
  for (const [name, value] of Object.entries(target)) {
    Object.defineProperty(object, name, {
      enumerable: true,
      get() {
        ran(`get ${name}`);
        return value;
      },
    });
  }
  return object as T;
}

/** A proxy that notes each of its traps. */
function trapped<T extends object>(target: T, ran: (what: string) => void): T {
  const handler = Object.fromEntries(
    Object.getOwnPropertyNames(Reflect).map((trap) => [
      trap,
      (...args: unknown[]) => {
        ran(`${trap} ${typeof args[1] === 'string' ? args[1] : ''}`);
        return (Reflect as unknown as Record<string, (...args: unknown[]) => unknown>)[trap]?.(...args);
      },
    ]),
  );
  return new Proxy(target, handler);
}

const rows: Row[] = [
  { rule: 'a string body', call: (url) => fetch(url, mcp) },
  { rule: 'a URL object', call: (url) => fetch(new URL(url), mcp) },
  {
    rule: 'a URL object that the application changes afterwards',
    call(url) {
      const target = new URL(url);
      const promise = fetch(target, mcp);
      target.pathname = '/elsewhere';
      return promise;
    },
  },
  { rule: 'bytes', call: (url) => fetch(url, { ...mcp, body: Buffer.from(body) }) },
  {
    rule: 'bytes that are a part of a larger buffer',
    call: (url) => fetch(url, { ...mcp, body: Buffer.from(`xx${body}xx`).subarray(2, -2) }),
  },
  {
    rule: 'an ArrayBuffer',
    call: (url) => fetch(url, { ...mcp, body: new TextEncoder().encode(body).buffer }),
  },
  { rule: 'a Blob', call: (url) => fetch(url, { ...mcp, body: new Blob([body]) }) },
  {
    rule: 'a stream',
    call: (url) =>
      fetch(url, { ...mcp, body: new Blob([body]).stream(), duplex: 'half' } as unknown as RequestInit),
  },
  { rule: 'a Request', call: (url) => fetch(new Request(url, mcp)) },
  {
    rule: 'a Request and an init that overrules it',
    call: (url) => fetch(new Request(url, { headers: MCP_HEADERS }), { method: 'POST', body }),
  },
  {
    rule: 'a method in lower case',
    call: (url) => fetch(url, { ...mcp, method: 'post' }),
  },
  { rule: 'pairs of headers', call: (url) => fetch(url, { ...mcp, headers: Object.entries(MCP_HEADERS) }) },
  { rule: 'Headers', call: (url) => fetch(url, { ...mcp, headers: new Headers(MCP_HEADERS) }) },
  {
    rule: 'a one-shot iterator of headers',
    call(url, ran) {
      function* pairs() {
        for (const pair of Object.entries(MCP_HEADERS)) {
          ran('next');
          yield pair;
        }
      }
      return fetch(url, { ...mcp, headers: pairs() as unknown as [string, string][] });
    },
    runs: true,
  },
  {
    rule: 'Headers of a class of its own',
    call(url, ran) {
      class OwnHeaders extends BaseHeaders {
        override get(name: string) {
          ran(`get ${name}`);
          return super.get(name);
        }
        override has(name: string) {
          ran(`has ${name}`);
          return super.has(name);
        }
        override *[Symbol.iterator]() {
          ran('iterate');
          yield* { [Symbol.iterator]: () => super[Symbol.iterator]() };
        }
      }
      return fetch(url, { ...mcp, headers: new OwnHeaders(MCP_HEADERS) as unknown as Headers });
    },
  },
  {
    rule: 'headers by getters',
    call: (url, ran) => fetch(url, { ...mcp, headers: watched(MCP_HEADERS, ran) }),
    runs: true,
  },
  {
    rule: 'headers behind a proxy',
    call: (url, ran) => fetch(url, { ...mcp, headers: trapped({ ...MCP_HEADERS }, ran) }),
    runs: true,
  },
  { rule: 'an init by getters', call: (url, ran) => fetch(url, watched(mcp, ran)), runs: true },
  { rule: 'an init behind a proxy', call: (url, ran) => fetch(url, trapped({ ...mcp }, ran)), runs: true },
  {
    rule: 'an init whose fields are inherited',
    call: (url) => fetch(url, Object.create(mcp) as RequestInit),
  },
  {
    rule: 'a URL that is an object of its own with toString',
    call: (url, ran) =>
      fetch(
        {
          toString() {
            ran('toString');
            return url;
          },
        } as unknown as string,
        mcp,
      ),
    runs: true,
  },
  {
    rule: 'a body that is an object of its own with toString',
    call: (url, ran) =>
      fetch(url, {
        ...mcp,
        body: {
          toString() {
            ran('toString');
            return body;
          },
        } as unknown as string,
      }),
    runs: true,
  },
  {
    rule: 'a signal that never fires',
    call: (url) => fetch(url, { ...mcp, signal: new AbortController().signal }),
  },
  {
    rule: 'more arguments than fetch knows',
    call: (url) => (fetch as (...args: unknown[]) => Promise<Response>)(url, mcp, 'more'),
  },
  {
    rule: 'another receiver',
    call: (url) => Reflect.apply(fetch, { fetch: 'not global' }, [url, mcp]) as Promise<Response>,
  },
  {
    rule: 'no MCP: a JSON POST',
    call: (url) => fetch(url, { method: 'POST', headers: JSON_HEADERS, body: '{}' }),
    spans: 0,
  },
  { rule: 'no MCP: a GET', call: (url) => fetch(url), spans: 0 },
  { rule: 'no URL', call: () => fetch('nowhere', mcp), fails: true, spans: 0 },
  {
    rule: 'nothing at all',
    call: () => (fetch as unknown as () => Promise<Response>)(),
    fails: true,
    spans: 0,
  },
  {
    rule: 'a header that HTTP does not allow',
    call: (url) => fetch(url, { ...mcp, headers: { ...MCP_HEADERS, 'x-bad': 'a\nb' } }),
    fails: true,
  },
];

describe('fetch is given', () => {
  let server: ScriptedServer;
  let tracing: Tracing | undefined;

  beforeAll(async () => {
    server = await scriptedServer(() => ({ headers: JSON_HEADERS, body: [toolResult()] }));
  });
  afterEach(async () => {
    await tracing?.stop();
    tracing = undefined;
  });
  afterAll(() => server.close());

  async function run({ call }: Row) {
    server.forget();
    const ran: string[] = [];
    const answer = await call(server.url, (what) => ran.push(what)).then(
      (response) => response.text(),
      (error: unknown) => errorView(error),
    );
    const requests = server.requests.map(({ method, path, headers, body: bytes }) => ({
      method,
      path,
      headers,
      body: bytes,
    }));
    return { ran, answer, requests };
  }

  it.each(titled(rows))('%s', async (_, row) => {
    const without = await run(row);
    tracing = startTracing();
    const withUs = await run(row);

    expect(withUs).toEqual(without);
    if (row.runs) expect(withUs.ran).not.toEqual([]);
    expect(withUs.requests.length).toBe(row.fails ? 0 : 1);
    const spans = row.spans ?? 1;
    await tracing.waitForSpans(spans);
    expect(tracing.startedSpans()).toBe(spans);
  });
});

describe('the function fetch', () => {
  it('looks the same: name, length, own properties, and how the global holds it', async () => {
    const looks = () => ({
      name: fetch.name,
      length: fetch.length,
      own: Object.getOwnPropertyNames(fetch).sort(),
      prototype: Object.getPrototypeOf(fetch) === Function.prototype,
      held: { ...Object.getOwnPropertyDescriptor(globalThis, 'fetch'), value: undefined },
    });
    const without = looks();
    const tracing = startTracing();
    const withUs = looks();
    await tracing.stop();
    expect(withUs).toEqual(without);
  });

  it('keeps what somebody had hung on it', async () => {
    const original = fetch as typeof fetch & { mark?: string };
    original.mark = 'mine';
    const tracing = startTracing();
    const { mark } = fetch as typeof original;
    await tracing.stop();
    delete original.mark;
    expect(mark).toBe('mine');
  });
});
