import { SpanStatusCode } from '@opentelemetry/api';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { titled } from '../protocol/titled.js';
import { startTracing, type Tracing } from '../support/tracing.js';
import { SSE_CLIENTS } from './clients.js';
import { type RunningServer, startServer } from './server-process.js';
import { SSE_SERVERS } from './servers.js';
import * as act from './sessions.js';

// Over HTTP+SSE each POST is answered 202 and its response comes on the GET stream.

const succeeding: readonly [string, act.Act][] = [
  ['tools/list', act.listTools],
  ['tools/call echo', act.callTool('echo', { message: 'hello' })],
  ['prompts/get args-prompt', act.getPrompt('args-prompt', { city: 'Ulm' })],
  ['resources/read', act.readResource('demo://resource/static/document/features.md')],
  ['ping', act.ping],
  ['notifications/progress', act.notify],
];

describe.each(titled(SSE_SERVERS))('%s', (_, { program }) => {
  let server: RunningServer;
  let tracing: Tracing;

  beforeAll(async () => {
    server = await startServer(program);
  });
  afterEach(() => tracing?.stop());
  afterAll(() => server?.stop());

  it.each(titled(SSE_CLIENTS))(
    'called by %s: a span for each message, and no error where every call succeeds',
    async (_rule, { connect }) => {
      tracing = startTracing({ undici: 'first' });
      const session = await connect(server.url);
      for (const [, call] of succeeding) await call(session);
      await session.close();

      const names = ['initialize', 'notifications/initialized', ...succeeding.map(([name]) => name)];
      const spans = await tracing.waitForSpans(names.length);
      expect(spans.map(({ name }) => name).sort()).toEqual(names.sort());
      expect(spans.filter(({ status }) => status.code === SpanStatusCode.ERROR)).toEqual([]);
    },
  );
});
