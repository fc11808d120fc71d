/**
 * The same bytes as a Buffer, which undici's nearly always are: making a view of one costs more than asking. Not for an
 * application's own bytes, whose class may have other methods.
 */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}
