/** A call that waits for an answer on another stream. */
export interface WaitingCall {
  readonly endpoint: string;
  readonly sessionId: string | undefined;
  /** Nothing came in time. */
  expire(): void;
  /** Nothing can come any more: it ends with what is known. */
  close(): void;
}

export interface WaitingCalls {
  add(call: WaitingCall): void;
  delete(call: WaitingCall): void;
}

export interface WaitingOptions {
  /** How long a call waits while no stream is open on which its answer could come. */
  readonly pendingTimeoutMillis: number;
  readonly isStreamOpen: (endpoint: string, sessionId: string | undefined) => boolean;
  /** Takes what went wrong inside; must not throw. */
  readonly report: (error: unknown) => void;
}

/** Lets calls wait, within a limit of time that never keeps the process alive. */
export function waitingCalls(options: WaitingOptions): WaitingCalls {
  const timers = new Map<WaitingCall, NodeJS.Timeout>();

  function end(call: WaitingCall, how: 'expire' | 'close'): void {
    forget(call);
    try {
      call[how]();
    } catch (error) {
      options.report(error);
    }
  }

  function timeOut(call: WaitingCall): void {
    // A tool may work for longer than that: as long as its answer could still come, it isn't missing.
    if (options.isStreamOpen(call.endpoint, call.sessionId)) timers.get(call)?.refresh();
    else end(call, 'expire');
  }

  // Nothing is going on in the process any more, so nothing comes. First in line, so that whoever exports spans on
  // `beforeExit` has these too; there only while a call waits.
  function atEnd(): void {
    for (const call of [...timers.keys()]) end(call, 'close');
  }

  function forget(call: WaitingCall): void {
    clearTimeout(timers.get(call));
    if (timers.delete(call) && timers.size === 0) process.removeListener('beforeExit', atEnd);
  }

  return {
    add(call) {
      if (timers.size === 0) process.prependListener('beforeExit', atEnd);
      timers.set(call, setTimeout(timeOut, options.pendingTimeoutMillis, call).unref());
    },
    delete: forget,
  };
}
