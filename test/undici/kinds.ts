import * as zlib from 'node:zlib';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import {
  event,
  JSON_HEADERS,
  notification,
  rpcError,
  SSE_HEADERS,
  toolResult,
  toolsCall,
} from '../support/json-rpc.js';
import { type Answer, CUT, STAY_OPEN, type Step } from '../support/scripted-server.js';
import type { Redirects } from './callers.js';

/** What of a span a kind of call decides. */
export interface CallSpan {
  readonly outcome: string;
  readonly layer?: string;
  readonly code?: string;
  readonly defect?: string;
  readonly reason?: string;
  readonly negotiation?: string;
  readonly streamEnd?: string;
  readonly retryAfter?: readonly string[];
  readonly statuses?: readonly number[];
}

/** What the server knows of the call that it answers. */
export interface Asked {
  readonly id: number;
  /** It comes again, at the place to which the first request was sent on. */
  readonly moved: boolean;
  /** The application has its first chunk. */
  readonly firstChunkRead: Promise<void>;
}

export interface Kind {
  readonly kind: string;
  readonly body: (id: number) => string;
  readonly answer: (asked: Asked) => Answer | typeof CUT | typeof STAY_OPEN;
  /** What the application does other than reading to the end. */
  readonly act?: 'abort on arrival' | 'cancel after the first chunk';
  /** How it ends for the application. */
  readonly end: 'body' | 'error' | 'cancelled';
  readonly spans: (redirects: Redirects) => readonly CallSpan[];
}

export const MAX_BODY_BYTES = 64 * 1024;

const progress = event(
  '{"jsonrpc":"2.0","method":"notifications/progress","params":{"text":"gr\u00fc\u00df"}}',
);
const json = (body: string, status = 200, headers: Record<string, string> = {}): Answer => ({
  status,
  headers: { ...JSON_HEADERS, ...headers },
  body: [body],
});
const sse = (...body: Step[]): Answer => ({ status: 200, headers: SSE_HEADERS, body });
const encoded = (encoding: string, bytes: Uint8Array): Answer => ({
  status: 200,
  headers: { ...JSON_HEADERS, 'content-encoding': encoding },
  body: [bytes],
});

/** A Zstandard frame with one raw block (RFC 8878, section 3.1.1), for a Node that can't make one. */
function zstdFrame(text: string): Buffer {
  const data = Buffer.from(text);
  const block = (data.length << 3) | 1;
  const header = [0x28, 0xb5, 0x2f, 0xfd, 0x20, data.length];
  return Buffer.concat([Buffer.from([...header, block & 0xff, (block >> 8) & 0xff, block >> 16]), data]);
}

const ok: CallSpan = { outcome: 'TOOL_SUCCESS', statuses: [200] };
const okInStream: CallSpan = { ...ok, streamEnd: 'response' };

/** Most kinds: a tools/call whose answer the application reads to the end, one span. */
function toolCall(
  kind: string,
  answer: Kind['answer'],
  span: CallSpan,
  rest: Partial<Pick<Kind, 'act' | 'end' | 'spans'>> = {},
): Kind {
  return { kind, body: (id) => toolsCall(kind, id), answer, end: 'body', spans: () => [span], ...rest };
}

export const KINDS: readonly Kind[] = [
  toolCall('json', ({ id }) => json(toolResult({}, id)), ok),
  toolCall('stream', ({ id }) => sse(progress, progress, event(toolResult({}, id))), okInStream),
  toolCall(
    'stream in odd pieces',
    ({ id }) => sse(...inPieces(progress + event(toolResult({}, id)))),
    okInStream,
  ),
  toolCall('tool error', ({ id }) => json(toolResult({ isError: true }, id)), {
    outcome: 'TOOL_ERROR',
    layer: 'application',
    statuses: [200],
  }),
  toolCall('rpc error', ({ id }) => json(rpcError(-32602, 'no', id)), {
    outcome: 'JSONRPC_ERROR',
    layer: 'protocol',
    code: '-32602',
    statuses: [200],
  }),
  toolCall('wrong id', ({ id }) => json(toolResult({}, id + 1)), {
    outcome: 'INVALID_ENVELOPE',
    layer: 'protocol',
    defect: 'id_mismatch',
    statuses: [200],
  }),
  toolCall('page', () => ({ headers: { 'content-type': 'text/html' }, body: ['<html></html>'] }), {
    outcome: 'MALFORMED_JSON',
    layer: 'protocol',
    statuses: [200],
  }),
  toolCall('unavailable', () => json('{}', 503, { 'retry-after': '7' }), {
    outcome: 'HTTP_ERROR',
    layer: 'transport',
    retryAfter: ['7'],
    statuses: [503],
  }),
  toolCall(
    'moved',
    ({ id, moved }) => (moved ? json(toolResult({}, id)) : json('', 307, { location: '/moved' })),
    ok,
    {
      spans(redirects) {
        if (redirects === 'one call') return [{ ...ok, statuses: [307, 200] }];
        const hop: CallSpan = {
          outcome: 'HTTP_ERROR',
          layer: 'transport',
          negotiation: 'redirect',
          statuses: [307],
        };
        // The one that follows it has the hop's POST and status too.
        return redirects === 'not followed' ? [hop] : [hop, { ...ok, statuses: [307, 200] }];
      },
    },
  ),
  toolCall('aborted', () => STAY_OPEN, { outcome: 'CANCELLED' }, { act: 'abort on arrival', end: 'error' }),
  toolCall(
    'cancelled',
    () => sse(progress, STAY_OPEN),
    { outcome: 'CANCELLED', streamEnd: 'aborted', statuses: [200] },
    { act: 'cancel after the first chunk', end: 'cancelled' },
  ),
  toolCall('cut', () => CUT, { outcome: 'NETWORK_ERROR', layer: 'transport' }, { end: 'error' }),
  toolCall(
    'cut stream',
    ({ firstChunkRead }) => sse(progress, firstChunkRead, CUT),
    { outcome: 'STREAM_INCOMPLETE', layer: 'transport', streamEnd: 'cut', statuses: [200] },
    { end: 'error' },
  ),
  toolCall('ended stream', () => sse(progress), {
    outcome: 'STREAM_INCOMPLETE',
    layer: 'transport',
    streamEnd: 'closed',
    statuses: [200],
  }),
  toolCall('gzip', ({ id }) => encoded('gzip', gzipSync(toolResult({}, id))), ok),
  toolCall('br', ({ id }) => encoded('br', brotliCompressSync(toolResult({}, id))), ok),
  toolCall('deflate', ({ id }) => encoded('deflate', deflateSync(toolResult({}, id))), ok),
  toolCall(
    'zstd',
    ({ id }) => encoded('zstd', zstdFrame(toolResult({}, id))),
    'zstdDecompressSync' in zlib
      ? ok
      : { outcome: 'UNCLASSIFIED', reason: 'unsupported_encoding', statuses: [200] },
  ),
  toolCall('large', ({ id }) => json(toolResult({ more: 'm'.repeat(3 * MAX_BODY_BYTES) }, id)), {
    outcome: 'UNCLASSIFIED',
    reason: 'body_too_large',
    statuses: [200],
  }),
  toolCall('asks', ({ id }) => json(toolResult({ resultType: 'input_required', inputRequests: {} }, id)), {
    outcome: 'INPUT_REQUIRED',
    statuses: [200],
  }),
  {
    kind: 'notification',
    // Nothing else in it tells which call it is.
    body: (id) => notification('notifications/progress', { progressToken: id, progress: 1 }),
    answer: () => ({ status: 202 }),
    end: 'body',
    spans: () => [{ outcome: 'ACCEPTED', statuses: [202] }],
  },
];

/** In three, the second cut going through a character. */
function inPieces(text: string): Uint8Array[] {
  const bytes = Buffer.from(text);
  const inCharacter = bytes.indexOf(Buffer.from('\u00fc')) + 1;
  return [bytes.subarray(0, 9), bytes.subarray(9, inCharacter), bytes.subarray(inCharacter)];
}
