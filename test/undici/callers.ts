import type { Readable } from 'node:stream';

export interface Sent {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
}

/** A response, whichever API gave it. */
export interface Received {
  readonly status: number;
  read(): Promise<Uint8Array | undefined>;
  cancel(): Promise<void>;
}

/** One way to make a request. */
export interface Caller {
  send(url: string, sent: Sent): Promise<Received>;
  close(): Promise<void>;
}

/**
 * What becomes of a 307: `fetch` as Node has it is seen, so its hops are one call; a `fetch` that isn't seen makes a
 * call of each hop; `request` follows none.
 */
export type Redirects = 'one call' | 'a call per hop' | 'not followed';

export interface CallerRow {
  readonly rule: string;
  readonly redirects: Redirects;
  /** The Node that it needs, where not every supported one will do. */
  readonly minimumNode?: readonly [major: number, minor: number];
  open(): Promise<Caller>;
}

interface Response {
  readonly status: number;
  readonly body: { getReader(): ReadableStreamDefaultReader<Uint8Array> } | null;
}

/** As much of undici's API as every major version since 5 has. */
interface Undici {
  fetch(url: string, init: object): Promise<Response>;
  request(url: string, options: object): Promise<{ statusCode: number; body: Readable }>;
  Agent: new () => { close(): Promise<void>; destroy(): Promise<void> };
}

async function viaFetch(fetch: Undici['fetch'], url: string, init: object): Promise<Received> {
  const response = await fetch(url, { method: 'POST', ...init });
  const reader = response.body?.getReader();
  return {
    status: response.status,
    read: async () => (await reader?.read())?.value,
    cancel: async () => reader?.cancel(),
  };
}

async function viaRequest(request: Undici['request'], url: string, options: object): Promise<Received> {
  const { statusCode, body } = await request(url, { method: 'POST', ...options });
  const chunks = body[Symbol.asyncIterator]();
  return {
    status: statusCode,
    read: async () => (await chunks.next()).value,
    async cancel() {
      // Destroying a body that hasn't ended is an error to its listeners; without one, to the process.
      const closed = new Promise<void>((resolve) => body.once('close', resolve));
      body.on('error', () => {});
      body.destroy();
      await closed;
    },
  };
}

const globalFetch: CallerRow = {
  rule: "Node's own fetch",
  redirects: 'one call',
  open: async () => ({
    send: (url, sent) => viaFetch((...args) => fetch(...args) as Promise<Response>, url, { ...sent }),
    close: async () => {},
  }),
};

// The global dispatcher is shared by every copy of undici in the process: each must have one of its own version.
function rowsOf(version: string, load: () => Promise<unknown>, minimumNode?: CallerRow['minimumNode']) {
  const rowOf = (api: 'fetch' | 'request', redirects: Redirects): CallerRow => ({
    rule: `undici ${version}: ${api}`,
    redirects,
    ...(minimumNode !== undefined && { minimumNode }),
    async open() {
      const undici = (await load()) as Undici;
      const dispatcher = new undici.Agent();
      return {
        send: (url, sent) =>
          api === 'fetch'
            ? viaFetch(undici.fetch, url, { ...sent, dispatcher })
            : viaRequest(undici.request, url, { ...sent, dispatcher }),
        close: () => dispatcher.destroy(),
      };
    },
  });
  return [rowOf('fetch', 'a call per hop'), rowOf('request', 'not followed')];
}

export const CALLERS: readonly CallerRow[] = [
  globalFetch,
  ...rowsOf('5', () => import('undici5')),
  ...rowsOf('6', () => import('undici6')),
  ...rowsOf('7', () => import('undici7')),
  ...rowsOf('8', () => import('undici8'), [22, 19]),
];

/** Why a row can't run on this Node; `undefined` where it can. */
export function obstacleTo({ minimumNode }: CallerRow): string | undefined {
  if (minimumNode === undefined) return undefined;
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [neededMajor, neededMinor] = minimumNode;
  if (major > neededMajor || (major === neededMajor && minor >= neededMinor)) return undefined;
  return `not on Node ${process.versions.node}: needs ${neededMajor}.${neededMinor}`;
}
