import { createMCPClient } from '@ai-sdk/mcp';
import {
  Client as ClientV2,
  ClientCredentialsProvider as CredentialsV2,
  StreamableHTTPClientTransport as TransportV2,
} from '@modelcontextprotocol/client';
import { ClientCredentialsProvider as CredentialsV1 } from '@modelcontextprotocol/sdk/client/auth-extensions.js';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import fetchRetry from 'fetch-retry';
import ky from 'ky';
import pRetry from 'p-retry';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { JSON_HEADERS } from '../support/json-rpc.js';
import {
  type Answer,
  type RecordedRequest,
  type ScriptedServer,
  scriptedServer,
} from '../support/scripted-server.js';
import { startTracing, type Tracing } from '../support/tracing.js';

// What clients, frameworks and fetch middleware really send again, and what is said of it.

interface Message {
  readonly id?: number | string;
  readonly method: string;
  readonly params?: { readonly protocolVersion?: string };
}

const json = (value: unknown, status = 200, headers: Record<string, string> = {}): Answer => ({
  status,
  headers: { ...JSON_HEADERS, ...headers },
  body: [JSON.stringify(value)],
});

let server: ScriptedServer;
let tracing: Tracing;
/** Answers of the next tools/call, before the server answers them as it should. */
let refusals: ((id: Message['id']) => Answer)[] = [];
let needsToken = false;
/** The server speaks 2026-07-28. */
let modern = false;

beforeAll(async () => {
  server = await scriptedServer((request) =>
    request.method === 'POST' && request.path.startsWith('/mcp') ? mcp(request) : authorization(request),
  );
  tracing = startTracing();
});
afterEach(() => {
  refusals = [];
  needsToken = false;
  modern = false;
  tracing.reset();
  tracing.mcp.disable();
  tracing.mcp.enable();
});
afterAll(async () => {
  await tracing.stop();
  await server.close();
});

function mcp({ body, headers }: RecordedRequest): Answer {
  if (needsToken && headers['authorization'] !== 'Bearer good') {
    const metadata = `${server.origin}/.well-known/oauth-protected-resource/mcp`;
    return json({}, 401, { 'www-authenticate': `Bearer resource_metadata="${metadata}"` });
  }
  const { id, method, params } = JSON.parse(body) as Message;
  if (id === undefined) return { status: 202 };
  const result = (value: object): Answer =>
    json({ jsonrpc: '2.0', id, result: { ...(modern && { resultType: 'complete' }), ...value } });
  switch (method) {
    case 'initialize':
      return result({
        protocolVersion: params?.protocolVersion === '2026-07-28' ? '2025-11-25' : params?.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'scripted', version: '1' },
      });
    case 'tools/list':
      return result({
        tools: [{ name: 'search', inputSchema: { type: 'object' } }],
        ...(modern && { ttlMs: 0, cacheScope: 'private' }),
      });
    case 'tools/call':
      return refusals.shift()?.(id) ?? result({ content: [] });
    case 'server/discover':
      if (modern) {
        return result({
          supportedVersions: ['2026-07-28'],
          capabilities: { tools: {} },
          serverInfo: { name: 'scripted', version: '1' },
          ttlMs: 0,
          cacheScope: 'private',
        });
      }
      return json(notFound(id), 404);
    default:
      return json(notFound(id), 404);
  }
}

const notFound = (id: Message['id']) => ({
  jsonrpc: '2.0',
  id,
  error: { code: -32601, message: 'Method not found' },
});

/** An authorization server with client credentials: RFC 9728, RFC 8414, RFC 6749 section 4.4. */
function authorization({ path, method }: RecordedRequest): Answer {
  const { origin } = server;
  if (path.startsWith('/.well-known/oauth-protected-resource')) {
    return json({ resource: `${origin}/mcp`, authorization_servers: [origin] });
  }
  if (path.startsWith('/.well-known/')) {
    return json({
      issuer: origin,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      response_types_supported: ['code'],
      grant_types_supported: ['client_credentials'],
      token_endpoint_auth_methods_supported: ['client_secret_basic'],
    });
  }
  if (method === 'POST' && path === '/token') return json({ access_token: 'good', token_type: 'Bearer' });
  return { status: 405 };
}

/** As an agent does it: everything is part of one span. */
async function inOneSpan(run: () => Promise<void>): Promise<ReadableSpan[]> {
  await tracing.provider.getTracer('agent').startActiveSpan('agent step', async (span) => {
    try {
      await run();
    } finally {
      span.end();
    }
  });
  return tracing.waitForSpans(tracing.startedSpans());
}

const said = (spans: readonly ReadableSpan[]) =>
  spans.map(({ name, attributes }) => [
    name,
    attributes['mcp.retry.origin'] ?? null,
    attributes['mcp.retry.reason'] ?? null,
    attributes['mcp.retry.inferred'] ?? false,
    attributes['mcp.http.status_codes'],
  ]);

const callSearch = { name: 'search', arguments: { city: 'Oslo' } };
const busy = (): Answer => json({}, 503);
const v1 = (): ClientV1 => new ClientV1({ name: 'v1', version: '1' });
// With `sessionId: undefined` in its getter the transport isn't a Transport where optional properties are exact.
const v1Transport = (options: object): Transport =>
  new TransportV1(new URL(server.url), options) as Transport;

describe('authorization: the SDK gets a token and sends again', () => {
  const credentials = { clientId: 'agent', clientSecret: 'secret' };

  it('SDK v1', async () => {
    needsToken = true;
    const spans = await inOneSpan(async () => {
      const client = v1();
      await client.connect(
        v1Transport({ authProvider: new CredentialsV1({ ...credentials, expectedIssuer: server.origin }) }),
      );
      await client.callTool(callSearch);
      await client.close();
    });
    expect(said(spans)).toEqual([
      ['initialize', 'none', null, false, [401]],
      ['initialize', 'sdk', 'authorization', false, [401, 200]],
      ['notifications/initialized', null, null, false, [202]],
      ['tools/call search', 'none', null, false, [200]],
    ]);
  });

  it('SDK v2', async () => {
    needsToken = true;
    const spans = await inOneSpan(async () => {
      const client = new ClientV2({ name: 'v2', version: '1' });
      const authProvider = new CredentialsV2({ ...credentials, expectedIssuer: server.origin });
      await client.connect(new TransportV2(new URL(server.url), { authProvider }));
      await client.callTool(callSearch);
      await client.close();
    });
    expect(said(spans)).toEqual([
      ['initialize', 'none', null, false, [401]],
      ['initialize', 'sdk', 'authorization', false, [401, 200]],
      ['notifications/initialized', null, null, false, [202]],
      ['tools/call search', 'none', null, false, [200]],
    ]);
  });
});

describe('a header mismatch: SDK v2 lists the tools and calls again, with a new id', () => {
  it('SDK v2 on 2026-07-28', async () => {
    modern = true;
    const error = { code: -32020, message: 'Header mismatch' };
    refusals = [(id) => json({ jsonrpc: '2.0', id, error }, 400)];
    const spans = await inOneSpan(async () => {
      const client = new ClientV2({ name: 'v2', version: '1' }, { versionNegotiation: { mode: 'auto' } });
      await client.connect(new TransportV2(new URL(server.url)));
      await client.callTool(callSearch);
      await client.close();
    });
    expect(said(spans)).toEqual([
      ['server/discover', 'none', null, false, [200]],
      ['tools/call search', 'none', null, false, [400]],
      ['tools/list', 'none', null, false, [200]],
      ['tools/call search', 'sdk', 'header_mismatch', false, [200]],
    ]);
  });
});

const inFetch: { middleware: string; fetch: () => typeof globalThis.fetch }[] = [
  {
    middleware: 'p-retry around fetch',
    fetch: () => (input, init) =>
      pRetry(
        async () => {
          const response = await fetch(input, init);
          if (response.status === 503) throw new Error('busy');
          return response;
        },
        { minTimeout: 1, retries: 3 },
      ),
  },
  {
    middleware: 'fetch-retry',
    fetch: () =>
      fetchRetry(globalThis.fetch, { retries: 3, retryDelay: 1, retryOn: [503] }) as typeof globalThis.fetch,
  },
];

describe('middleware below the SDK sends the same bytes again', () => {
  it.each(inFetch)('$middleware', async ({ fetch: middleware }) => {
    refusals = [busy, busy];
    const spans = await inOneSpan(async () => {
      const client = v1();
      await client.connect(v1Transport({ fetch: middleware() }));
      await client.callTool(callSearch);
      await client.close();
    });
    expect(said(spans).slice(2)).toEqual([
      ['tools/call search', 'none', null, false, [503]],
      ['tools/call search', 'sdk', 'status_503', true, [503, 503]],
      ['tools/call search', 'sdk', 'status_503', true, [503, 503, 200]],
    ]);
  });

  it('ky, which hands fetch a Request: seen on the channels, where nothing tells whose it is', async () => {
    refusals = [busy];
    const spans = await inOneSpan(async () => {
      const client = v1();
      const retrying = ky.create({ retry: { limit: 2, methods: ['post'], delay: () => 1 } });
      await client.connect(v1Transport({ fetch: (input: string, init: object) => retrying(input, init) }));
      await client.callTool(callSearch);
      await client.close();
    });
    expect(said(spans).filter(([name]) => name === 'tools/call search')).toEqual([
      ['tools/call search', 'none', null, false, [503]],
      ['tools/call search', 'unknown', 'status_503', true, [503, 200]],
    ]);
  });
});

describe('frameworks and applications send again with a new id', () => {
  it('AI SDK, maxRetries', async () => {
    refusals = [busy];
    const spans = await inOneSpan(async () => {
      const client = await createMCPClient({
        transport: { type: 'http', url: server.url },
        maxRetries: 2,
      });
      const tools = await client.tools();
      const { search } = tools;
      await search?.execute?.({ city: 'Oslo' }, { toolCallId: '1', messages: [] });
      await client.close();
    });
    const calls = said(spans).filter(([name]) => name === 'tools/call search');
    expect(calls).toEqual([
      ['tools/call search', 'none', null, false, [503]],
      ['tools/call search', 'application', 'status_503', true, [200]],
    ]);
  });

  it('an application that catches and calls again', async () => {
    refusals = [busy];
    const spans = await inOneSpan(async () => {
      const client = v1();
      await client.connect(v1Transport({}));
      await client.callTool(callSearch).catch(() => client.callTool(callSearch));
      await client.close();
    });
    expect(said(spans).slice(2)).toEqual([
      ['tools/call search', 'none', null, false, [503]],
      ['tools/call search', 'application', 'status_503', true, [200]],
    ]);
  });
});
