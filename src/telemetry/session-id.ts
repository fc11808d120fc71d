import { createHash } from 'node:crypto';

/** How a session id may leave: it is a credential on many servers. */
export type SessionIdPolicy = 'hash' | 'raw' | 'off';

const HASH_CHARACTERS = 16;
const MAX_REMEMBERED = 100;

/** Hashing costs more than the rest of a span, and a session has many calls: the last ones are remembered. */
export function sessionIdTeller(policy: SessionIdPolicy): (sessionId: string) => string | undefined {
  if (policy === 'off') return () => undefined;
  if (policy === 'raw') return (sessionId) => sessionId;
  const hashes = new Map<string, string>();
  return (sessionId) => {
    const known = hashes.get(sessionId);
    if (known !== undefined) return known;
    const hash = createHash('sha256').update(sessionId).digest('hex').slice(0, HASH_CHARACTERS);
    if (hashes.size >= MAX_REMEMBERED) hashes.clear();
    hashes.set(sessionId, hash);
    return hash;
  };
}
