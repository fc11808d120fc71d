// @ts-check
// Each instrumentation as something that can be switched on and off inside one process. The peers patch the SDK's
// `Client` when it is loaded, but each also has a way to patch a class, or to wrap a client, by hand; taking the patch
// off again is what makes a comparison within one process possible.
import { subscribe } from 'node:diagnostics_channel';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';

/** @typedef {import('./workloads.mjs').Session} Session */
/** @typedef {ReturnType<typeof import('./telemetry.mjs').startTelemetry>} Telemetry */

/**
 * @typedef {object} Variant
 * @property {() => void} on
 * @property {((session: Session) => void)=} attach - for those that wrap a client
 * @property {() => void} off
 * @property {boolean} httpSpans - whether the undici instrumentation is on with it
 * @property {string[]=} mcpScopes - scopes of the further spans it makes, one each per MCP call
 */

const here = dirname(fileURLToPath(import.meta.url));
const peers = join(here, 'peers/node_modules');
const require = createRequire(import.meta.url);

const BUILT = join(here, '../dist');

/** Those that anybody here subscribes to. */
const CHANNELS = [
  'undici:request:create',
  'undici:client:sendHeaders',
  'undici:request:bodySent',
  'undici:request:headers',
  'undici:request:trailers',
  'undici:request:error',
];

export const HTTP_SCOPE = '@opentelemetry/instrumentation-undici';

// A channel's prototype is exchanged when its first subscriber comes and when its last one goes
// (https://github.com/nodejs/node/blob/v20.19.0/lib/diagnostics_channel.js#L74). V8 then throws away what it has
// optimised around it, and the slice after a switch would measure the interpreter.
const keepsChannelActive = () => {};
for (const channel of CHANNELS) subscribe(channel, keepsChannelActive);

const undici = new UndiciInstrumentation();
undici.disable();

/**
 * Leaves a running instrumentation alone: unsubscribing the last subscriber of a channel makes undici's optimised code
 * start over, which isn't what is measured.
 */
function undiciOn() {
  undici.setConfig({});
  undici.enable();
}

/** @type {Record<string, (telemetry: Telemetry) => Variant | Promise<Variant>>} */
const FACTORIES = {
  none: () => ({ httpSpans: false, on: () => undici.disable(), off() {} }),
  undici: () => ({ httpSpans: true, on: undiciOn, off() {} }),
  ours: () => ours(BUILT),
  // Another build of this package, to see what a change brings: `dist/` copied somewhere in the repository before it.
  before: () => ours(resolve(process.env['MCP_BEFORE'] ?? BUILT)),
  traceloop,
  openlit,
  autotel,
};

/**
 * Everything but `none` runs on top of the undici instrumentation.
 *
 * @param {string} name
 * @param {Telemetry} telemetry - registered already: several peers take their tracer when they are made
 */
export async function makeVariant(name, telemetry) {
  const factory = FACTORIES[name];
  if (factory === undefined) throw new Error(`no such variant: ${name}`);
  return factory(telemetry);
}

/**
 * @param {string} dist
 * @returns {Variant}
 */
function ours(dist) {
  const { McpHttpInstrumentation } = require(join(dist, 'index.js'));
  const mcp = new McpHttpInstrumentation();
  mcp.disable();
  return {
    httpSpans: true,
    mcpScopes: ['opentelemetry-instrumentation-mcp-http'],
    on() {
      // In the order that the README registers them: ours subscribes first.
      mcp.enable();
      undici.disable();
      undici.setConfig({ requestHook: mcp.httpSpanHook });
      undici.enable();
    },
    off() {
      mcp.disable();
      undiciOn();
    },
  };
}

/** @returns {Variant} */
function traceloop() {
  const { McpInstrumentation } = require(join(peers, '@traceloop/instrumentation-mcp'));
  const instrumentation = new McpInstrumentation({ enabled: false });
  return {
    httpSpans: true,
    mcpScopes: ['@traceloop/instrumentation-mcp'],
    on() {
      undiciOn();
      instrumentation.manuallyInstrument({ Client });
    },
    off: () => instrumentation.unpatchClient({ Client }),
  };
}

/**
 * The MCP part alone, without `init()`: that would bring providers and exporters of its own.
 *
 * @param {Telemetry} telemetry
 * @returns {Variant}
 */
function openlit(telemetry) {
  const dist = join(peers, 'openlit/dist');
  // Its defaults, which `init()` would set.
  require(join(dist, 'config.js')).default.updateConfig({});
  require(join(dist, 'otel/metrics.js')).default.setup({ meter: telemetry.meter('openlit') });
  const { default: MCPInstrumentation } = require(join(dist, 'instrumentation/mcp/index.js'));
  const instrumentation = new MCPInstrumentation({ enabled: false });
  return {
    httpSpans: true,
    mcpScopes: [instrumentation.instrumentationName],
    on() {
      undiciOn();
      instrumentation.manualPatch({ Client });
    },
    off: () => instrumentation._unpatchMain({ Client }),
  };
}

/**
 * Without autotel's `init()`, which would bring an SDK of its own: its tracing then uses the global providers.
 *
 * @returns {Promise<Variant>}
 */
async function autotel() {
  const entry = join(peers, 'autotel-mcp-instrumentation/dist/client.js');
  const { instrumentMcpClient } = await import(pathToFileURL(entry).href);
  return {
    httpSpans: true,
    mcpScopes: ['app'],
    on: undiciOn,
    attach(session) {
      if (session.client === undefined) return;
      session.client = instrumentMcpClient(session.client, { networkTransport: 'tcp' });
    },
    off() {},
  };
}
