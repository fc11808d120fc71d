import { describe, expect, it } from 'vitest';
import { runBench } from '../bench/bench.mjs';
import { markdown, peersSentence, table } from '../bench/report.mjs';
import { summarise } from '../bench/statistics.mjs';

// What is measured is the machine's affair; that everything is measured, and told, is the benchmark's.
const effort = {
  seconds: 0,
  processes: 1,
  processesForOurs: 1,
  warmUpSeconds: 0,
  minPairs: 2,
  sliceMillis: 1,
  memoryRuns: 1,
};

describe('the benchmark', () => {
  it('measures calls that make spans, and others that make none', async () => {
    const workloads = ['sdk', 'bare', 'stream-raw', 'get'];
    const results = await runBench(effort, { workloads, subjects: ['ours'], memory: ['large-json'] });

    expect(results.rows.map(({ workload }) => workload)).toEqual(workloads);
    for (const { ratio, baseMicros, subjectMicros } of results.rows) {
      expect(ratio.count).toBe(2);
      for (const value of [ratio.median, baseMicros, subjectMicros]) expect(value).toBeGreaterThan(0);
      expect(ratio.low).toBeLessThanOrEqual(ratio.median);
      expect(ratio.high).toBeGreaterThanOrEqual(ratio.median);
    }
    expect(results.memory.map(({ tool }) => tool)).toEqual(['large-json']);
    const rows = markdown(results, effort)
      .split('\n')
      .filter((line) => line.startsWith('|'));
    // Head, rule, and one line each.
    expect(rows).toHaveLength(2 + workloads.length + 1);
    expect(table(results)).toContain('stream of 10,000 events, read raw');
  }, 120_000);

  it('leaves the peers out where they see nothing', async () => {
    const results = await runBench(effort, { workloads: ['get'], subjects: ['openlit'], memory: [] });
    expect(results).toEqual({ rows: [], memory: [] });
  });

  it('names the peers that are cheaper', () => {
    const row = (subject: string, ratio: number) => ({
      workload: 'sdk',
      subject,
      ratio: summarise([ratio]),
      baseMicros: 1,
      subjectMicros: 1,
    });
    const rows = [row('ours', 1.05), row('openlit', 1.06), row('traceloop', 1.04)];
    expect(peersSentence({ rows, memory: [] })).toMatch(/are cheaper: @traceloop\/instrumentation-mcp\.$/);
    expect(peersSentence({ rows: rows.slice(0, 2), memory: [] })).toMatch(/: met\.$/);
    expect(peersSentence({ rows: rows.slice(0, 1), memory: [] })).toBeUndefined();
  });
});

describe('the median of noisy ratios', () => {
  it('has an interval that outliers do not move', () => {
    const ratios = Array.from({ length: 99 }, (_, n) => 1 + n / 1000);
    const summary = summarise([...ratios, 50]);
    expect(summary.median).toBeCloseTo(1.0495);
    expect(summary.q1).toBeLessThan(summary.low);
    expect(summary.q3).toBeGreaterThan(summary.high);
    expect(summary.high).toBeLessThan(1.07);
  });
});
