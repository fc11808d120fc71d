import { startsLikeBom } from './event-lines.js';
import type { BodyForm } from './listener.js';

const WHITESPACE = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf]);
const MAX_BYTES_TO_TELL = 64;

/** The form of a body by its first bytes; `undefined` when more of them are needed. */
export function formOf(
  start: Uint8Array,
  declared: BodyForm | undefined,
  last: boolean,
): BodyForm | undefined {
  const first = start.find((byte) => !WHITESPACE.has(byte));
  const isJsonStart = first === 0x7b || first === 0x5b;
  if (isJsonStart) return 'json';
  const wait = !last && start.length < MAX_BYTES_TO_TELL;
  if (declared === 'event-stream') return first === undefined && wait ? undefined : 'event-stream';
  const looksLikeStream = looksLikeEventStream(start);
  if (looksLikeStream === undefined && wait) return undefined;
  return looksLikeStream ? 'event-stream' : 'json';
}

/**
 * `true` when a body begins as an event stream does: with a comment or one of the four fields.
 * `undefined` when too little has come to tell.
 */
function looksLikeEventStream(bytes: Uint8Array): boolean | undefined {
  const start = Buffer.from(bytes.subarray(startsLikeBom(bytes) && bytes.length > 2 ? 3 : 0, 16)).toString(
    'latin1',
  );
  const text = start.replace(/^[\r\n]+/, '');
  if (/^(?::|(?:data|event|id|retry)(?::|[\r\n]))/.test(text)) return true;
  const undecided = ['data', 'event', 'id', 'retry'].some((field) => field.startsWith(text));
  return undecided ? undefined : false;
}
