import { type Context, createNoopMeter, type Histogram, type MeterProvider, trace } from '@opentelemetry/api';
import { expect, it } from 'vitest';
import { JSON_HEADERS, toolResult } from '../support/json-rpc.js';
import { observedExchanges } from '../support/observed-exchanges.js';

// OpenTelemetry JS exports no exemplars (docs/telemetry.md, "Exemplars"). One that does takes the trace from the context
// that a measurement is given.

const exchanges = observedExchanges();

it("a call's duration is recorded in the context of the call's own span", async () => {
  const contexts: (Context | undefined)[] = [];
  const histogram: Histogram = { record: (_value, _attributes, context) => void contexts.push(context) };
  const meter = Object.assign(createNoopMeter(), { createHistogram: () => histogram });
  const provider: MeterProvider = { getMeter: () => meter };
  exchanges.tracing.mcp.setMeterProvider(provider);
  const span = await exchanges.span({ answer: { headers: JSON_HEADERS, body: [toolResult()] } });
  expect(contexts.map((context) => context && trace.getSpanContext(context))).toEqual([span.spanContext()]);
});
