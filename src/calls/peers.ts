import type { Call } from './call.js';

/** What `initialize` told, for the calls that come after it. */
interface Peers {
  clientName: string | undefined;
  clientVersion: string | undefined;
  serverName: string | undefined;
  serverVersion: string | undefined;
  protocolVersion: string | undefined;
}

export interface PeerNames {
  /** Fills in what is known of the call's session and the call doesn't say itself. */
  recall(endpoint: string, call: Call): void;
  /** Keeps what an `initialize` has agreed on. */
  learn(endpoint: string, sessionId: string | undefined, call: Call): void;
}

/**
 * Client, server and revision by endpoint and session, at most `limit` of them. Without a session id, two clients at
 * one URL can't be told apart: what they differ in is then unknown.
 */
export function peerNames(limit: number): PeerNames {
  const known = new Map<string, Peers>();
  const keyOf = (endpoint: string, sessionId: string | undefined) => `${endpoint}\n${sessionId ?? ''}`;

  return {
    recall(endpoint, call) {
      const peers = known.get(keyOf(endpoint, call.sessionId));
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
    learn(endpoint, sessionId, call) {
      const key = keyOf(endpoint, sessionId);
      const peers: Peers = {
        clientName: call.clientName,
        clientVersion: call.clientVersion,
        serverName: call.serverName,
        serverVersion: call.serverVersion,
        protocolVersion: call.protocolVersion,
      };
      const earlier = sessionId === undefined ? known.get(key) : undefined;
      if (earlier !== undefined && earlier.clientName !== peers.clientName) {
        peers.clientName = peers.clientVersion = undefined;
      }
      if (earlier !== undefined && earlier.protocolVersion !== peers.protocolVersion) {
        peers.protocolVersion = undefined;
      }
      known.delete(key);
      known.set(key, peers);
      for (const oldest of known.keys()) {
        if (known.size <= limit) break;
        known.delete(oldest);
      }
    },
  };
}
