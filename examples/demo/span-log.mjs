const MCP_SCOPE = 'opentelemetry-instrumentation-mcp-http';

/** A span processor that keeps what has ended, and lets others wait for it. */
export class SpanLog {
  #spans = [];
  #waiting = new Set();

  onStart() {}

  onEnd(span) {
    this.#spans.push(span);
    for (const look of this.#waiting) look();
  }

  /** The spans of one trace, in the order in which they began. */
  trace(traceId) {
    return this.#spans
      .filter((span) => span.spanContext().traceId === traceId)
      .sort((a, b) => a.startTime[0] - b.startTime[0] || a.startTime[1] - b.startTime[1]);
  }

  /** The MCP calls of one trace. */
  calls(traceId) {
    return this.trace(traceId).filter((span) => span.instrumentationScope.name === MCP_SCOPE);
  }

  get size() {
    return this.#spans.length;
  }

  /** Resolves when that many calls of the trace are over. */
  async callsOver(traceId, count) {
    await new Promise((resolve) => {
      const look = () => {
        if (this.calls(traceId).length < count) return;
        this.#waiting.delete(look);
        resolve();
      };
      this.#waiting.add(look);
      look();
    });
  }

  async forceFlush() {}

  async shutdown() {}
}
