import { trace } from '@opentelemetry/api';

const PATIENCE_MS = 5_000;

/**
 * Plays one scenario inside a span of the application, so that its calls share a trace.
 *
 * @returns the trace's id, and what the scenario's client threw
 */
export function play(scenario, { agent, server, log }) {
  server.follow(scenario.answers ?? {});
  return trace.getTracer('demo-agent').startActiveSpan(scenario.name, async (span) => {
    const { traceId } = span.spanContext();
    const end = new AbortController();
    let thrown;
    const settled = run(scenario, agent, end.signal).catch((error) => {
      thrown = String(error);
    });
    await atMost(PATIENCE_MS, log.callsOver(traceId, scenario.expected.length));
    end.abort();
    await atMost(PATIENCE_MS, settled);
    span.end();
    return { traceId, thrown };
  });
}

/** A `run` that throws at once is as good as one that rejects. */
async function run(scenario, agent, signal) {
  await scenario.run(agent, signal);
}

/** What doesn't happen in time is found missing by the check. */
async function atMost(milliseconds, promise) {
  let timer;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([promise, late]);
  clearTimeout(timer);
}
