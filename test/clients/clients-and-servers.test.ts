import { SpanStatusCode } from '@opentelemetry/api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { titled } from '../protocol/titled.js';
import { startTracing, type Tracing } from '../support/tracing.js';
import { CLIENTS, type Era } from './clients.js';
import { accepted, rowOf, type SpanRow, success } from './expected-spans.js';
import { type RunningServer, startServer } from './server-process.js';
import { type CallRow, SERVERS } from './servers.js';
import type { Session } from './sessions.js';

const REVISIONS: Readonly<Record<Era, string>> = { legacy: '2025-11-25', modern: '2026-07-28' };

describe.each(titled(SERVERS))('%s', (_, row) => {
  let server: RunningServer;

  beforeAll(async () => {
    server = await startServer(row.program);
  });
  afterAll(() => server?.stop());

  const pairs = CLIENTS.flatMap((client) => {
    const era = client.eraWith(row.eras);
    return era === undefined
      ? []
      : [{ ...client, client: client.rule, era, rule: `${client.rule} (${era})` }];
  });

  describe.each(titled(pairs))('called by %s', (_, { client, version, probes, era, connect }) => {
    let tracing: Tracing;
    let session: Session;
    let toldSoFar = 0;

    /** The spans that have come since this was last asked for, when exactly so many have. */
    async function nextSpans(count: number) {
      const spans = await tracing.waitForSpans(toldSoFar + count);
      toldSoFar += count;
      return spans.slice(-count);
    }

    beforeAll(() => {
      tracing = startTracing({
        undici: 'second',
        // The GET stream's span ends when it likes.
        undiciConfig: { ignoreRequestHook: ({ method }) => method !== 'POST' },
      });
    });
    afterAll(async () => {
      await session?.close();
      await tracing.stop();
    });

    it('connects without an error', async () => {
      session = await connect(server.url);
      const expected = handshake(era, probes ? row.probe : undefined);
      const spans = await nextSpans(expected.length);
      expect(spans.map(rowOf)).toEqual(expected);
    });

    const calls = row.calls.flatMap((call) => {
      const expected = spansOf(call, era);
      return expected === undefined ? [] : [{ ...call, expected }];
    });

    it.each(titled(calls))('%s', async (_, { act, expected, events }) => {
      const settled = await settle(act(session));
      const spans = await nextSpans(expected.length);

      expect(spans.map(rowOf)).toEqual(expected);
      if (settled === 'a result') {
        expect(spans.map(({ status }) => status.code)).not.toContain(SpanStatusCode.ERROR);
      }
      expect(settled).toBe(settlementOf(expected));
      for (const span of spans) {
        expect(span.attributes).toMatchObject({
          'mcp.client.name': client,
          'mcp.client.version': version,
          'mcp.server.name': row.name,
          'mcp.server.version': row.version,
          'mcp.protocol.version': REVISIONS[era],
          'server.port': Number(server.url.port),
          'mcp.http.post_count': 1,
        });
      }
      if (events !== undefined) expect(spans.at(-1)?.attributes['mcp.stream.events']).toBe(events);
    });

    it('makes no further span when it is closed, and each span has one HTTP span as its child', async () => {
      await session.close();
      const spans = await tracing.waitForSpans(toldSoFar);
      await tracing.waitForHttpSpans(toldSoFar);
      const parents = tracing.httpSpans().map((span) => span.parentSpanContext?.spanId);
      const children = spans.map((span) => parents.filter((id) => id === span.spanContext().spanId).length);
      expect(children).toEqual(spans.map(() => 1));
    });
  });
});

function handshake(era: Era, probe: SpanRow | undefined): SpanRow[] {
  if (era === 'modern') return [success('server/discover')];
  return [
    ...(probe === undefined ? [] : [probe]),
    success('initialize'),
    accepted('notifications/initialized'),
  ];
}

function spansOf({ spans }: CallRow, era: Era): readonly SpanRow[] | undefined {
  return 'legacy' in spans || 'modern' in spans ? spans[era] : (spans as readonly SpanRow[]);
}

type Settlement = 'a result' | 'a result with isError' | 'an error';

async function settle(promise: Promise<unknown>): Promise<Settlement> {
  try {
    const value = (await promise) as { isError?: boolean } | undefined;
    return value?.isError ? 'a result with isError' : 'a result';
  } catch {
    return 'an error';
  }
}

/** What the application gets when the call's last word is this. */
function settlementOf(spans: readonly SpanRow[]): Settlement {
  const { outcome } = spans.findLast(({ name }) => name !== 'notifications/cancelled') ?? {};
  if (outcome === 'TOOL_ERROR') return 'a result with isError';
  return outcome === 'TOOL_SUCCESS' || outcome === 'SUCCESS' || outcome === 'ACCEPTED'
    ? 'a result'
    : 'an error';
}
