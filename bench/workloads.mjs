// @ts-check
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { LoggingMessageNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { OTHER_REQUEST, STREAM_EVENTS, toolsCall } from './fixtures.mjs';

/**
 * @typedef {object} Session
 * @property {() => Promise<void>} call - the unit of work; throws when the answer isn't what it should be
 * @property {() => Promise<void>} close
 * @property {Client=} client - what `call` calls: an instrumentation that wraps the client puts its wrapper here
 */

/**
 * @typedef {object} Workload
 * @property {string} title
 * @property {boolean} sdk - whether it goes through the SDK's client, which is all that the peers see
 * @property {boolean} mcp - whether our instrumentation must make exactly one span per call, or none
 * @property {(origin: string) => Promise<Session>} open
 */

export const MCP_HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2025-06-18',
};

/** @param {boolean} ok */
function mustHold(ok) {
  if (!ok) throw new Error('the server answered something else than it should');
}

/**
 * @param {string} origin
 * @param {string} tool
 * @param {number} expectedNotifications - per call
 * @returns {Promise<Session>}
 */
async function openSdk(origin, tool, expectedNotifications) {
  const client = new Client({ name: 'bench-client', version: '1.0.0' });
  let notifications = 0;
  client.setNotificationHandler(LoggingMessageNotificationSchema, () => {
    notifications++;
  });
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', origin)));
  const { params } = toolsCall(tool);
  const session = {
    client,
    async call() {
      notifications = 0;
      const result = await session.client.callTool(params);
      mustHold(Array.isArray(result.content) && notifications === expectedNotifications);
    },
    close: () => client.close(),
  };
  return session;
}

/**
 * @param {() => Promise<void>} call
 * @returns {Promise<Session>}
 */
async function openFetch(call) {
  return { call, close: async () => {} };
}

/** @type {Record<string, Workload>} */
export const WORKLOADS = {
  sdk: {
    title: 'SDK `tools/call`',
    sdk: true,
    mcp: true,
    open: (origin) => openSdk(origin, 'search', 0),
  },
  bare: {
    title: 'bare `fetch` `tools/call`',
    sdk: false,
    mcp: true,
    open(origin) {
      const url = `${origin}/mcp`;
      const body = JSON.stringify(toolsCall('search'));
      return openFetch(async () => {
        const response = await fetch(url, { method: 'POST', headers: MCP_HEADERS, body });
        const answer = /** @type {{ result?: unknown }} */ (await response.json());
        mustHold(answer.result !== undefined);
      });
    },
  },
  'stream-sdk': {
    title: `stream of ${STREAM_EVENTS.toLocaleString('en')} events, SDK`,
    sdk: true,
    mcp: true,
    open: (origin) => openSdk(origin, 'stream', STREAM_EVENTS),
  },
  'stream-raw': {
    title: `stream of ${STREAM_EVENTS.toLocaleString('en')} events, read raw`,
    sdk: false,
    mcp: true,
    open(origin) {
      const url = `${origin}/mcp`;
      const body = JSON.stringify(toolsCall('stream'));
      return openFetch(async () => {
        const response = await fetch(url, { method: 'POST', headers: MCP_HEADERS, body });
        let bytes = 0;
        for await (const chunk of response.body ?? []) bytes += chunk.length;
        mustHold(bytes > STREAM_EVENTS * 100);
      });
    },
  },
  post: {
    title: 'not MCP: JSON `POST`',
    sdk: false,
    mcp: false,
    open(origin) {
      const url = `${origin}/other`;
      const headers = { 'content-type': 'application/json', accept: 'application/json' };
      return openFetch(async () => {
        const response = await fetch(url, { method: 'POST', headers, body: OTHER_REQUEST });
        const answer = /** @type {{ hits?: unknown }} */ (await response.json());
        mustHold(answer.hits !== undefined);
      });
    },
  },
  get: {
    title: 'not MCP: `GET`',
    sdk: false,
    mcp: false,
    open(origin) {
      const url = `${origin}/other`;
      return openFetch(async () => {
        const response = await fetch(url);
        const answer = /** @type {{ hits?: unknown }} */ (await response.json());
        mustHold(answer.hits !== undefined);
      });
    },
  },
};
