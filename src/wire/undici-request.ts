import type { SendEnd } from './listener.js';

/**
 * What is used of the request object that undici publishes on its diagnostics channels.
 * @see https://github.com/nodejs/undici/blob/main/docs/docs/api/DiagnosticsChannel.md
 */
export interface UndiciRequest {
  readonly method: string;
  readonly path: string;
  readonly origin: string | URL;
  /** A Buffer for a string or bytes, a generator for `fetch`, a stream, or null. */
  readonly body: unknown;
  /** One string in undici 5, a flat array from 6 on. Other observers add to it while the request is created. */
  readonly headers: unknown;
}

/** What an observer of one request is told. */
export interface RequestObserver {
  /** Nothing of the request matters any more. */
  readonly over: boolean;
  sent?(chunk: unknown): void;
  bodySent?(): void;
  /** The request's head has been written; up to HTTP/1.1 it begins with a request line. */
  headSent(head: string): void;
  headers(status: number, published: unknown): void;
  chunk(bytes: Uint8Array): void;
  end(end: SendEnd): void;
  /** Something of ours went wrong: nothing more can be said. */
  failed(): void;
}

/** `undefined` where the parts make no URL: undici's MockAgent and dispatchers of others take any text. */
export function urlOf(request: UndiciRequest): URL | undefined {
  try {
    return new URL(request.path, request.origin);
  } catch {
    return undefined;
  }
}

type Method = (this: unknown, argument: unknown) => unknown;

/**
 * Tells `before` of each call of a method of this one request, then lets the method run as if nothing had been there:
 * same receiver, same argument, same return value (which is backpressure for `onData`).
 */
export function shadow(request: UndiciRequest, name: string, before: (argument: unknown) => void): void {
  const method = (request as unknown as Record<string, unknown>)[name];
  if (typeof method !== 'function') return;
  Object.defineProperty(request, name, {
    configurable: true,
    writable: true,
    enumerable: false,
    value: function shadowed(this: unknown, argument: unknown) {
      before(argument);
      return (method as Method).call(this, argument);
    },
  });
}
