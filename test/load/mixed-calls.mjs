// @ts-check
// Makes many calls of many kinds at once with the instrumentation on, and tells how each was told and what memory is in
// use afterwards. Needs --expose-gc. Argument: `{ url, calls, atOnce }` as JSON; prints a `Report`.
import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base';
import { McpHttpInstrumentation } from 'opentelemetry-instrumentation-mcp-http';

/** @type {{ url: string, calls: number, atOnce: number }} */
const { url, calls, atOnce } = JSON.parse(process.argv[2] ?? '{}');

const SESSION = { 'mcp-session-id': 'load', 'mcp-protocol-version': '2025-11-25' };
const HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  ...SESSION,
};

/** @type {(id: number, name: string, signal?: AbortSignal) => Promise<Response>} */
function post(id, name, signal) {
  const message = { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: {} } };
  const init = { method: 'POST', headers: HEADERS, body: JSON.stringify(message) };
  return fetch(url, signal === undefined ? init : { ...init, signal });
}

/** @type {(id: number, name: string) => Promise<unknown>} */
async function readToTheEnd(id, name) {
  return (await post(id, name)).text();
}

/** What the application does; whatever isn't here reads the answer to its end. */
/** @type {Record<string, (id: number, name: string) => Promise<unknown>>} */
const applications = {
  async abort(id, name) {
    const controller = new AbortController();
    const response = await post(id, name, controller.signal);
    for await (const _ of response.body ?? []) controller.abort();
  },
  async resumed(id, name) {
    await readToTheEnd(id, name);
    const headers = { accept: 'text/event-stream', ...SESSION, 'last-event-id': `event of ${id}` };
    await (await fetch(url, { headers })).text();
  },
};

/** @type {Record<string, string>} */
const OUTCOMES = {
  json: 'TOOL_SUCCESS',
  tool_error: 'TOOL_ERROR',
  rpc_error: 'JSONRPC_ERROR',
  stream: 'TOOL_SUCCESS',
  cut: 'STREAM_INCOMPLETE',
  unavailable: 'HTTP_ERROR',
  abort: 'CANCELLED',
  elsewhere: 'TOOL_SUCCESS',
  resumed: 'TOOL_SUCCESS',
};
const KINDS = Object.keys(OUTCOMES);

/** What is told of calls, without keeping anything for each of them. */
const told = {
  started: 0,
  ended: 0,
  /** @type {Record<string, number>} */
  right: {},
  /** @type {unknown[]} */
  wrong: [],
};
/** @param {import('@opentelemetry/sdk-trace-base').ReadableSpan} span */
function onEnd({ attributes }) {
  told.ended++;
  const name = String(attributes['gen_ai.tool.name']);
  const [kind = '', id] = name.split(' ');
  const outcome = attributes['mcp.outcome'];
  const isRight =
    attributes['jsonrpc.request.id'] === id &&
    outcome === OUTCOMES[kind] &&
    attributes['mcp.retry.origin'] === 'none';
  if (isRight) told.right[kind] = (told.right[kind] ?? 0) + 1;
  else told.wrong.push({ name, ...attributes });
}
const spanProcessor = {
  onStart: () => void told.started++,
  onEnd,
  async forceFlush() {},
  async shutdown() {},
};
const mcp = new McpHttpInstrumentation({ enabled: false });
mcp.setTracerProvider(new BasicTracerProvider({ spanProcessors: [spanProcessor] }));

/** @type {(first: number, count: number) => Promise<void>} */
async function makeCalls(first, count) {
  let next = first;
  async function worker() {
    while (next < first + count) {
      const id = next++;
      const kind = KINDS[id % KINDS.length] ?? '';
      const make = applications[kind] ?? readToTheEnd;
      // What the application sees of a failure is another test's matter.
      await make(id, `${kind} ${id}`).catch(() => {});
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker));
}

function bytesInUse() {
  // Buffers are freed on another thread, which the next collection waits for.
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** @type {(first: number, count: number) => Promise<void>} */
async function makeCallsAndWait(first, count) {
  await makeCalls(first, count);
  // Calls whose answer comes on the other stream are over a little later.
  while (told.ended < told.started) await new Promise((resolve) => setTimeout(resolve, 5));
}

mcp.enable();
// The stream on which answers come that don't come elsewhere; it stays open.
const answers = await fetch(url, { headers: { accept: 'text/event-stream', ...SESSION } });
void answers.text().catch(() => {});
// Opens the connections, compiles the code, and fills what is kept of the last failures.
const warmUp = 0.4 * calls;
await makeCallsAndWait(0, warmUp);
const before = bytesInUse();
await makeCallsAndWait(warmUp, calls - warmUp);
const after = bytesInUse();
console.log(
  JSON.stringify({ ...told, wrong: told.wrong.slice(0, 5), wrongCount: told.wrong.length, before, after }),
);
mcp.disable();
process.exit(0);
