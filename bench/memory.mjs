// @ts-check
// The measuring process for memory: reads one large response, chunk by chunk, and tells how much of it is kept.
// Argument: a JSON `MemoryRun`; answer: one IPC message, the peak in megabytes over what was there before.
import { LARGE_BODY_BYTES, toolsCall } from './fixtures.mjs';
import { startTelemetry } from './telemetry.mjs';
import { makeVariant } from './variants.mjs';
import { MCP_HEADERS } from './workloads.mjs';

/**
 * @typedef {object} MemoryRun
 * @property {string} origin
 * @property {string} variant
 * @property {'large-json' | 'large-sse'} tool
 */

/** @type {MemoryRun} */
const run = JSON.parse(process.argv[2] ?? '{}');

// Often enough to see what is kept up to a limit of some megabytes, seldom enough to end.
const BYTES_PER_SAMPLE = 500_000;

/** What can't be freed. The process's own size also holds garbage: by luck, up to 30 MB of it. */
function liveMegabytes() {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1_000_000;
}

/**
 * @param {string} tool
 * @returns {Promise<{ bytes: number, peak: number }>}
 */
async function call(tool) {
  const body = JSON.stringify(toolsCall(tool));
  const response = await fetch(`${run.origin}/mcp`, { method: 'POST', headers: MCP_HEADERS, body });
  let bytes = 0;
  let peak = liveMegabytes();
  let sampledAt = 0;
  // Read and let go, so that what the peak shows isn't the application's own copy.
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes - sampledAt < BYTES_PER_SAMPLE) continue;
    sampledAt = bytes;
    peak = Math.max(peak, liveMegabytes());
  }
  return { bytes, peak };
}

const telemetry = startTelemetry();
const variant = await makeVariant(run.variant, telemetry);
variant.on();
// Whatever is loaded at the first call is no part of what the body needs.
for (let n = 0; n < 10; n++) await call('search');
await telemetry.flush();
const before = liveMegabytes();
const { bytes, peak } = await call(run.tool);
if (bytes < LARGE_BODY_BYTES) throw new Error(`only ${bytes} bytes came`);
variant.off();
await telemetry.stop();
process.send?.(peak - before, () => process.exit(0));
