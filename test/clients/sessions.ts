/** What a test does with a client of any SDK once it is connected. */
export interface Session {
  listTools(): Promise<unknown>;
  callTool(name: string, args: Record<string, unknown>, options?: CallOptions): Promise<unknown>;
  getPrompt(name: string, args: Record<string, string>): Promise<unknown>;
  readResource(uri: string): Promise<unknown>;
  ping(): Promise<unknown>;
  /** Sends a notification that needs no capability. */
  notify(): Promise<unknown>;
  close(): Promise<void>;
}

export interface CallOptions {
  readonly timeout?: number;
  readonly signal?: AbortSignal;
  readonly onprogress?: () => void;
}

/** One call of an application's. */
export type Act = (session: Session) => Promise<unknown>;

export const listTools: Act = (session) => session.listTools();
export const ping: Act = (session) => session.ping();
export const notify: Act = (session) => session.notify();

export function callTool(name: string, args: Record<string, unknown> = {}): Act {
  return (session) => session.callTool(name, args);
}

export function callToolWithProgress(name: string, args: Record<string, unknown> = {}): Act {
  return (session) => session.callTool(name, args, { onprogress: () => {} });
}

/** Gives the call up as soon as the server has shown that it is at work. */
export function abortTool(name: string, args: Record<string, unknown> = {}): Act {
  return (session) => {
    const controller = new AbortController();
    const onprogress = () => controller.abort();
    return session.callTool(name, args, { onprogress, signal: controller.signal });
  };
}

/** Lets the SDK's own request timeout pass. */
export function timeOutTool(name: string, args: Record<string, unknown> = {}): Act {
  return (session) => session.callTool(name, args, { timeout: 200 });
}

export function getPrompt(name: string, args: Record<string, string> = {}): Act {
  return (session) => session.getPrompt(name, args);
}

export function readResource(uri: string): Act {
  return (session) => session.readResource(uri);
}
