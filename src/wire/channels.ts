import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { answerStream } from './answer-stream.js';
import { directRequest } from './direct-request.js';
import { sendEndOf } from './send-end.js';
import { type RequestObserver, shadow, type UndiciRequest } from './undici-request.js';
import type { Wire } from './wire.js';

type Handler = (message: unknown) => void;

interface Message {
  request: UndiciRequest;
  response: { statusCode: number; headers: unknown };
  error: unknown;
  chunk: unknown;
  headers: string;
}

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
  function contained(observer: RequestObserver, act: (observer: RequestObserver) => void): void {
    try {
      act(observer);
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

  function on(channel: string, act: (observer: RequestObserver, message: Message) => void): void {
    follow(channel, (message) => {
      const observer = observers.get((message as Message).request);
      if (observer !== undefined) contained(observer, () => act(observer, message as Message));
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

  function observeBytes(request: UndiciRequest & { onData?: unknown }, observer: RequestObserver): void {
    if (typeof request.onData === 'function') {
      shadow(request, 'onData', (chunk) => contained(observer, () => observer.chunk(chunk as Uint8Array)));
      if (observer.sent !== undefined) {
        shadow(request, 'onBodySent', (chunk) => contained(observer, () => observer.sent?.(chunk)));
      }
    } else followChunkChannels();
    // `trailers` and `error` say the same, but by then another subscriber may have ended the span of the HTTP request.
    for (const name of ['onComplete', 'onResponseEnd']) {
      shadow(request, name, () => contained(observer, () => observer.end({ kind: 'complete' })));
    }
    for (const name of ['onError', 'onResponseError']) {
      shadow(request, name, (error) => contained(observer, () => observer.end(sendEndOf(error))));
    }
  }

  // Only once a request needs them: publishing there costs every request of the process something.
  function followChunkChannels(): void {
    if (chunkChannels) return;
    chunkChannels = true;
    on('undici:request:bodyChunkSent', (observer, { chunk }) => observer.sent?.(chunk));
    on('undici:request:bodyChunkReceived', (observer, { chunk }) => observer.chunk(chunk as Uint8Array));
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
  on('undici:request:trailers', (observer) => observer.end({ kind: 'complete' }));
  on('undici:request:error', (observer, { error }) => observer.end(sendEndOf(error)));

  return () => {
    for (const [channel, handler] of subscribed) unsubscribe(channel, handler);
  };
}
