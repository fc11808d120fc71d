import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { run } from '../support/run.js';
import { jaegerBinary } from './jaeger-binary.js';
import { prometheusCommand } from './prometheus-binary.js';

const RULES = ['deploy/prometheus/rules/mcp-alerts.yaml', 'deploy/prometheus/rules/mcp-recording.yaml'];

const RULE_TESTS = ['alerts', 'situations'].map((name) => `deploy/prometheus/tests/mcp-${name}.test.yaml`);

interface Collector {
  readonly service: {
    readonly pipelines: Readonly<Record<string, { receivers: string[]; processors?: string[] }>>;
  };
}

interface Rules {
  readonly groups: readonly {
    readonly rules: readonly { alert: string; annotations: { runbook: string } }[];
  }[];
}

describe('docs/alerts.md', () => {
  it('has a section for each alert, where the alert says, and for nothing else', () => {
    const { groups } = parse(readFileSync('deploy/prometheus/rules/mcp-alerts.yaml', 'utf8')) as Rules;
    const alerts = groups.flatMap(({ rules }) => rules);
    const page = readFileSync('docs/alerts.md', 'utf8');
    const sections = [...page.matchAll(/^## (\w+)$/gm)].map((match) => match[1] ?? '');
    expect(sections).toEqual(alerts.map(({ alert }) => alert));
    // A heading's anchor is its text in lower case.
    expect(alerts.map(({ annotations }) => annotations.runbook)).toEqual(
      sections.map((section) => `docs/alerts.md#${section.toLowerCase()}`),
    );
    for (const part of ['**Means.**', '**Look at.**', '**Do.**']) {
      expect(page.split(part)).toHaveLength(alerts.length + 1);
    }
  });
});

describe('configuration files', () => {
  it.each([
    ['prometheus.yml is a configuration', ['check', 'config', 'deploy/prometheus/prometheus.yml']],
    ['the rules are rules', ['check', 'rules', '--lint-fatal', ...RULES]],
    ['each alert does what its tests say', ['test', 'rules', ...RULE_TESTS]],
  ])('promtool: %s', async (_, args) => {
    const { code, stdout, stderr } = await run(prometheusCommand('promtool'), args);
    expect({ code, output: code === 0 ? '' : stdout + stderr }).toEqual({ code: 0, output: '' });
  });

  it.each(['development', 'production'])('the collector takes %s.yaml', async (name) => {
    const { code, stderr } = await run(
      jaegerBinary(),
      ['validate', '--config', `deploy/collector/${name}.yaml`],
      { env: { OTLP_EXPORT_ENDPOINT: 'https://otlp.example.com' } },
    );
    expect({ code, output: code === 0 ? '' : stderr }).toEqual({ code: 0, output: '' });
  });

  it.each(['development', 'production'])('%s.yaml limits memory first, wherever data comes in', (name) => {
    const { service } = parse(readFileSync(`deploy/collector/${name}.yaml`, 'utf8')) as Collector;
    const intakes = Object.values(service.pipelines).filter(({ receivers }) => receivers.includes('otlp'));
    expect(intakes.length).toBeGreaterThanOrEqual(2);
    for (const { processors } of intakes) expect(processors?.[0]).toBe('memory_limiter');
  });
});
