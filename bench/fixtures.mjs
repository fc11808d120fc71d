// @ts-check
// What the benchmark's server answers. Seeded, so that every run and every workload sees the same bytes.

/** Events in a stream before its response. */
export const STREAM_EVENTS = 10_000;

const SEED = 20_260_728;

/**
 * mulberry32: small, and the same on every machine.
 *
 * @param {number} seed
 * @returns {() => number} numbers in [0, 1)
 */
function random(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const WORDS =
  'scanning indexed warehouse row shard cache miss retry queue worker lease größe 数据 done'.split(' ');

/** @param {() => number} next */
function sentence(next) {
  const words = [];
  for (let count = 4 + Math.floor(next() * 16); count > 0; count--) {
    words.push(WORDS[Math.floor(next() * WORDS.length)]);
  }
  return words.join(' ');
}

/**
 * Log notifications as a chatty tool sends them, one server-sent event each. One in a hundred carries a key named
 * `error` or `result`: such an event looks like the response to whoever searches bytes, and isn't.
 *
 * @returns {Buffer[]}
 */
export function streamEvents() {
  const next = random(SEED);
  return Array.from({ length: STREAM_EVENTS }, (_, index) => {
    const text = sentence(next);
    const lookalike = next();
    const data =
      lookalike < 0.005 ? { error: text } : lookalike < 0.01 ? { result: text } : { step: index, text };
    const params = { level: 'info', logger: 'tool', data };
    return sseEvent({ jsonrpc: '2.0', method: 'notifications/message', params });
  });
}

/** @param {unknown} message */
export function sseEvent(message) {
  return Buffer.from(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
}

const RESULT_TEXT = Array.from({ length: 12 }, () => sentence(random(SEED))).join('\n');

/**
 * A tool's answer of about a kilobyte.
 *
 * @param {unknown} id
 */
export function toolResponse(id) {
  return { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: RESULT_TEXT }], isError: false } };
}

/** @param {unknown} id */
export function initializeResponse(id) {
  return {
    jsonrpc: '2.0',
    id,
    result: {
      protocolVersion: '2025-06-18',
      capabilities: { tools: {}, logging: {} },
      serverInfo: { name: 'bench-server', version: '1.0.0' },
    },
  };
}

/** A search API's request and answer: JSON, but nothing of JSON-RPC. */
export const OTHER_REQUEST = JSON.stringify({
  query: 'how do agents fail',
  filters: { year: 2026 },
  limit: 20,
});
export const OTHER_RESPONSE = Buffer.from(
  JSON.stringify({ hits: Array.from({ length: 8 }, (_, n) => ({ id: n, title: sentence(random(n)) })) }),
);

/** @param {string} tool */
export function toolsCall(tool) {
  const params = { name: tool, arguments: { query: 'how do agents fail', limit: 20 } };
  return { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
}

export const LARGE_BODY_BYTES = 100_000_000;

const LARGE_PIECE = Buffer.alloc(64 * 1024, 'a');

/**
 * The pieces of one large body: `json` is one tool result, `sse` the same in log events of 64 KiB, then a small response.
 *
 * @param {'json' | 'sse'} kind
 * @param {unknown} id
 * @returns {Generator<Buffer>}
 */
export function* largeBody(kind, id) {
  const pieces = Math.ceil(LARGE_BODY_BYTES / LARGE_PIECE.length);
  if (kind === 'json') {
    yield Buffer.from(
      `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[{"type":"text","text":"`,
    );
    for (let n = 0; n < pieces; n++) yield LARGE_PIECE;
    yield Buffer.from('"}]}}');
    return;
  }
  const params = { level: 'info', data: LARGE_PIECE.toString() };
  const event = sseEvent({ jsonrpc: '2.0', method: 'notifications/message', params });
  for (let n = 0; n < pieces; n++) yield event;
  yield sseEvent(toolResponse(id));
}
