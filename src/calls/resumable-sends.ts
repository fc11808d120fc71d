import type { SentCalls } from './sent-calls.js';

/** Sends whose stream ended before the answer, by the event id with which a GET may resume it. */
export interface ResumableSends {
  add(send: SentCalls, lastEventId: string): void;
  delete(send: SentCalls): void;
  /** The one send that is meant; `undefined` where none, or where several could be. */
  find(endpoint: string, sessionId: string | undefined, lastEventId: string): SentCalls | undefined;
}

/** Holds no more than the open calls: a send leaves when the last of its calls has ended. */
export function resumableSends(): ResumableSends {
  const sends = new Map<string, Set<SentCalls>>();
  const keys = new Map<SentCalls, string>();
  const keyOf = (endpoint: string, sessionId: string | undefined, lastEventId: string) =>
    `${endpoint}\n${sessionId ?? ''}\n${lastEventId}`;

  function remove(send: SentCalls): void {
    const key = keys.get(send);
    if (key === undefined) return;
    keys.delete(send);
    const same = sends.get(key);
    same?.delete(send);
    if (same?.size === 0) sends.delete(key);
  }

  return {
    add(send, lastEventId) {
      remove(send);
      const key = keyOf(send.endpoint, send.sessionId, lastEventId);
      keys.set(send, key);
      const same = sends.get(key);
      if (same === undefined) sends.set(key, new Set([send]));
      else same.add(send);
    },
    delete: remove,
    find(endpoint, sessionId, lastEventId) {
      const found = [...(sends.get(keyOf(endpoint, sessionId, lastEventId)) ?? [])];
      return found.length === 1 ? found[0] : undefined;
    },
  };
}
