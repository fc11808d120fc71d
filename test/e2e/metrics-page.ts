/** A line of a page of metrics in Prometheus's text format. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export async function metricsPage(url: string): Promise<Sample[]> {
  const response = await fetch(url);
  const text = await response.text();
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${text}`);
  return [...text.matchAll(/^(?<name>\w+)(?:\{(?<labels>.*)\})? (?<value>\S+)$/gm)].map(({ groups }) => ({
    name: groups?.['name'] ?? '',
    labels: Object.fromEntries(
      [...(groups?.['labels'] ?? '').matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value]),
    ),
    value: Number(groups?.['value']),
  }));
}

/** The sum of a metric's samples with these labels, where `''` is an absent one; 0 where there is no sample. */
export async function metricSum(
  url: string,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): Promise<number> {
  const samples = await metricsPage(url);
  return samples
    .filter((sample) => sample.name === name)
    .filter((sample) => Object.entries(labels).every(([key, value]) => (sample.labels[key] ?? '') === value))
    .reduce((sum, { value }) => sum + value, 0);
}
