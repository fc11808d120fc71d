import { type Attributes, type Context, type Histogram, type Meter, ValueType } from '@opentelemetry/api';
import { isMcpMethod } from '../protocol/index.js';
import * as names from './attributes.js';
import { pick } from './call-attributes.js';

/** The conventions' buckets, in seconds. */
const BUCKETS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];

/** Stands for a value past the limit, as OpenTelemetry does for HTTP methods. */
const OTHER = '_OTHER';

/** The span's attributes that the metric has too: all of few values, or bounded below. */
const KEPT = [
  names.ATTR_MCP_METHOD_NAME,
  names.ATTR_GEN_AI_OPERATION_NAME,
  names.ATTR_GEN_AI_TOOL_NAME,
  names.ATTR_GEN_AI_PROMPT_NAME,
  names.ATTR_RPC_RESPONSE_STATUS_CODE,
  names.ATTR_ERROR_TYPE,
  names.ATTR_MCP_OUTCOME,
  names.ATTR_MCP_ERROR_LAYER,
  names.ATTR_MCP_RETRY_ORIGIN,
  names.ATTR_MCP_NEGOTIATION,
  names.ATTR_MCP_PROTOCOL_VERSION,
  names.ATTR_NETWORK_TRANSPORT,
  names.ATTR_NETWORK_PROTOCOL_NAME,
  names.ATTR_SERVER_ADDRESS,
  names.ATTR_SERVER_PORT,
];

/** Values that a peer or a model can make up without end. */
const BOUNDED = [
  names.ATTR_GEN_AI_TOOL_NAME,
  names.ATTR_GEN_AI_PROMPT_NAME,
  names.ATTR_RPC_RESPONSE_STATUS_CODE,
  names.ATTR_ERROR_TYPE,
  names.ATTR_MCP_PROTOCOL_VERSION,
];

/** The histogram of the calls' durations, with attributes of few values. */
export interface DurationMetric {
  /**
   * @param start - the span's attributes from its start; only the metric's own are taken
   * @param end - those from its end
   * @param context - with the call's span, so that an exemplar can name it
   */
  record(durationMs: number, start: Attributes, end: Attributes, context: Context): void;
}

export function durationMetric(meter: Meter, maxNames: number): DurationMetric {
  const histogram: Histogram = meter.createHistogram(names.METRIC_MCP_CLIENT_OPERATION_DURATION, {
    description: 'Duration of an MCP request or notification as seen by the client that sent it.',
    unit: 's',
    valueType: ValueType.DOUBLE,
    advice: { explicitBucketBoundaries: BUCKETS },
  });
  const seen = new Map(BOUNDED.map((name) => [name, new Set<unknown>()]));

  function isKnown(values: Set<unknown>, value: unknown): boolean {
    if (values.has(value)) return true;
    if (values.size >= maxNames) return false;
    values.add(value);
    return true;
  }

  return {
    record(durationMs, start, end, context) {
      const kept = pick(KEPT, start, end);
      if (!isMcpMethod(String(kept[names.ATTR_MCP_METHOD_NAME]))) kept[names.ATTR_MCP_METHOD_NAME] = OTHER;
      for (const [name, values] of seen) {
        if (kept[name] !== undefined && !isKnown(values, kept[name])) kept[name] = OTHER;
      }
      histogram.record(durationMs / 1000, kept, context);
    },
  };
}
