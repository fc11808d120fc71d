import * as zlib from 'node:zlib';
import { KeptBytes } from './kept-bytes.js';
import type { BodyObstacle } from './listener.js';

export interface StreamingDecoder {
  write(chunk: Uint8Array): void;
  /** Calls `done` when everything written has been decoded, or can't be. */
  end(done: () => void): void;
  /** Nothing more matters. */
  stop(): void;
}

export interface StreamingDecoderSink {
  decoded(bytes: Uint8Array): void;
  obstacle(reason: BodyObstacle): void;
  /** Something of ours threw; must not throw. */
  failed(error: unknown): void;
}

/**
 * Undoes one content coding as the bytes come, for streams whose events matter while they are open. Node decodes on a
 * thread of its own, so events are seen a moment later than the application sees them.
 *
 * @param maxWaitingBytes - of encoded bytes that haven't been decoded yet; more is given up
 * @returns `undefined` for several codings, and for one that Node doesn't know
 */
export function streamingDecoder(
  codings: readonly string[],
  maxWaitingBytes: number,
  sink: StreamingDecoderSink,
): StreamingDecoder | undefined {
  const decoder = codings.length === 1 ? decoderOf(codings[0]) : undefined;
  if (decoder === undefined) return undefined;
  const waiting = new KeptBytes();
  let decodingBytes = 0;
  let over = false;
  let whenDone: (() => void) | undefined;

  function finish(): void {
    over = true;
    decoder?.destroy();
    const done = whenDone;
    whenDone = undefined;
    done?.();
  }

  // Nothing of the application's is on the stack here: what is thrown would be its uncaughtException.
  function contained(act: () => void): void {
    try {
      act();
    } catch (error) {
      over = true;
      sink.failed(error);
    }
  }

  // One write at a time: of a stream that comes byte by byte, each would be queued as an object of its own.
  function next(): void {
    if (over || decodingBytes > 0) return;
    if (waiting.length > 0) {
      decodingBytes = waiting.length;
      decoder?.write(waiting.take(), () => {
        decodingBytes = 0;
        contained(next);
      });
    } else if (whenDone !== undefined) decoder?.end();
  }

  decoder.on('data', (bytes: Uint8Array) => {
    if (!over) contained(() => sink.decoded(bytes));
  });
  decoder.once('end', () => contained(finish));
  decoder.on('error', () =>
    contained(() => {
      // A stream that was cut ends inside its coding: what could be decoded has been.
      if (!over && whenDone === undefined) sink.obstacle('unsupported_encoding');
      finish();
    }),
  );

  return {
    write(chunk) {
      if (over) return;
      if (decodingBytes + waiting.length + chunk.length > maxWaitingBytes) {
        sink.obstacle('body_too_large');
        finish();
        return;
      }
      waiting.add(chunk);
      next();
    },
    end(done) {
      if (over) {
        done();
        return;
      }
      whenDone = done;
      next();
    },
    stop: finish,
  };
}

function decoderOf(coding: string | undefined): zlib.Gunzip | undefined {
  switch (coding) {
    case 'gzip':
    case 'x-gzip':
      return zlib.createGunzip();
    case 'deflate':
      return zlib.createInflate();
    case 'br':
      return zlib.createBrotliDecompress();
    case 'zstd':
      return (zlib as unknown as { createZstdDecompress?(): zlib.Gunzip }).createZstdDecompress?.();
    default:
      return undefined;
  }
}
