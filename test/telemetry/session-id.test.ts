import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { sessionIdTeller } from '../../src/telemetry/session-id.js';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

describe('a session id', () => {
  it.each([
    ['hash', 'session-1', sha256('session-1').slice(0, 16)],
    ['hash', '', sha256('').slice(0, 16)],
    ['hash', 'ü', sha256('ü').slice(0, 16)],
    ['raw', 'session-1', 'session-1'],
    ['raw', '', ''],
    ['off', 'session-1', undefined],
  ] as const)('as %s: %s is told as %s', (policy, id, told) => {
    expect(sessionIdTeller(policy)(id)).toBe(told);
  });

  it('is hashed to the same each time, in every process and instance', () => {
    const tell = sessionIdTeller('hash');
    expect([tell('a'), tell('a'), sessionIdTeller('hash')('a')]).toEqual(
      Array(3).fill(sha256('a').slice(0, 16)),
    );
  });

  it('is hashed rightly however many there are', () => {
    const tell = sessionIdTeller('hash');
    const ids = Array.from({ length: 1_000 }, (_, i) => `session-${i % 250}`);
    expect(ids.map(tell)).toEqual(ids.map((id) => sha256(id).slice(0, 16)));
  });
});
