import type { ReadableSpan, SpanProcessor } from '@opentelemetry/sdk-trace-base';
import { within } from './signal.js';

export const MCP_SCOPE = 'opentelemetry-instrumentation-mcp-http';
export const UNDICI_SCOPE = '@opentelemetry/instrumentation-undici';

/** Keeps what was started and what was ended, and lets a test wait for the end of spans as an event. */
export class SpanRecorder implements SpanProcessor {
  #started: { scope: string }[] = [];
  #ended: ReadableSpan[] = [];
  #listeners = new Set<() => void>();

  onStart(span: unknown): void {
    const { instrumentationScope } = span as Pick<ReadableSpan, 'instrumentationScope'>;
    this.#started.push({ scope: instrumentationScope.name });
  }

  onEnd(span: ReadableSpan): void {
    this.#ended.push(span);
    for (const listener of [...this.#listeners]) listener();
  }

  ended(scope: string): ReadableSpan[] {
    return this.#ended.filter((span) => span.instrumentationScope.name === scope);
  }

  startedCount(scope: string): number {
    return this.#started.filter((span) => span.scope === scope).length;
  }

  /** Waits until `count` spans of the scope have ended. */
  async waitFor(scope: string, count: number, milliseconds: number): Promise<ReadableSpan[]> {
    const { promise, stop } = this.#reached(scope, count);
    try {
      await within(milliseconds, () => this.#shortfall(scope, count), promise);
    } finally {
      stop();
    }
    return this.ended(scope);
  }

  reset(): void {
    this.#started = [];
    this.#ended = [];
  }

  async forceFlush(): Promise<void> {}

  async shutdown(): Promise<void> {
    this.#listeners.clear();
  }

  #reached(scope: string, count: number): { promise: Promise<void>; stop: () => void } {
    let listener = () => {};
    const promise = new Promise<void>((resolve) => {
      listener = () => {
        if (this.ended(scope).length >= count) resolve();
      };
      this.#listeners.add(listener);
      listener();
    });
    return { promise, stop: () => this.#listeners.delete(listener) };
  }

  #shortfall(scope: string, count: number): string {
    const ended = this.ended(scope).map((span) => `${span.name}: ${span.attributes['mcp.outcome']}`);
    return `${count} spans of ${scope}; ${this.startedCount(scope)} started, ${ended.length} ended [${ended.join(', ')}]`;
  }
}
