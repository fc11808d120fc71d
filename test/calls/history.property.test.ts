import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Call } from '../../src/calls/call.js';
import { callHistory } from '../../src/calls/call-history.js';
import type { Caller, CallScope } from '../../src/calls/observer.js';
import type { Sending } from '../../src/calls/repeat.js';
import { type RetryOrigin, type Verdict, verdictOf } from '../../src/protocol/index.js';

/**
 * Histories of several clients at one URL, of which it is known who sent what again. What is told must never be a
 * wrong `sdk` or `application`; that nobody knows may be said at any time.
 */

const WINDOW = 60_000;
const URL_OF_ALL = new URL('https://mcp.test/mcp');

/** Who made a sending, in truth. */
type Truth = 'first' | 'sdk' | 'application' | 'rerun';

interface Client {
  readonly sessionId: string | undefined;
  readonly signal: object | undefined;
  nextId: number;
}

interface Made {
  readonly client: Client;
  readonly id: number;
  readonly args: number;
  readonly caller: Caller;
  readonly endedAt: number;
  readonly failed: boolean;
  /** So that somebody below the JSON-RPC layer sees it. */
  readonly failedBelow: boolean;
  /** Somebody who waited for it has sent it again: nobody waits for it any more. */
  followed: boolean;
}

const failures: readonly Verdict[] = [
  verdictOf('HTTP_ERROR', { status: 503 }),
  verdictOf('HTTP_ERROR', { status: 429 }),
  verdictOf('NETWORK_ERROR'),
  verdictOf('TIMEOUT'),
  verdictOf('STREAM_INCOMPLETE'),
  verdictOf('JSONRPC_ERROR', { code: -32603 }),
  verdictOf('TOOL_ERROR'),
];
const SUCCESS = verdictOf('TOOL_SUCCESS');

const step = fc.record({
  act: fc.constantFrom('call', 'call', 'same call', 'resend', 'retry', 'rerun'),
  client: fc.nat(),
  of: fc.nat(),
  args: fc.nat({ max: 2 }),
  trace: fc.nat({ max: 3 }),
  outcome: fc.nat(),
  wait: fc.constantFrom(0, 1, 200, 5_000, WINDOW + 1),
  overlap: fc.boolean(),
});

const clients = fc.array(fc.record({ session: fc.boolean(), signal: fc.boolean() }), {
  minLength: 1,
  maxLength: 3,
});

function callOf(args: number, id: number, startedAt: number): Call {
  return {
    message: {
      kind: 'request',
      id,
      method: 'tools/call',
      params: { name: 'search', arguments: { args }, _meta: { progressToken: id } },
    },
    target: { toolName: 'search' },
    url: URL_OF_ALL,
    startedAt,
    durationMs: undefined,
    statuses: [],
    postCount: 0,
    attempt: 1,
    retryOrigin: 'none',
    originSaid: false,
    verdict: undefined,
    negotiation: undefined,
    end: undefined,
  } as unknown as Call;
}

const scope = {
  reference: undefined,
  linked() {},
  retried() {},
  unsafelyRepeated() {},
} as unknown as CallScope;

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

interface Told {
  readonly truth: Truth;
  readonly told: RetryOrigin | undefined;
}

function playHistory(
  kinds: readonly { session: boolean; signal: boolean }[],
  steps: readonly Step[],
): Told[] {
  const history = callHistory(WINDOW);
  const all = kinds.map(
    (kind, i): Client => ({
      sessionId: kind.session ? `session ${i}` : undefined,
      signal: kind.signal ? {} : undefined,
      nextId: 0,
    }),
  );
  const made: Made[] = [];
  const told: Told[] = [];
  let spans = 0;
  let now = 1_000;

  function send(
    truth: Truth,
    client: Client,
    id: number,
    args: number,
    caller: Caller,
    { outcome, wait, overlap }: Step,
  ): void {
    now += wait + 1;
    const call = callOf(args, id, now);
    const sending: Sending = {
      call,
      endpoint: URL_OF_ALL.href,
      sessionId: client.sessionId,
      authorization: undefined,
      client: client.signal,
      caller,
    };
    history.sent(sending, scope, undefined, undefined);
    told.push({ truth, told: call.retryOrigin });
    const verdict = outcome % 3 === 0 ? SUCCESS : (failures[outcome % failures.length] ?? SUCCESS);
    call.verdict = verdict;
    call.durationMs = 10;
    history.ended(sending, scope, undefined, undefined);
    const failed = verdict !== SUCCESS;
    made.push({
      client,
      id,
      args,
      caller,
      endedAt: now + 10,
      failed,
      failedBelow: verdict.layer === 'transport',
      followed: false,
    });
    // The next one may begin while this one is still open.
    now += overlap ? 5 : 20;
  }

  for (const each of steps) {
    const client = all[each.client % all.length] as Client;
    // Whoever doesn't repeat it works for a caller of its own: two in one trace can't be told apart by anybody.
    const caller: Caller =
      each.trace === 0
        ? { trace: undefined, parent: undefined }
        : { trace: `trace ${spans}`, parent: `span ${spans++}` };
    const earlier = made.filter(({ failed, followed, endedAt }) => failed && !followed && endedAt <= now);
    const of = earlier.at(each.of % Math.max(1, earlier.length));
    if (of !== undefined && (each.act === 'resend' || each.act === 'retry')) of.followed = true;
    switch (each.act) {
      case 'call':
      case 'same call': {
        // A fresh trace: the same call of somebody else, or of the same client for another task.
        const args = each.act === 'same call' ? 0 : each.args + 1;
        send('first', client, client.nextId++, args, caller, each);
        break;
      }
      case 'resend':
        if (of?.failedBelow) send('sdk', of.client, of.id, of.args, of.caller, each);
        break;
      case 'retry':
        if (of !== undefined) {
          const { trace } = of.caller;
          const retrying = trace === undefined ? of.caller : { trace, parent: `span ${spans++}` };
          send('application', of.client, of.client.nextId++, of.args, retrying, each);
        }
        break;
      default:
        if (of !== undefined) send('rerun', client, client.nextId++, of.args, caller, each);
    }
  }
  return told;
}

describe('who sent a call again, in histories of several clients', () => {
  it('is never said wrongly', () => {
    const counts = { sdk: 0, sdkTold: 0, application: 0, applicationTold: 0, others: 0, othersNone: 0 };
    fc.assert(
      fc.property(clients, fc.array(step, { minLength: 2, maxLength: 30 }), (kinds, steps) => {
        for (const { truth, told } of playHistory(kinds, steps)) {
          if (told === 'sdk') expect(truth).toBe('sdk');
          if (told === 'application') expect(truth).toBe('application');
          expect(told).not.toBe('transport');
          expect(told).not.toBe('manual');
          if (truth === 'sdk') counts.sdk++;
          if (truth === 'application') counts.application++;
          if (truth === 'sdk' && told === 'sdk') counts.sdkTold++;
          if (truth === 'application' && told === 'application') counts.applicationTold++;
          if (truth === 'first' || truth === 'rerun') counts.others++;
          if (truth === 'first' && told === 'none') counts.othersNone++;
        }
      }),
      { numRuns: 1_000 },
    );
    // Saying nothing would be right, and useless.
    expect(counts.sdkTold).toBeGreaterThan(counts.sdk / 4);
    expect(counts.applicationTold).toBeGreaterThan(counts.application / 4);
  });
});
