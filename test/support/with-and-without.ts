import { type DiagLogger, DiagLogLevel, diag } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { expect } from 'vitest';
import { startTracing, type TracingOptions } from './tracing.js';

/**
 * Lets an application do the same twice, without the instrumentation and then with it: what it tells must be the same,
 * and nothing may have gone wrong inside.
 *
 * @param act - what the application does; it ends in `spanCount` calls
 * @returns what it told, and the spans in the order in which they ended
 */
export async function withAndWithout<T>(
  act: () => Promise<T>,
  spanCount: number,
  config: TracingOptions['config'] = {},
): Promise<{ told: T; spans: ReadableSpan[] }> {
  const without = await act();
  const problems: unknown[] = [];
  const note = (...problem: unknown[]) => void problems.push(problem);
  const logger: DiagLogger = { error: note, warn: note, info() {}, debug() {}, verbose() {} };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  const tracing = startTracing({ config });
  try {
    const told = await act();
    const spans = await tracing.waitForSpans(spanCount);
    expect(told).toEqual(without);
    expect(problems).toEqual([]);
    return { told, spans };
  } finally {
    await tracing.stop();
    diag.disable();
  }
}
