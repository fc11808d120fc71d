import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Dispatcher } from 'undici7';
import { errorView } from '../support/application-view.js';

/** A copy of undici from npm. The others are used as far as they have what 7 has. */
export type Undici = typeof import('undici7');

/** What an application sends by one of undici's APIs. */
export interface Sent {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly dispatcher?: Dispatcher | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called at each chunk of the response. */
  readonly onChunk?: (() => void) | undefined;
}

/** What it gets. */
export interface Received {
  status?: number;
  text: string;
  error?: unknown;
}

export type Sender = (undici: Undici, sent: Sent) => Promise<Received>;

/** undici's APIs, each used as an application would. */
export const SENDERS = {
  request: (undici, sent) =>
    receiving(async (received) => {
      const response = await undici.request(sent.url, optionsOf(sent));
      received.status = response.statusCode;
      for await (const chunk of response.body) got(received, sent, chunk);
    }),

  stream: (undici, sent) =>
    receiving(async (received) => {
      await undici.stream(sent.url, optionsOf(sent), ({ statusCode }) => {
        received.status = statusCode;
        return new Writable({
          write(chunk, _encoding, done) {
            got(received, sent, chunk);
            done();
          },
        });
      });
    }),

  pipeline: (undici, sent) =>
    receiving(async (received) => {
      const { body, ...options } = optionsOf(sent);
      const duplex = undici.pipeline(sent.url, options, ({ statusCode, body: answer }) => {
        received.status = statusCode;
        return answer;
      });
      duplex.end(body);
      for await (const chunk of duplex) got(received, sent, chunk);
    }),

  fetch: (undici, sent) =>
    receiving(async (received) => {
      const response = await undici.fetch(sent.url, optionsOf(sent));
      received.status = response.status;
      for await (const chunk of response.body ?? []) got(received, sent, chunk);
    }),

  dispatch: (undici, sent) =>
    receiving(async (received) => {
      const { url, headers, body, dispatcher = undici.getGlobalDispatcher() } = sent;
      const { origin, pathname } = new URL(url);
      await new Promise<void>((resolve, reject) => {
        const options = { origin, path: pathname, method: 'POST' as const, headers, body };
        dispatcher.dispatch(options, handlerOf(undici, sent, received, resolve, reject));
      });
    }),
} satisfies Record<string, Sender>;

function optionsOf({ headers, body, dispatcher, signal }: Sent) {
  return {
    method: 'POST' as const,
    headers,
    body,
    ...(dispatcher !== undefined && { dispatcher }),
    ...(signal !== undefined && { signal }),
  };
}

async function receiving(act: (received: Received) => Promise<void>): Promise<Received> {
  const received: Received = { text: '' };
  try {
    await act(received);
  } catch (error) {
    received.error = errorView(error);
  }
  return received;
}

function got(received: Received, { onChunk }: Sent, chunk: unknown): void {
  received.text += Buffer.from(chunk as Uint8Array).toString();
  onChunk?.();
}

/** undici 7 has a new form of handlers, 8 only that one; its `RetryHandler` has the methods of the form in use. */
function handlerOf(
  undici: Undici,
  sent: Sent,
  received: Received,
  resolve: () => void,
  reject: (error: Error) => void,
): Dispatcher.DispatchHandler {
  if ('onRequestStart' in undici.RetryHandler.prototype) {
    return {
      onRequestStart() {},
      onResponseStart(_controller, status) {
        received.status = status;
      },
      onResponseData: (_controller, chunk) => got(received, sent, chunk),
      onResponseEnd: resolve,
      onResponseError: (_controller, error) => reject(error),
    };
  }
  return {
    onConnect() {},
    onHeaders(status) {
      received.status = status;
      return true;
    },
    onData(chunk) {
      got(received, sent, chunk);
      return true;
    },
    onComplete: resolve,
    onError: reject,
  };
}

/** The whole text of a GET's body, through the same copy. */
export async function get(undici: Undici, url: string, headers: Record<string, string>): Promise<string> {
  return text((await undici.request(url, { headers })).body);
}
