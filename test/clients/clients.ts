import {
  Client as ClientV2,
  StreamableHTTPClientTransport as HttpV2,
  SSEClientTransport as SseV2,
} from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport as SseV1 } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CreateMessageRequestSchema, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import type { Session } from './sessions.js';

/** Which of the protocol's two ways of life a connection has: sessions with `initialize`, or 2026-07-28. */
export type Era = 'legacy' | 'modern';

export interface ClientRow {
  /** The client's name, and the title. */
  readonly rule: string;
  readonly version: string;
  /** Asks the server with `server/discover` which revision it speaks. */
  readonly probes: boolean;
  /** How it talks to a server of these eras; `undefined` where it can't. */
  eraWith(eras: readonly Era[]): Era | undefined;
  connect(url: URL): Promise<Session>;
}

const capabilities = { sampling: {}, elicitation: {} };
const sample = async () => ({
  role: 'assistant' as const,
  model: 'none',
  content: { type: 'text' as const, text: 'sampled' },
});
const elicit = async () => ({ action: 'accept' as const, content: { name: 'Ada' } });

// What a client of either SDK does by the same name.
type Common = Pick<Session, 'listTools' | 'ping' | 'close'> & {
  getPrompt(params: { name: string; arguments: Record<string, string> }): Promise<unknown>;
  readResource(params: { uri: string }): Promise<unknown>;
  notification(message: { method: 'notifications/progress'; params: object }): Promise<unknown>;
};

function sessionOf(client: Common, callTool: Session['callTool']): Session {
  return {
    listTools: () => client.listTools(),
    callTool,
    getPrompt: (name, args) => client.getPrompt({ name, arguments: args }),
    readResource: (uri) => client.readResource({ uri }),
    ping: () => client.ping(),
    notify: () =>
      client.notification({
        method: 'notifications/progress',
        params: { progressToken: 'nobody', progress: 1 },
      }),
    close: () => client.close(),
  };
}

type TransportV1 = Parameters<ClientV1['connect']>[0];
type TransportV2 = Parameters<ClientV2['connect']>[0];

async function connectV1(transport: TransportV1, name: string, version: string): Promise<Session> {
  const client = new ClientV1({ name, version }, { capabilities });
  client.setRequestHandler(CreateMessageRequestSchema, sample);
  client.setRequestHandler(ElicitRequestSchema, elicit);
  await client.connect(transport);
  return sessionOf(client as Common, (tool, args, options) =>
    client.callTool({ name: tool, arguments: args }, undefined, options),
  );
}

type Mode = 'legacy' | 'auto' | { pin: string };

async function connectV2(
  transport: TransportV2,
  name: string,
  version: string,
  mode: Mode,
): Promise<Session> {
  const client = new ClientV2({ name, version }, { capabilities, versionNegotiation: { mode } });
  client.setRequestHandler('sampling/createMessage', sample);
  client.setRequestHandler('elicitation/create', elicit);
  await client.connect(transport);
  return sessionOf(client as Common, (tool, args, options) =>
    client.callTool({ name: tool, arguments: args }, options),
  );
}

// `exactOptionalPropertyTypes` and the SDK's own types don't agree on `sessionId`.
const httpV1 = (url: URL) => new HttpV1(url) as TransportV1;

const legacyOnly = (eras: readonly Era[]) => (eras.includes('legacy') ? 'legacy' : undefined);
const modernOnly = (eras: readonly Era[]) => (eras.includes('modern') ? 'modern' : undefined);

export const CLIENTS: readonly ClientRow[] = [
  {
    rule: 'SDK v1',
    version: '1.0.1',
    probes: false,
    eraWith: legacyOnly,
    connect: (url) => connectV1(httpV1(url), 'SDK v1', '1.0.1'),
  },
  {
    rule: 'SDK v2 legacy',
    version: '2.0.1',
    probes: false,
    eraWith: legacyOnly,
    connect: (url) => connectV2(new HttpV2(url), 'SDK v2 legacy', '2.0.1', 'legacy'),
  },
  {
    rule: 'SDK v2 auto',
    version: '2.0.2',
    probes: true,
    eraWith: (eras) => modernOnly(eras) ?? legacyOnly(eras),
    connect: (url) => connectV2(new HttpV2(url), 'SDK v2 auto', '2.0.2', 'auto'),
  },
  {
    rule: 'SDK v2 2026-07-28',
    version: '2.0.3',
    probes: true,
    eraWith: modernOnly,
    connect: (url) => connectV2(new HttpV2(url), 'SDK v2 2026-07-28', '2.0.3', { pin: '2026-07-28' }),
  },
];

/** Clients over HTTP+SSE, the transport of 2024-11-05: answers come on a GET stream. */
export const SSE_CLIENTS: readonly Pick<ClientRow, 'rule' | 'connect'>[] = [
  { rule: 'SDK v1 over HTTP+SSE', connect: (url) => connectV1(new SseV1(url), 'SDK v1', '1.0.1') },
  {
    rule: 'SDK v2 over HTTP+SSE',
    connect: (url) => connectV2(new SseV2(url), 'SDK v2 legacy', '2.0.1', 'legacy'),
  },
];
