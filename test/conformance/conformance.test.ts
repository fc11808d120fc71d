import { SpanStatusCode } from '@opentelemetry/api';
import { describe, expect, it } from 'vitest';
import { type Client, NOT_PLAYED, PLAYS } from './plays.js';
import { judge, judgeTraced, listedScenarios, type WrittenSpan } from './suite.js';

/** A span in the words of the table. */
function told({ name, status, attributes }: WrittenSpan): string {
  const negotiation = attributes['mcp.negotiation'];
  const resumptions = attributes['mcp.stream.resumptions'];
  return [
    name,
    attributes['mcp.outcome'],
    ...(negotiation === undefined ? [] : [`(${negotiation})`]),
    ...(resumptions === undefined ? [] : [`resumed ${resumptions}`]),
    ...(status.code === SpanStatusCode.ERROR ? ['ERROR'] : []),
  ].join(' ');
}

const isError = (line: string) => line.endsWith(' ERROR');

describe('the table of plays', () => {
  it.each<Client>(['sdk-v1', 'sdk-v2'])(
    '%s plays each of the scenarios that the suite lists, or has a reason',
    async (client) => {
      const played = PLAYS.filter((play) => play.client === client).map(({ scenario }) => scenario);
      const excused = NOT_PLAYED.filter((entry) => entry.client === client).flatMap(
        ({ scenarios }) => scenarios,
      );
      expect(excused.filter((scenario) => played.includes(scenario))).toEqual([]);
      expect([...new Set(played), ...excused].sort()).toEqual((await listedScenarios()).sort());
    },
  );

  it('has no play twice, and none whose calls go unseen', () => {
    const keys = PLAYS.map(({ client, scenario, revision }) => `${client} ${scenario} ${revision}`);
    expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([]);
    expect(PLAYS.filter(({ spans }) => spans.length === 0)).toEqual([]);
  });

  it('gives a reason for every ERROR, and none where there is no ERROR', () => {
    expect(PLAYS.filter(({ spans, whyErrors }) => spans.some(isError) !== (whyErrors !== undefined))).toEqual(
      [],
    );
  });
});

describe('a client is judged with the package as without, and what is told of its calls is true', () => {
  it.concurrent.each(PLAYS)('$client, $scenario ($revision)', async (play) => {
    const without = await judge(play);
    const { verdict, spans } = await judgeTraced(play);
    expect(without.checks).not.toEqual([]);
    expect(verdict).toEqual(without);
    expect(verdict.passed).toBe(play.whyFailed === undefined);
    expect(spans.map(told).filter(isError)).toEqual(play.spans.filter(isError));
    expect(spans.map(told)).toEqual(play.spans);
  });
});
