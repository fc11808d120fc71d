import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTracing, type Tracing } from '../support/tracing.js';
import { CALLERS, type Caller, obstacleTo } from './callers.js';
import { KINDS, MAX_BODY_BYTES } from './kinds.js';
import { type Got, type MixedServer, mix, mixedServer } from './mixed-calls.js';
import { bySpanKey, expectedSpans } from './mixed-spans.js';

const EACH = 10;

for (const row of CALLERS) {
  const obstacle = obstacleTo(row);
  const title = obstacle === undefined ? row.rule : `${row.rule} (${obstacle})`;

  describe.skipIf(obstacle !== undefined)(`210 mixed calls at once through ${title}`, () => {
    const calls = mix(KINDS, EACH, 20260728);
    let mixed: MixedServer;
    let caller: Caller;
    let without: Map<number, Got>;
    let withUs: Map<number, Got>;
    let spans: ReadableSpan[];
    let tracing: Tracing;

    beforeAll(async () => {
      mixed = await mixedServer();
      caller = await row.open();
      without = await mixed.run(caller, calls);
      mixed.server.forget();
      tracing = startTracing({ config: { maxBodyBytes: MAX_BODY_BYTES } });
      withUs = await mixed.run(caller, calls);
      spans = await tracing.waitForSpans(expectedSpans(calls, row.redirects).size);
    });
    afterAll(async () => {
      await tracing?.stop();
      await caller?.close();
      await mixed?.server.close();
    });

    it('are 210, and share sockets', () => {
      const sockets = new Set(mixed.server.requests.map(({ clientPort }) => clientPort));
      expect(calls.length).toBe(210);
      expect(mixed.server.requests.length).toBeGreaterThanOrEqual(210);
      expect(sockets.size).toBeLessThan(140);
    });

    it('end for the application as their kind says', () => {
      const ends = calls.map(({ id, kind }) => `${id} ${kind.kind}: ${kind.end}`);
      expect(calls.map(({ id }) => `${id} ${withUs.get(id)?.kind}: ${withUs.get(id)?.end}`)).toEqual(ends);
    });

    it('give the application the same status, bytes and errors as without the instrumentation', () => {
      expect(withUs).toEqual(without);
    });

    it('have one span each, with the outcome of that call', () => {
      expect(bySpanKey(spans)).toEqual(expectedSpans(calls, row.redirects).byCall);
    });

    it('have the error type that the application got from undici', () => {
      const cut = spans.filter((span) => span.attributes['gen_ai.tool.name'] === 'cut');
      const told = cut.map((span) => span.attributes['error.type']);
      const got = cut.map((span) => codeIn(withUs.get(Number(span.attributes['jsonrpc.request.id']))?.error));
      expect(told).toEqual(got);
    });
  });
}

/** Of the error itself, or of what caused it. */
function codeIn(error: unknown): unknown {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown };
  return code ?? (cause === undefined ? undefined : codeIn(cause));
}
