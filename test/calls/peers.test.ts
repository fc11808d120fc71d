import { describe, expect, it } from 'vitest';
import type { Call } from '../../src/calls/call.js';
import { type PeerNames, peerNames } from '../../src/calls/peers.js';
import { verdictOf } from '../../src/protocol/index.js';
import { titled } from '../protocol/titled.js';

const ENDPOINT = 'http://localhost/mcp';

type Names = Partial<
  Pick<
    Call,
    'clientName' | 'clientVersion' | 'serverName' | 'serverVersion' | 'protocolVersion' | 'sessionId'
  >
>;

/** As much of a call as names need. */
function callOf(method: string, names: Names = {}): Call {
  return { message: { kind: 'request', id: 1, method, params: {} }, ...names } as Call;
}

interface Exchange {
  readonly method: string;
  readonly told?: Names;
  readonly outcome?: 'SUCCESS' | 'JSONRPC_ERROR';
  readonly newSession?: string;
}

function learn(peers: PeerNames, { method, told = {}, outcome = 'SUCCESS', newSession }: Exchange): void {
  const { serverName, serverVersion, protocolVersion, ...sent } = told;
  const verdict = verdictOf(outcome, {
    ...(serverName !== undefined && { server: { name: serverName, version: serverVersion ?? '' } }),
    ...(protocolVersion !== undefined && { protocolVersion }),
  });
  peers.learn(ENDPOINT, callOf(method, sent), verdict, newSession);
}

function recalled(peers: PeerNames, call: Call): Names {
  peers.recall(ENDPOINT, call);
  const { message, ...names } = call;
  return JSON.parse(JSON.stringify(names));
}

const ada = { clientName: 'ada', clientVersion: '1' };
const bob = { clientName: 'bob', clientVersion: '2' };
const library = { serverName: 'library', serverVersion: '3' };

interface Row {
  readonly rule: string;
  readonly exchanges: readonly Exchange[];
  readonly call?: Names;
  readonly expected: Names;
}

const rows: Row[] = [
  {
    rule: 'initialize names client, server and revision for the calls of its session',
    exchanges: [
      {
        method: 'initialize',
        told: { ...ada, ...library, protocolVersion: '2025-11-25' },
        newSession: 's',
      },
    ],
    call: { sessionId: 's' },
    expected: { sessionId: 's', ...ada, ...library, protocolVersion: '2025-11-25' },
  },
  {
    rule: 'another session learns nothing of it',
    exchanges: [{ method: 'initialize', told: { ...ada, ...library }, newSession: 's' }],
    call: { sessionId: 't' },
    expected: { sessionId: 't' },
  },
  {
    rule: 'two clients without a session: what they differ in is unknown',
    exchanges: [
      { method: 'initialize', told: { ...ada, ...library, protocolVersion: '2025-11-25' } },
      { method: 'initialize', told: { ...bob, ...library, protocolVersion: '2025-11-25' } },
    ],
    expected: { ...library, protocolVersion: '2025-11-25' },
  },
  {
    rule: 'server/discover names the server for calls whose answer does not, such as an error',
    exchanges: [{ method: 'server/discover', told: { ...ada, ...library } }],
    call: { ...ada, protocolVersion: '2026-07-28' },
    expected: { ...ada, ...library, protocolVersion: '2026-07-28' },
  },
  {
    rule: 'who discovers does not name the client of other calls to that URL',
    exchanges: [{ method: 'server/discover', told: { ...ada, ...library } }],
    expected: library,
  },
  {
    rule: 'server/discover leaves what an initialize at that URL agreed on before',
    exchanges: [
      { method: 'initialize', told: { ...bob, ...library, protocolVersion: '2025-11-25' } },
      { method: 'server/discover', told: { ...ada, ...library } },
    ],
    expected: { ...bob, ...library, protocolVersion: '2025-11-25' },
  },
  {
    rule: 'server/discover leaves what an initialize at that URL agrees on afterwards',
    exchanges: [
      { method: 'server/discover', told: { ...ada, ...library } },
      { method: 'initialize', told: { ...bob, ...library, protocolVersion: '2025-11-25' } },
    ],
    expected: { ...bob, ...library, protocolVersion: '2025-11-25' },
  },
  {
    rule: 'a refused server/discover tells nothing',
    exchanges: [{ method: 'server/discover', told: ada, outcome: 'JSONRPC_ERROR' }],
    expected: {},
  },
  {
    rule: 'a call that names its server itself is left as it is',
    exchanges: [{ method: 'server/discover', told: library }],
    call: { serverName: 'archive', serverVersion: '5' },
    expected: { serverName: 'archive', serverVersion: '5' },
  },
];

describe('who talks to whom', () => {
  it.each(titled(rows))('%s', (_, { exchanges, call, expected }) => {
    const peers = peerNames(10);
    for (const exchange of exchanges) learn(peers, exchange);
    expect(recalled(peers, callOf('tools/call', call))).toEqual(expected);
  });

  it('keeps no more than its limit, and forgets the oldest', () => {
    const peers = peerNames(2);
    for (const newSession of ['a', 'b', 'c']) learn(peers, { method: 'initialize', told: ada, newSession });
    const known = ['a', 'b', 'c'].filter(
      (sessionId) => 'clientName' in recalled(peers, callOf('ping', { sessionId })),
    );
    expect(known).toEqual(['b', 'c']);
  });
});
