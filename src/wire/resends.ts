import type { Send } from './send.js';
import { type UndiciRequest, urlOf } from './undici-request.js';

/** By what a request is known for the one before it, sent once more by undici itself. */
export interface ResendKey {
  readonly url: URL;
  /** Absent for `fetch`, which hands undici a generator. */
  readonly body: Uint8Array | undefined;
}

export type Retrier = 'present' | 'possible';

/** Sends whose exchange has failed, and which undici may send again without anybody above it knowing. */
export interface Resends {
  /** @returns `false` when too many are held: it ends as it is */
  hold(send: Send, key: ResendKey, limitMillis: number | undefined): boolean;
  release(send: Send): void;
  /** It isn't followed: it ends as it is. */
  giveUp(send: Send): void;
  find(request: UndiciRequest): Send | undefined;
  /** Nobody looks any more: each ends as it is. */
  stop(): void;
}

interface Held {
  readonly href: string;
  readonly body: Uint8Array | undefined;
  readonly timer: NodeJS.Timeout | undefined;
}

// In a storm of failures, what is lost beyond it is that attempts belong together.
const MAX_HELD = 1_000;

/** @param report - takes what went wrong inside; must not throw */
export function resends(report: (error: unknown) => void): Resends {
  const held = new Map<Send, Held>();

  function giveUp(send: Send): void {
    try {
      send.notSentAgain();
    } catch (error) {
      report(error);
    }
  }

  function release(send: Send): void {
    clearTimeout(held.get(send)?.timer);
    held.delete(send);
  }

  return {
    hold(send, key, limitMillis) {
      if (held.size >= MAX_HELD) return false;
      const { url, body } = key;
      const timer = limitMillis === undefined ? undefined : setTimeout(giveUp, limitMillis, send).unref();
      held.set(send, { href: url.origin + url.pathname + url.search, body, timer });
      return true;
    },
    release,
    giveUp,
    find(request) {
      if (held.size === 0) return undefined;
      const href = urlOf(request)?.href;
      const body = request.body instanceof Uint8Array ? request.body : undefined;
      for (const [send, earlier] of held) {
        if (earlier.href === href && equalBytes(earlier.body, body)) return send;
      }
      return undefined;
    },
    stop() {
      for (const send of [...held.keys()]) giveUp(send);
    },
  };
}

function equalBytes(one: Uint8Array | undefined, other: Uint8Array | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return Buffer.compare(one, other) === 0;
}

/**
 * Whether undici itself may send this request again (RetryAgent, `interceptors.retry`). It says so nowhere; but the
 * handler that does it is what the request reports to. undici 7 hides it in an `UnwrapHandler`, as it does others: there
 * only the announcement counts, which a failure of the network doesn't have.
 */
export function retrierOf(request: object): Retrier | undefined {
  const symbol = Object.getOwnPropertySymbols(request).find(({ description }) => description === 'handler');
  if (symbol === undefined) return undefined;
  const handler: unknown = (request as Record<symbol, unknown>)[symbol];
  const name = (handler as { constructor?: { name?: unknown } } | null | undefined)?.constructor?.name;
  if (name === 'RetryHandler') return 'present';
  return name === 'UnwrapHandler' ? 'possible' : undefined;
}
