import { createHash } from 'node:crypto';
import type { RecordedRequest } from './scripted-server.js';
import { type Signal, signal } from './signal.js';

/** Everything that an application can tell about one exchange, in a form that can be compared. */
export interface View {
  status?: number;
  statusText?: string;
  headers?: string[][];
  url?: string;
  redirected?: boolean;
  type?: string;
  /** Base64 of each chunk, at the boundaries at which the application got them. */
  chunks?: string[];
  /** Of all chunks together, where their boundaries are the network's doing. */
  whole?: { bytes: number; sha256: string };
  /** How `fetch` or the reading of the body failed. */
  error?: ErrorView;
  /** The application let the body go, and this is how that went. */
  cancelled?: 'ok' | ErrorView;
}

export interface ErrorView {
  where: 'fetch' | 'body' | 'cancel';
  thrown: unknown;
}

/** What an application may wait for while it has a call in flight. */
export interface Exchange {
  /** The server has the request. */
  readonly arrived: Promise<RecordedRequest>;
  /** Lets the server's script go on: one signal per chunk that the application has read. */
  readonly read: Signal[];
}

/** An application: makes one call and tells what it saw. */
export type Application = (url: string, init: RequestInit, exchange: Exchange) => Promise<View>;

/** Reads the answer to its end, chunk by chunk. */
export const readToTheEnd: Application = async (url, init, exchange) => {
  const response = await fetchOrError(url, init);
  if (!(response instanceof Response)) return { error: response };
  return readBody(response, exchange);
};

/** Reads an answer of any size to its end, and keeps none of it; of one that breaks off, tells how. */
export const readLarge: Application = async (url, init) => {
  const response = await fetchOrError(url, init);
  if (!(response instanceof Response)) return { error: response };
  const view = headOf(response);
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    for await (const chunk of response.body ?? []) {
      bytes += chunk.length;
      hash.update(chunk);
    }
    view.whole = { bytes, sha256: hash.digest('hex') };
  } catch (error) {
    view.error = { where: 'body', thrown: errorView(error) };
  }
  return view;
};

/** Reads this many bytes of an answer that never ends, then aborts. */
export function abortAfterBytes(limit: number): Application {
  return async (url, init) => {
    const controller = new AbortController();
    const response = await fetchOrError(url, { ...init, signal: controller.signal });
    if (!(response instanceof Response)) return { error: response };
    const view = headOf(response);
    let bytes = 0;
    try {
      for await (const chunk of response.body ?? []) {
        bytes += chunk.length;
        if (bytes >= limit) controller.abort();
      }
    } catch (error) {
      view.error = { where: 'body', thrown: errorView(error) };
    }
    return view;
  };
}

/** Aborts when the request is at the server and nothing has come back. */
export function abortBeforeHeaders(reason?: () => unknown): Application {
  return async (url, init, exchange) => {
    const controller = new AbortController();
    const pending = fetchOrError(url, { ...init, signal: controller.signal });
    await exchange.arrived;
    if (reason === undefined) controller.abort();
    else controller.abort(reason());
    const response = await pending;
    if (response instanceof Response) throw new Error('the server answered, the row is wrong');
    return { error: response };
  };
}

/** Aborts after the first chunk. */
export function abortInBody(reason?: () => unknown): Application {
  return async (url, init, exchange) => {
    const controller = new AbortController();
    const response = await fetchOrError(url, { ...init, signal: controller.signal });
    if (!(response instanceof Response)) return { error: response };
    return readBody(response, exchange, () => {
      if (reason === undefined) controller.abort();
      else controller.abort(reason());
    });
  };
}

/** Gives up after some time, as `AbortSignal.timeout` does. */
export function abortAfter(milliseconds: number): Application {
  return (url, init, exchange) =>
    readToTheEnd(url, { ...init, signal: AbortSignal.timeout(milliseconds) }, exchange);
}

/** Was aborted before it began. */
export const alreadyAborted: Application = (url, init, exchange) =>
  readToTheEnd(url, { ...init, signal: AbortSignal.abort() }, exchange);

/** Cancels its reader after the first chunk. */
export const cancelReader: Application = async (url, init) => {
  const response = await fetchOrError(url, init);
  if (!(response instanceof Response)) return { error: response };
  const view = headOf(response);
  const reader = readerOf(response);
  const first = await reader.read();
  view.chunks = first.value === undefined ? [] : [base64(first.value)];
  view.cancelled = await outcomeOf(reader.cancel('enough'));
  return view;
};

/** Cancels the body without reading any of it. */
export const cancelBody: Application = async (url, init) => {
  const response = await fetchOrError(url, init);
  if (!(response instanceof Response)) return { error: response };
  const view = headOf(response);
  view.cancelled = await outcomeOf(response.body?.cancel() ?? Promise.resolve());
  return view;
};

async function readBody(response: Response, exchange: Exchange, afterFirst?: () => void): Promise<View> {
  const view = headOf(response);
  const chunks: string[] = [];
  view.chunks = chunks;
  if (response.body === null) return view;
  const reader = readerOf(response);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return view;
      chunks.push(base64(value));
      exchange.read[chunks.length - 1]?.give();
      if (chunks.length === 1) afterFirst?.();
    }
  } catch (error) {
    view.error = { where: 'body', thrown: errorView(error) };
    return view;
  }
}

function readerOf(response: Response): ReadableStreamDefaultReader<Uint8Array> {
  if (response.body === null) throw new Error('the answer has no body, the row is wrong');
  return response.body.getReader();
}

async function fetchOrError(url: string, init: RequestInit): Promise<Response | ErrorView> {
  try {
    return await fetch(url, init);
  } catch (error) {
    return { where: 'fetch', thrown: errorView(error) };
  }
}

async function outcomeOf(promise: Promise<unknown>): Promise<'ok' | ErrorView> {
  try {
    await promise;
    return 'ok';
  } catch (error) {
    return { where: 'cancel', thrown: errorView(error) };
  }
}

function headOf(response: Response): View {
  return {
    status: response.status,
    statusText: response.statusText,
    headers: [...response.headers].filter(([name]) => name !== 'date'),
    url: response.url,
    redirected: response.redirected,
    type: response.type,
  };
}

/** What an application can tell an error by; its causes too, which is where undici says what happened. */
export function errorView(error: unknown): unknown {
  if (typeof error !== 'object' || error === null) return error;
  const { constructor: errorClass, name, message, code, cause } = error as Error & { code?: unknown };
  return { class: errorClass.name, name, message, code, cause: errorView(cause) };
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}

/**
 * An exchange that has not begun, with room for this many chunks that the server waits for.
 *
 * @param arrived - asked only by applications that wait for it: some requests never arrive
 */
export function newExchange(arrived: () => Promise<RecordedRequest>, chunks: number): Exchange {
  return {
    get arrived() {
      return arrived();
    },
    read: Array.from({ length: chunks }, () => signal()),
  };
}
