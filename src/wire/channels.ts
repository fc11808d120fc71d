import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { answerStream } from './answer-stream.js';
import { directRequest } from './direct-request.js';
import { sendEndOf } from './send-end.js';
import { type RequestObserver, shadow, type UndiciRequest } from './undici-request.js';
import type { Wire } from './wire.js';

type Handler = (message: unknown) => void;
type Act<T> = (observer: RequestObserver, argument: T) => void;

interface Message {
  request: UndiciRequest;
  response: { statusCode: number; headers: unknown };
  error: unknown;
  chunk: unknown;
  headers: string;
}

const tellSent: Act<unknown> = (observer, chunk) => observer.sent?.(chunk);
const tellChunk: Act<unknown> = (observer, chunk) => observer.chunk(chunk as Uint8Array);
const tellComplete: Act<unknown> = (observer) => observer.end({ kind: 'complete' });
const tellError: Act<unknown> = (observer, error) => observer.end(sendEndOf(error));

/**
 * Follows undici's requests, Node's own undici and every copy from npm alike, through its diagnostics channels.
 *
 * The bytes come in two ways. Up to undici 7 no channel has them everywhere, but the request's own methods are called
 * with them; from 8 on those methods are gone and two channels have the bytes. Which of the two is asked of each
 * request, never of a version.
 *
 * @returns a function that stops it
 */
export function observeChannels(wire: Wire): () => void {
  const observers = new WeakMap<object, RequestObserver>();
  const subscribed: [string, Handler][] = [];
  let chunkChannels = false;

  // A subscriber that throws is an uncaughtException of the application, a shadowed method that throws breaks its
  // response: everything of ours that undici calls goes through here.
  function contained<T>(observer: RequestObserver, act: Act<T>, argument: T): void {
    try {
      act(observer, argument);
    } catch (error) {
      wire.report(error);
      degrade(observer);
    }
  }

  function degrade(observer: RequestObserver): void {
    try {
      observer.failed();
    } catch (error) {
      wire.report(error);
    }
  }

  function on(channel: string, act: Act<Message>): void {
    follow(channel, (message) => {
      const observer = observers.get((message as Message).request);
      if (observer !== undefined) contained(observer, act, message as Message);
    });
  }

  function follow(channel: string, handler: Handler): void {
    subscribe(channel, handler);
    subscribed.push([channel, handler]);
  }

  function created({ request }: Message): void {
    const send = wire.currentSend();
    let observer: RequestObserver | undefined;
    if (send?.accepts(request.method, request.path)) observer = send.begin(request, request.headers);
    else if (request.method === 'POST') {
      observer = wire.resends.find(request)?.begin(request, request.headers) ?? directRequest(wire, request);
    } else if (request.method === 'GET') observer = answerStream(wire, request);
    if (observer === undefined) return;
    observers.set(request, observer);
    observeBytes(request, observer);
  }

  function observeBytes(request: UndiciRequest, observer: RequestObserver): void {
    if (hasBytesInMethods(request)) {
      shadow(request, 'onData', (chunk) => contained(observer, tellChunk, chunk));
      if (observer.sent !== undefined) {
        shadow(request, 'onBodySent', (chunk) => contained(observer, tellSent, chunk));
      }
    } else followChunkChannels();
    // `trailers` and `error` say the same, but by then another subscriber may have ended the span of the HTTP request.
    for (const name of ['onComplete', 'onResponseEnd']) {
      shadow(request, name, () => ended(request, observer, tellComplete, undefined));
    }
    for (const name of ['onError', 'onResponseError']) {
      shadow(request, name, (error) => ended(request, observer, tellError, error));
    }
  }

  function ended<T>(request: object, observer: RequestObserver, act: Act<T>, argument: T): void {
    contained(observer, act, argument);
    // An observer ends once: nothing that is published after matters.
    observers.delete(request);
  }

  // Only once a request needs them: publishing there costs every request of the process something. From then on undici
  // 7.11 and later 7 publish there too, what their methods are called with already.
  function followChunkChannels(): void {
    if (chunkChannels) return;
    chunkChannels = true;
    on('undici:request:bodyChunkSent', (observer, { request, chunk }) => {
      if (!hasBytesInMethods(request)) tellSent(observer, chunk);
    });
    on('undici:request:bodyChunkReceived', (observer, { request, chunk }) => {
      if (!hasBytesInMethods(request)) tellChunk(observer, chunk);
    });
  }

  follow('undici:request:create', (message) => {
    try {
      created(message as Message);
    } catch (error) {
      wire.report(error);
    }
  });
  on('undici:client:sendHeaders', (observer, { headers }) => observer.headSent(headers));
  on('undici:request:bodySent', (observer) => observer.bodySent?.());
  on('undici:request:headers', (observer, { response }) =>
    observer.headers(response.statusCode, response.headers),
  );
  on('undici:request:trailers', (observer, { request }) => ended(request, observer, tellComplete, undefined));
  on('undici:request:error', (observer, { request, error }) => ended(request, observer, tellError, error));

  return () => {
    for (const [channel, handler] of subscribed) unsubscribe(channel, handler);
  };
}

function hasBytesInMethods(request: UndiciRequest & { onData?: unknown }): boolean {
  return typeof request.onData === 'function';
}
