import {
  Client as ClientV2,
  StreamableHTTPClientTransport as TransportV2,
} from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CreateTaskResultSchema } from '@modelcontextprotocol/sdk/types.js';

/** What the agent calls with: both lines of the official SDK, and `fetch` by hand. */
export function createClients(url) {
  const all = [];
  const keep = (client) => {
    all.push(client);
    return client;
  };
  const newV1 = () => keep(v1Client(url));
  const newV2 = () => keep(v2Client(url));
  return {
    v1: newV1(),
    v2: newV2(),
    newV1,
    newV2,
    post: (method, params, init) => post(url, method, params, init),
    close: () => Promise.all(all.map((client) => client.close())),
  };
}

/** `@modelcontextprotocol/sdk`: speaks up to 2025-11-25. */
function v1Client(url) {
  const client = new ClientV1({ name: 'demo-agent', version: '1.0.0' });
  return {
    connect: () => client.connect(new TransportV1(new URL(url))),
    listTools: () => client.listTools(),
    callTool: (name, args, options) => client.callTool({ name, arguments: args }, undefined, options),
    /** Asks for a task that does the work, instead of the result. */
    callToolAsTask: (name, args) =>
      client.request({ method: 'tools/call', params: { name, arguments: args } }, CreateTaskResultSchema, {
        task: { ttl: 60_000 },
      }),
    close: () => client.close(),
  };
}

/** `@modelcontextprotocol/client`: speaks 2026-07-28 with servers that do. */
function v2Client(url) {
  const client = new ClientV2(
    { name: 'demo-agent', version: '2.0.0' },
    { versionNegotiation: { mode: 'auto' }, capabilities: { elicitation: { form: {} } } },
  );
  // The user says yes to whatever a server wants confirmed.
  client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { confirm: true } }));
  return {
    connect: () => client.connect(new TransportV2(new URL(url))),
    callTool: (name, args, options) => client.callTool({ name, arguments: args }, options),
    request: (method, params) => client.request({ method, params }),
    close: () => client.close(),
  };
}

/** One request and its answer, as code without an SDK does it. */
async function post(url, method, params, init) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    ...init,
  });
  return response.text();
}
