import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { errorView } from '../support/application-view.js';
import { MCP_HEADERS } from '../support/json-rpc.js';
import { type ScriptedServer, scriptedServer } from '../support/scripted-server.js';
import { type Signal, signal } from '../support/signal.js';
import type { Caller } from './callers.js';
import type { Kind } from './kinds.js';

export interface MixedCall {
  readonly id: number;
  readonly kind: Kind;
}

/** What the application got of one call. */
export interface Got {
  readonly kind: string;
  readonly end: Kind['end'];
  readonly status?: number;
  readonly bytes?: number;
  readonly sha256?: string;
  readonly error?: unknown;
}

export interface MixedOptions {
  /** Each needs a socket of its own; with few of them, sockets are used again and again. @default 16 */
  readonly atOnce?: number;
  /** Milliseconds before a call is answered. @default none */
  readonly delayOf?: (id: number) => number;
}

/** `each` calls of every kind, in the mixed order that belongs to the seed. */
export function mix(kinds: readonly Kind[], each: number, seed: number): MixedCall[] {
  const calls = Array.from({ length: each }, () => kinds)
    .flat()
    .map((kind, index) => ({ id: index + 1, kind }));
  const orders = fc.shuffledSubarray(calls, { minLength: calls.length });
  return fc.sample(orders, { seed, numRuns: 1 }).flat();
}

export interface MixedServer {
  readonly server: ScriptedServer;
  /** Makes all the calls, some at once, and tells what came of each, by id. */
  run(caller: Caller, calls: readonly MixedCall[]): Promise<Map<number, Got>>;
}

interface OnTheWay {
  readonly kind: Kind;
  readonly arrived: Signal;
  readonly firstChunkRead: Signal;
}

export async function mixedServer({ atOnce = 16, delayOf }: MixedOptions = {}): Promise<MixedServer> {
  const onTheWay = new Map<number, OnTheWay>();
  const server = await scriptedServer(async ({ body, path }) => {
    const id = idIn(body);
    const call = onTheWay.get(id);
    if (call === undefined) throw new Error(`nobody made the call ${id}`);
    if (delayOf !== undefined) await new Promise((resolve) => setTimeout(resolve, delayOf(id)));
    call.arrived.give();
    return call.kind.answer({ id, moved: path === '/moved', firstChunkRead: call.firstChunkRead.seen });
  });

  async function makeOne(caller: Caller, { id, kind }: MixedCall): Promise<Got> {
    const call: OnTheWay = { kind, arrived: signal(), firstChunkRead: signal() };
    onTheWay.set(id, call);
    const controller = new AbortController();
    if (kind.act === 'abort on arrival') void call.arrived.seen.then(() => controller.abort());
    const got: { -readonly [Key in keyof Got]: Got[Key] } = { kind: kind.kind, end: 'body' };
    const hash = createHash('sha256');
    let bytes = 0;
    try {
      const sent = { headers: MCP_HEADERS, body: kind.body(id), signal: controller.signal };
      const response = await caller.send(server.url, sent);
      got.status = response.status;
      for (;;) {
        const chunk = await response.read();
        if (chunk === undefined) break;
        bytes += chunk.length;
        hash.update(chunk);
        call.firstChunkRead.give();
        if (kind.act !== 'cancel after the first chunk') continue;
        await response.cancel();
        got.end = 'cancelled';
        break;
      }
    } catch (error) {
      got.end = 'error';
      got.error = errorView(error);
    }
    return { ...got, bytes, sha256: hash.digest('hex') };
  }

  return {
    server,
    async run(caller, calls) {
      const all = new Map<number, Got>();
      const waiting = [...calls];
      const work = async () => {
        for (let call = waiting.shift(); call !== undefined; call = waiting.shift()) {
          all.set(call.id, await makeOne(caller, call));
        }
      };
      await Promise.all(Array.from({ length: atOnce }, work));
      return new Map([...all].sort(([one], [other]) => one - other));
    },
  };
}

function idIn(body: string): number {
  const { id, params } = JSON.parse(body) as { id?: number; params: { progressToken?: number } };
  return id ?? params.progressToken ?? Number.NaN;
}
