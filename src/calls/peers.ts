import type { Verdict } from '../protocol/index.js';
import type { Call } from './call.js';

/** What `initialize` or `server/discover` told, for the calls that come after it. */
interface Peers {
  clientName: string | undefined;
  clientVersion: string | undefined;
  serverName: string | undefined;
  serverVersion: string | undefined;
  protocolVersion: string | undefined;
}

const NOBODY: Peers = {
  clientName: undefined,
  clientVersion: undefined,
  serverName: undefined,
  serverVersion: undefined,
  protocolVersion: undefined,
};

export interface PeerNames {
  /** The session has ended. */
  forget(endpoint: string, sessionId: string): void;
  /** Fills in what is known of the call's session and the call doesn't say itself. */
  recall(endpoint: string, call: Call): void;
  /**
   * Takes over what the verdict tells of the server, and keeps what an `initialize` has agreed on or a
   * `server/discover` has found: a JSON-RPC error names no server.
   *
   * @param newSessionId - the session that the response begins, if any
   */
  learn(endpoint: string, call: Call, verdict: Verdict, newSessionId: string | undefined): void;
}

/**
 * Client, server and revision by endpoint and session, at most `limit` of them. Without a session id, two clients at
 * one URL can't be told apart: what they differ in is then unknown.
 */
export function peerNames(limit: number): PeerNames {
  const known = new Map<string, Peers>();
  const keyOf = (endpoint: string, sessionId: string | undefined) => `${endpoint}\n${sessionId ?? ''}`;

  // Whoever discovers names client and revision in each request: only the server's name is news. It has a key of its
  // own, for what an `initialize` without a session has agreed on stays as it is.
  const keyOfDiscovered = (endpoint: string) => endpoint;

  function keep(key: string, peers: Peers): void {
    known.delete(key);
    known.set(key, peers);
    for (const oldest of known.keys()) {
      if (known.size <= limit) break;
      known.delete(oldest);
    }
  }

  function find(endpoint: string, sessionId: string | undefined): Peers | undefined {
    const agreed = known.get(keyOf(endpoint, sessionId));
    return agreed ?? (sessionId === undefined ? known.get(keyOfDiscovered(endpoint)) : undefined);
  }

  return {
    forget(endpoint, sessionId) {
      known.delete(keyOf(endpoint, sessionId));
    },
    recall(endpoint, call) {
      const peers = find(endpoint, call.sessionId);
      if (peers === undefined) return;
      if (call.clientName === undefined) {
        call.clientName = peers.clientName;
        call.clientVersion = peers.clientVersion;
      }
      if (call.serverName === undefined) {
        call.serverName = peers.serverName;
        call.serverVersion = peers.serverVersion;
      }
      call.protocolVersion ??= peers.protocolVersion;
    },
    learn(endpoint, call, verdict, newSessionId) {
      if (verdict.server !== undefined) {
        call.serverName = verdict.server.name;
        call.serverVersion = verdict.server.version;
      }
      if (verdict.protocolVersion !== undefined) call.protocolVersion = verdict.protocolVersion;
      if (verdict.outcome !== 'SUCCESS') return;
      if (call.message.method === 'server/discover') {
        const { serverName, serverVersion } = call;
        keep(keyOfDiscovered(endpoint), { ...NOBODY, serverName, serverVersion });
      }
      if (call.message.method !== 'initialize') return;
      call.sessionId = newSessionId ?? call.sessionId;
      const key = keyOf(endpoint, newSessionId);
      const peers: Peers = {
        clientName: call.clientName,
        clientVersion: call.clientVersion,
        serverName: call.serverName,
        serverVersion: call.serverVersion,
        protocolVersion: call.protocolVersion,
      };
      const earlier = newSessionId === undefined ? known.get(key) : undefined;
      if (earlier !== undefined && earlier.clientName !== peers.clientName) {
        peers.clientName = peers.clientVersion = undefined;
      }
      if (earlier !== undefined && earlier.protocolVersion !== peers.protocolVersion) {
        peers.protocolVersion = undefined;
      }
      keep(key, peers);
    },
  };
}
