/** One series of an instant query's answer. */
export interface Series {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Alert {
  readonly state: 'pending' | 'firing';
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** @throws when Prometheus refuses the query; the message says why */
export async function promQuery(prometheus: string, query: string): Promise<Series[]> {
  const { result } = await get<{ result: { metric: Record<string, string>; value: [number, string] }[] }>(
    prometheus,
    `query?${new URLSearchParams({ query })}`,
  );
  return result.map(({ metric, value }) => ({ labels: metric, value: Number(value[1]) }));
}

/** The sum that each value of `label` has. */
export async function promCounts(
  prometheus: string,
  label: string,
  selector: string,
): Promise<Record<string, number>> {
  const series = await promQuery(prometheus, `sum by (${label}) (${selector})`);
  return Object.fromEntries(series.map(({ labels, value }) => [labels[label] ?? '', value]));
}

/** Trace ids of the exemplars of the last hour. */
export async function promExemplars(prometheus: string, query: string): Promise<string[]> {
  const now = Date.now() / 1000;
  const span = new URLSearchParams({ query, start: String(now - 3_600), end: String(now + 60) });
  const found = await get<{ exemplars: { labels: Record<string, string> }[] }[]>(
    prometheus,
    `query_exemplars?${span}`,
  );
  return found.flatMap(({ exemplars }) => exemplars.map(({ labels }) => labels['trace_id'] ?? ''));
}

/** The values that a label has in what the selector finds. */
export function promLabelValues(prometheus: string, selector: string, label: string): Promise<string[]> {
  return get(prometheus, `label/${label}/values?${new URLSearchParams({ 'match[]': selector })}`);
}

/** Pending and firing ones; an alert that isn't there is inactive. */
export async function promAlerts(prometheus: string, name: string): Promise<Alert[]> {
  const { alerts } = await get<{ alerts: Alert[] }>(prometheus, 'alerts');
  return alerts.filter(({ labels }) => labels['alertname'] === name);
}

async function get<T>(prometheus: string, path: string): Promise<T> {
  const response = await fetch(`${prometheus}/api/v1/${path}`);
  const body = (await response.json()) as { status: string; error?: string; data: T };
  if (body.status !== 'success') throw new Error(`Prometheus refused ${path}: ${body.error}`);
  return body.data;
}
