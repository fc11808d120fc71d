import { describe, expect, it } from 'vitest';
import { clientOf } from '../../src/wire/client-identity.js';

describe("two fetches are the same client's", () => {
  it('when they have the same signal', () => {
    const { signal } = new AbortController();
    expect(clientOf(signal, {})).toBe(clientOf(signal, {}));
  });

  it('when each has a signal made of the same one first, whatever else went into it', () => {
    const { signal } = new AbortController();
    const [one, two] = [1, 2].map(() => AbortSignal.any([signal, new AbortController().signal]));
    expect(clientOf(one, {})).toBe(signal);
    expect(clientOf(one, {})).toBe(clientOf(two, {}));
  });

  it('when a wrapper has put a time limit of its own around such a signal', () => {
    const { signal } = new AbortController();
    const request = AbortSignal.any([signal, new AbortController().signal]);
    expect(clientOf(AbortSignal.any([request, AbortSignal.timeout(60_000)]), {})).toBe(signal);
  });

  it('when the very same options were passed', () => {
    const init = {};
    expect(clientOf(undefined, init)).toBe(clientOf(undefined, init));
  });
});

describe("nothing tells two fetches for the same client's", () => {
  it.each([
    ['signals', () => new AbortController().signal],
    ['time limits', () => AbortSignal.timeout(60_000)],
    ['combined signals', () => AbortSignal.any([new AbortController().signal])],
    ['empty combinations', () => AbortSignal.any([])],
    ['signals that were aborted', () => AbortSignal.any([AbortSignal.abort()])],
    ['no signals', () => undefined],
  ])('when they have %s of their own', (_, signal) => {
    expect(clientOf(signal(), {})).not.toBe(clientOf(signal(), {}));
  });

  it('when somebody hung something else where the sources are', () => {
    const signal = AbortSignal.any([new AbortController().signal]);
    const key = Object.getOwnPropertySymbols(signal).find(
      (symbol) => symbol.description === 'kSourceSignals',
    );
    for (const sources of [new Set([1]), new Set(), [], 1]) {
      Object.defineProperty(signal, key ?? 'none', { value: sources });
      expect(clientOf(signal, {})).toBe(signal);
    }
  });
});
