import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CreateMessageRequestSchema, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import type { Session } from './sessions.js';

/** Which of the protocol's two ways of life a connection has: sessions with `initialize`, or 2026-07-28. */
export type Era = 'legacy' | 'modern';

export interface ClientRow {
  readonly client: string;
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

async function connectV1(url: URL, name: string, version: string): Promise<Session> {
  const client = new ClientV1({ name, version }, { capabilities });
  client.setRequestHandler(CreateMessageRequestSchema, sample);
  client.setRequestHandler(ElicitRequestSchema, elicit);
  // `exactOptionalPropertyTypes` and the SDK's own types don't agree on `sessionId`.
  await client.connect(new HttpV1(url) as Parameters<ClientV1['connect']>[0]);
  return sessionOf(client as Common, (tool, args, options) =>
    client.callTool({ name: tool, arguments: args }, undefined, options),
  );
}

type Mode = 'legacy' | 'auto' | { pin: string };

async function connectV2(url: URL, name: string, version: string, mode: Mode): Promise<Session> {
  const client = new ClientV2({ name, version }, { capabilities, versionNegotiation: { mode } });
  client.setRequestHandler('sampling/createMessage', sample);
  client.setRequestHandler('elicitation/create', elicit);
  await client.connect(new HttpV2(url));
  return sessionOf(client as Common, (tool, args, options) =>
    client.callTool({ name: tool, arguments: args }, options),
  );
}

const legacyOnly = (eras: readonly Era[]) => (eras.includes('legacy') ? 'legacy' : undefined);
const modernOnly = (eras: readonly Era[]) => (eras.includes('modern') ? 'modern' : undefined);

export const CLIENTS: readonly ClientRow[] = [
  {
    client: 'SDK v1',
    version: '1.0.1',
    probes: false,
    eraWith: legacyOnly,
    connect: (url) => connectV1(url, 'SDK v1', '1.0.1'),
  },
  {
    client: 'SDK v2 legacy',
    version: '2.0.1',
    probes: false,
    eraWith: legacyOnly,
    connect: (url) => connectV2(url, 'SDK v2 legacy', '2.0.1', 'legacy'),
  },
  {
    client: 'SDK v2 auto',
    version: '2.0.2',
    probes: true,
    eraWith: (eras) => modernOnly(eras) ?? legacyOnly(eras),
    connect: (url) => connectV2(url, 'SDK v2 auto', '2.0.2', 'auto'),
  },
  {
    client: 'SDK v2 2026-07-28',
    version: '2.0.3',
    probes: true,
    eraWith: modernOnly,
    connect: (url) => connectV2(url, 'SDK v2 2026-07-28', '2.0.3', { pin: '2026-07-28' }),
  },
];
