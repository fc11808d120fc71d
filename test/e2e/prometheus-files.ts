import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** `deploy/prometheus` in a folder of its own, with what a test can't leave as it is put in. */
export interface PrometheusFiles {
  readonly config: string;
  /** Where Prometheus keeps its data. */
  readonly data: string;
  remove(): void;
}

export interface PrometheusChanges {
  /** `host:port` of the collector's two pages of metrics. */
  readonly applications: string;
  readonly collector: string;
  /** Of scrapes and rules, instead of the file's 15 s. */
  readonly interval: string;
  /** Instead of five minutes, for rates and for how long an alert waits. */
  readonly window?: { readonly rate: string; readonly wait: string } | undefined;
}

const SOURCE = 'deploy/prometheus';

export function prometheusFiles(changes: PrometheusChanges): PrometheusFiles {
  const directory = mkdtempSync(join(tmpdir(), 'e2e-prometheus-files-'));
  const rules = join(directory, 'rules');
  const data = join(directory, 'data');
  const config = join(directory, 'prometheus.yml');
  mkdirSync(data);
  cpSync(join(SOURCE, 'rules'), rules, { recursive: true });
  writeFileSync(
    config,
    replaced(readFileSync(join(SOURCE, 'prometheus.yml'), 'utf8'), [
      ['collector:8889', changes.applications],
      ['collector:8888', changes.collector],
      ['scrape_interval: 15s', `scrape_interval: ${changes.interval}`],
      ['evaluation_interval: 15s', `evaluation_interval: ${changes.interval}`],
    ]),
  );
  const { window } = changes;
  if (window !== undefined) {
    for (const name of readdirSync(rules)) {
      const path = join(rules, name);
      writeFileSync(path, withWindow(readFileSync(path, 'utf8'), window));
    }
  }
  return { config, data, remove: () => rmSync(directory, { recursive: true, force: true }) };
}

/** Rules as they are, but for how far they look back: names and thresholds stay. */
function withWindow(rules: string, { rate, wait }: { rate: string; wait: string }): string {
  const seconds = Number.parseInt(rate, 10);
  return rules
    .replaceAll('[5m]', `[${rate}]`)
    .replaceAll('[15m]', `[${rate}]`)
    .replaceAll('offset 15m', `offset ${rate}`)
    .replaceAll('* 300 >=', `* ${seconds} >=`)
    .replaceAll('for: 5m', `for: ${wait}`);
}

function replaced(text: string, changes: readonly (readonly [string, string])[]): string {
  return changes.reduce((changed, [from, to]) => {
    if (changed.split(from).length !== 2) throw new Error(`${SOURCE}: expected ${from} once`);
    return changed.replace(from, to);
  }, text);
}
