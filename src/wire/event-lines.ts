/** The lines of an event stream as bytes: https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream */

export const LF = 0x0a;
export const CR = 0x0d;
const COLON = 0x3a;
const SPACE = 0x20;

export const BOM_LENGTH = 3;
const BOM = [0xef, 0xbb, 0xbf] as const;

/** Where the value of a `data` line starts; -1 when the line is of another field. */
export function dataValueStart(bytes: Buffer, start: number, end: number): number {
  if (
    bytes[start] !== 0x64 ||
    bytes[start + 1] !== 0x61 ||
    bytes[start + 2] !== 0x74 ||
    bytes[start + 3] !== 0x61 ||
    end - start < 4
  ) {
    return -1;
  }
  if (end - start === 4) return end;
  if (bytes[start + 4] !== COLON) return -1;
  return bytes[start + 5] === SPACE && end > start + 5 ? start + 6 : start + 5;
}

/** The same for an `id` line. */
export function idValueStart(bytes: Buffer, start: number, end: number): number {
  if (bytes[start] !== 0x69 || bytes[start + 1] !== 0x64) return -1;
  if (end === start + 2) return end;
  if (bytes[start + 2] !== COLON) return -1;
  return bytes[start + 3] === SPACE && end > start + 3 ? start + 4 : start + 3;
}

export function nextLineEnd(bytes: Buffer, from: number): number {
  for (let i = from; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte === LF || byte === CR) return i;
  }
  return -1;
}

export function startsWith(bytes: Buffer, at: number, prefix: Buffer): boolean {
  for (let i = 0; i < prefix.length; i++) {
    if (bytes[at + i] !== prefix[i]) return false;
  }
  return true;
}

/** As far as the bytes go. */
export function startsLikeBom(bytes: Uint8Array): boolean {
  return BOM.every((byte, i) => i >= bytes.length || bytes[i] === byte);
}
