/** A call that hasn't ended, as far as others may end it. */
export interface OpenCall {
  readonly endpoint: string;
  readonly sessionId: string | undefined;
  readonly id: string | number | null | undefined;
  /** Ends it as `UNCLASSIFIED`, `evicted`. */
  evict(): void;
  /** The client gave it up by a notice of its own. */
  cancel(timedOut: boolean): void;
}

export interface OpenCalls {
  /** Beyond the limit, the oldest call is evicted. */
  add(call: OpenCall): void;
  delete(call: OpenCall): void;
  /** The one open call that a cancel notice means; `undefined` where none or several could be meant. */
  find(endpoint: string, sessionId: string | undefined, id: string | number): OpenCall | undefined;
  /** Ends all. */
  evictAll(): void;
}

/** All open calls of the process, oldest first, at most `limit`. */
export function openCalls(limit: number): OpenCalls {
  const calls = new Set<OpenCall>();

  function evict(call: OpenCall): void {
    calls.delete(call);
    call.evict();
  }

  return {
    add(call) {
      calls.add(call);
      if (calls.size <= limit) return;
      for (const oldest of calls) {
        evict(oldest);
        break;
      }
    },
    delete(call) {
      calls.delete(call);
    },
    find(endpoint, sessionId, id) {
      let found: OpenCall | undefined;
      for (const call of calls) {
        if (call.id !== id || call.endpoint !== endpoint || call.sessionId !== sessionId) continue;
        // Two clients at one URL count their ids from the same number: nobody can say whose call is given up.
        if (found !== undefined) return undefined;
        found = call;
      }
      return found;
    },
    evictAll() {
      for (const call of [...calls]) evict(call);
    },
  };
}
