// @ts-check
// Makes one call without the instrumentation and one with it, reads its answer chunk by chunk, and tells how much
// memory was in use at most. Needs --expose-gc. Argument: a `Reading` as JSON; prints `Peaks`.
import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base';
import { McpHttpInstrumentation } from 'opentelemetry-instrumentation-mcp-http';

/** @type {import('./peak-memory.js').Reading} */
const { url, init, maxBodyBytes } = JSON.parse(process.argv[2] ?? '{}');

/** What can't be freed. */
function bytesInUse() {
  // Buffers are freed on another thread, which the next collection waits for.
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/**
 * @param {number} [limit] - of bytes to read
 * @returns {Promise<{ bytes: number, peak: number }>}
 */
async function call(limit = Number.POSITIVE_INFINITY) {
  const before = bytesInUse();
  const response = await fetch(url, init);
  let bytes = 0;
  let nextSampleAt = 4_096;
  let peak = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes < nextSampleAt) continue;
    // Often enough to see what is kept up to any limit, seldom enough to come to an end.
    nextSampleAt = bytes * 1.3;
    peak = Math.max(peak, bytesInUse() - before);
    if (bytes >= limit) break;
  }
  return { bytes, peak };
}

/** @type {[unknown, unknown][]} */
const told = [];
const spanProcessor = {
  onStart() {},
  /** @param {import('@opentelemetry/sdk-trace-base').ReadableSpan} span */
  onEnd: ({ attributes }) => void told.push([attributes['mcp.outcome'], attributes['mcp.stream.events']]),
  async forceFlush() {},
  async shutdown() {},
};
const mcp = new McpHttpInstrumentation({ maxBodyBytes });
mcp.setTracerProvider(new BasicTracerProvider({ spanProcessors: [spanProcessor] }));

// Whatever is loaded and compiled at the first call is no part of what the body needs.
await call(5_000_000);
told.length = 0;
const { bytes, peak: withUs } = await call();
mcp.disable();
const { peak: without } = await call();
console.log(JSON.stringify({ bytes, without, withUs, told }));
process.exit(0);
