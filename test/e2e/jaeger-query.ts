/** A span as Jaeger's query API returns it, as far as the tests look at it. */
export interface JaegerSpan {
  readonly traceID: string;
  readonly spanID: string;
  readonly operationName: string;
  readonly references: readonly { refType: string; traceID: string; spanID: string }[];
  readonly tags: readonly { key: string; type: string; value: unknown }[];
  readonly logs: readonly { fields: readonly { key: string; value: unknown }[] }[];
}

interface Trace {
  readonly traceID: string;
  readonly spans: readonly JaegerSpan[];
}

/** More than a run of the demo makes; a search that reaches it is refused, since it may be cut short. */
const LIMIT = 1_000;

/** The spans of every trace of `service` in which some span carries all of `tags`. */
export async function searchTraces(
  jaegerQuery: string,
  service: string,
  tags: Readonly<Record<string, string>> = {},
): Promise<JaegerSpan[]> {
  const query = new URLSearchParams({ service, lookback: '1h', limit: String(LIMIT) });
  if (Object.keys(tags).length > 0) query.set('tags', JSON.stringify(tags));
  const response = await fetch(`${jaegerQuery}/api/traces?${query}`);
  const body = await response.text();
  if (!response.ok) throw new Error(`Jaeger answered ${response.status} to ${query}: ${body}`);
  const { data } = JSON.parse(body) as { data: readonly Trace[] };
  if (data.length >= LIMIT) throw new Error(`Jaeger found ${LIMIT} traces or more for ${query}`);
  return data.flatMap((trace) => trace.spans);
}

export function tagOf(span: JaegerSpan, key: string): unknown {
  return span.tags.find((tag) => tag.key === key)?.value;
}
