import { types } from 'node:util';
import { clientOf } from './client-identity.js';
import { initHeaders } from './init-headers.js';
import { isIgnored, isKnownAsMcp, mayBeJsonRpc } from './recognise.js';
import { Send } from './send.js';
import { sendEndOf } from './send-end.js';
import type { Wire } from './wire.js';

type Fetch = typeof globalThis.fetch;

/**
 * Wraps `globalThis.fetch` for one purpose: that what happens inside runs in the call's context. The bytes are seen on
 * undici's channels. Arguments and response pass through untouched; a `Request` or `Response` is never read.
 *
 * @returns a function that puts back what was there; where a later patch holds the wrapper, it only passes through
 */
export function wrapFetch(wire: Wire): () => void {
  const descriptor = Object.getOwnPropertyDescriptor(globalThis, 'fetch');
  const original = globalThis.fetch;
  if (descriptor === undefined || typeof original !== 'function') return () => {};
  let active = true;

  const wrapper = function fetch(this: unknown, ...args: Parameters<Fetch>): ReturnType<Fetch> {
    const send = active ? begin(wire, args[0], args[1]) : undefined;
    if (send === undefined) return Reflect.apply(original, this, args);
    return settle(
      send,
      wire.withinSend(send, () => Reflect.apply(original, this, args)),
      wire,
    );
  };
  // What an application can read of the function stays: its length, its name, what somebody hung on it.
  Object.defineProperties(wrapper, Object.getOwnPropertyDescriptors(original));
  Object.defineProperty(globalThis, 'fetch', {
    configurable: true,
    enumerable: descriptor.enumerable ?? true,
    writable: true,
    value: wrapper,
  });

  return () => {
    active = false;
    if (globalThis.fetch === wrapper) Object.defineProperty(globalThis, 'fetch', descriptor);
  };
}

/** The send that a call of fetch is, when it can be known without touching anything; otherwise undici's channels tell. */
function begin(wire: Wire, input: unknown, init: unknown): Send | undefined {
  try {
    // A proxy's traps are the application's code.
    if (typeof init !== 'object' || init === null || types.isProxy(init)) return undefined;
    const method = ownValue(init, 'method');
    if (typeof method !== 'string' || (method !== 'POST' && method.toUpperCase() !== 'POST'))
      return undefined;
    const body = ownValue(init, 'body');
    if (!isReadable(body) || !mayBeJsonRpc(body)) return undefined;
    const url = urlOf(input);
    if (url === undefined || isIgnored(url, wire.endpoints)) return undefined;
    const headers = ownValue(init, 'headers');
    const redirect = ownValue(init, 'redirect');
    const signal = signalOf(init);
    const listener = wire.listener.open({
      url,
      body:
        typeof body === 'string'
          ? body
          : Buffer.from(body.buffer, body.byteOffset, body.length).toString('utf8'),
      knownAsMcp: () => isKnownAsMcp(url, initHeaders(headers), wire.endpoints),
      context: wire.listener.captureContext(),
      client: clientOf(signal, init),
      followsRedirectsItself: redirect === 'manual',
    });
    if (listener === undefined) return undefined;
    return new Send({
      listener,
      maxBodyBytes: wire.maxBodyBytes,
      resends: wire.resends,
      resendKey: { url, body: undefined },
      fetch: {
        path: url.pathname + url.search,
        signal,
        followsRedirects: redirect === undefined || redirect === 'follow',
      },
    });
  } catch (error) {
    wire.report(error);
    return undefined;
  }
}

/**
 * Learns how the fetch ended. Passing value and reason on in a promise of the same kind keeps an unhandled rejection
 * what it is; listening on the side would mark it as handled.
 */
function settle(send: Send, promise: ReturnType<Fetch>, wire: Wire): ReturnType<Fetch> {
  if (!types.isPromise(promise)) return promise;
  return promise.then(
    (response) => {
      contained(() => send.fulfilled(), wire);
      return response;
    },
    (error) => {
      contained(() => send.rejected(sendEndOf(error)), wire);
      throw error;
    },
  );
}

function contained(act: () => void, wire: Wire): void {
  try {
    act();
  } catch (error) {
    wire.report(error);
  }
}

function isReadable(body: unknown): body is string | Uint8Array {
  return typeof body === 'string' || (body instanceof Uint8Array && !types.isProxy(body));
}

// An agent calls few endpoints, each many times, and parsing a URL costs as much as parsing a small body.
let lastText = '';
let lastUrl: URL | undefined;

function urlOf(input: unknown): URL | undefined {
  // A copy of a URL: the application may go on changing its own.
  const text = input instanceof URL && !types.isProxy(input) ? input.href : input;
  if (typeof text !== 'string') return undefined;
  if (text === lastText) return lastUrl;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  lastText = text;
  lastUrl = url;
  return url;
}

function signalOf(init: object): AbortSignal | undefined {
  const signal = ownValue(init, 'signal');
  return signal instanceof AbortSignal && !types.isProxy(signal) ? signal : undefined;
}

/** A property's value where reading it runs nobody's code. */
function ownValue(object: object, name: string): unknown {
  return Object.getOwnPropertyDescriptor(object, name)?.value;
}
