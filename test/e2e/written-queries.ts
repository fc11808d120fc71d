import { readFileSync } from 'node:fs';

export interface WrittenQuery {
  /** Where it is written. */
  readonly source: string;
  readonly query: string;
}

/** The ```promql blocks of a page. */
export function promqlOf(page: string): WrittenQuery[] {
  return [...readFileSync(page, 'utf8').matchAll(/^```promql\n([\s\S]*?)^```$/gm)].map((match) => ({
    source: page,
    query: (match[1] ?? '').trim(),
  }));
}

export interface WrittenSearch {
  /** As typed into Jaeger's page. */
  readonly tags: string;
  /** Parameters of the link that opens it. */
  readonly link: URLSearchParams;
}

/** The searches of a page: rows with tags and a link to Jaeger. */
export function jaegerSearchesOf(page: string): WrittenSearch[] {
  const rows = readFileSync(page, 'utf8').matchAll(
    /^\| [^|]+ \| `([^`]+)`[^|]*\| \[open\]\(http:\/\/127\.0\.0\.1:16686\/search\?([^)]+)\) +\|$/gm,
  );
  return [...rows].map((match) => ({
    tags: match[1] ?? '',
    link: new URLSearchParams(match[2]),
  }));
}

interface Dashboard {
  readonly templating: { readonly list: readonly { name: string; type: string; definition?: string }[] };
  readonly annotations: { readonly list: readonly { name: string; expr: string }[] };
  readonly panels: readonly { title: string; targets: readonly { refId: string; expr: string }[] }[];
}

const DASHBOARD = 'deploy/grafana/mcp.json';

const dashboard = () => JSON.parse(readFileSync(DASHBOARD, 'utf8')) as Dashboard;

/** The queries of the dashboard's panels and annotations, with what Grafana would put in for its variables. */
export function dashboardQueries(variables: Readonly<Record<string, string>>): WrittenQuery[] {
  const { panels, annotations } = dashboard();
  return [
    ...panels.flatMap(({ title, targets }) =>
      targets.map(({ refId, expr }) => ({ source: `${title}, ${refId}`, query: expr })),
    ),
    ...annotations.list.map(({ name, expr }) => ({ source: name, query: expr })),
  ].map(({ source, query }) => ({ source, query: filledIn(query, variables) }));
}

/** `label_values(selector, label)` of each of the dashboard's variables that ask Prometheus. */
export function dashboardVariables(variables: Readonly<Record<string, string>>) {
  return dashboard()
    .templating.list.filter(({ type }) => type === 'query')
    .map(({ name, definition = '' }) => {
      const [, selector = '', label = ''] = /^label_values\((.+), (\w+)\)$/.exec(definition) ?? [];
      return { name, selector: filledIn(selector, variables), label };
    });
}

function filledIn(query: string, variables: Readonly<Record<string, string>>): string {
  const filled = Object.entries(variables).reduce(
    (text, [name, value]) => text.replaceAll(`$${name}`, value),
    query,
  );
  if (/\$\w/.test(filled)) throw new Error(`A variable that is not known: ${filled}`);
  return filled;
}
