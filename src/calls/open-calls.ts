import type { RequestId } from '../protocol/index.js';

/** A call that hasn't ended, as far as others may end it. */
export interface OpenCall {
  /** What names the server: see `endpoint-names.ts`. */
  readonly endpoint: string;
  readonly sessionId: string | undefined;
  /** Absent for a notification. */
  readonly id: RequestId | undefined;
  /** Its exchange has ended, and its answer may still come on another stream. */
  readonly waiting: boolean;
  /** Ends it as `UNCLASSIFIED`, `evicted`. */
  evict(): void;
  /** Ends it with what is known. */
  close(): void;
  /** The client gave it up. */
  cancel(timedOut: boolean): void;
  /** No answer can come any more. */
  abandon(end: 'closed' | 'cut'): void;
  /** A response with its id came on a stream that isn't its own. */
  answer(message: unknown): void;
  /** A response came that may be its own or that of another call with the same id. */
  answerUnclear(): void;
}

export interface OpenCalls {
  readonly size: number;
  /** Beyond the limit, the oldest call is evicted. */
  add(call: OpenCall): void;
  delete(call: OpenCall): void;
  /**
   * The calls that a message of this server and session may mean by its id. Several where there are no sessions: two
   * clients at one URL count their ids from the same number.
   */
  find(endpoint: string, sessionId: string | undefined, id: RequestId): OpenCall[];
  /** Those that wait for an answer on another stream. */
  waitingAt(endpoint: string, sessionId: string | undefined): OpenCall[];
  /** Ends all. */
  closeAll(): void;
}

/** All open calls of the process, oldest first, at most `limit`. */
export function openCalls(limit: number): OpenCalls {
  const calls = new Set<OpenCall>();
  const byId = new Map<RequestId, Set<OpenCall>>();

  function add(call: OpenCall): void {
    calls.add(call);
    if (call.id === undefined) return;
    const same = byId.get(call.id);
    if (same === undefined) byId.set(call.id, new Set([call]));
    else same.add(call);
  }

  function remove(call: OpenCall): void {
    calls.delete(call);
    if (call.id === undefined) return;
    const same = byId.get(call.id);
    same?.delete(call);
    if (same?.size === 0) byId.delete(call.id);
  }

  const isAt = (call: OpenCall, endpoint: string, sessionId: string | undefined) =>
    call.endpoint === endpoint && call.sessionId === sessionId;

  return {
    get size() {
      return calls.size;
    },
    add(call) {
      add(call);
      if (calls.size <= limit) return;
      for (const oldest of calls) {
        remove(oldest);
        oldest.evict();
        break;
      }
    },
    delete: remove,
    find: (endpoint, sessionId, id) =>
      [...(byId.get(id) ?? [])].filter((call) => isAt(call, endpoint, sessionId)),
    waitingAt: (endpoint, sessionId) =>
      [...calls].filter((call) => call.waiting && isAt(call, endpoint, sessionId)),
    closeAll() {
      for (const call of [...calls]) {
        remove(call);
        call.close();
      }
    },
  };
}
