import { type Context, context, createContextKey } from '@opentelemetry/api';
import { RETRY_ORIGINS, type RetryOrigin } from '../protocol/index.js';

const SAID = createContextKey('opentelemetry-instrumentation-mcp-http retry origin');

/** The origins that only the caller can know. */
export type SaidRetryOrigin = Extract<RetryOrigin, 'application' | 'manual'>;

/**
 * Runs `fn` so that MCP requests sent inside it, however deep in an SDK and also after an `await`, are told as sent
 * again by the application's own logic, or because a person asked for it. Needs OpenTelemetry's context manager, which
 * every SDK set-up registers. Nested, the inner one counts.
 *
 * @returns what `fn` returns
 * @throws TypeError for another origin; and what `fn` throws
 * @example
 * await withRetryOrigin('manual', () => client.callTool(params));
 */
export function withRetryOrigin<T>(origin: SaidRetryOrigin, fn: () => T): T {
  if (origin !== 'application' && origin !== 'manual') {
    throw new TypeError(
      `withRetryOrigin: the origin must be "application" or "manual", not ${JSON.stringify(origin)}`,
    );
  }
  return context.with(context.active().setValue(SAID, origin), fn);
}

export function saidOriginIn(caller: Context): RetryOrigin | undefined {
  const said = caller.getValue(SAID);
  return RETRY_ORIGINS.find((origin) => origin === said);
}
