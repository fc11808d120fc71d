import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runNode } from '../support/run.js';
import { keptAs, launchBrowser } from './browser.js';

interface Row {
  readonly scenario: string;
  readonly call: string;
  readonly outcome: string;
  readonly layer: string | null;
  readonly detail: string | null;
  readonly ms: number;
  readonly traceId: string;
}

describe("the demo's report in a browser", () => {
  let folder: string;
  let browser: Browser;
  let page: Page;
  let rows: Row[];
  const requested: string[] = [];
  const complaints: string[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mcp-report-'));
    const file = join(folder, 'report.html');
    const demo = await runNode(['examples/demo/main.mjs', '--json', '--report', file], {
      OTEL_EXPORTER_OTLP_ENDPOINT: undefined,
    });
    expect(demo).toMatchObject({ code: 0, stderr: '' });
    rows = JSON.parse(demo.stdout) as Row[];

    browser = await launchBrowser();
    page = await browser.newPage({ viewport: { width: 1240, height: 900 }, deviceScaleFactor: 2 });
    page.on('request', (request) => requested.push(request.url()));
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.goto(pathToFileURL(file).href);
  });
  afterAll(async () => {
    await browser?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const shownCalls = () => page.locator('.calls tbody tr:visible');

  it('is one file: it loads nothing, runs nothing and the browser has nothing to complain of', async () => {
    expect(requested).toEqual([page.url()]);
    expect(complaints).toEqual([]);
    expect(await page.locator('script, link, img, iframe').count()).toBe(0);
  });

  it('has a line for each call, as the table in the terminal has', async () => {
    const cells = await page
      .locator('.calls tbody tr')
      .evaluateAll((lines) =>
        lines.map((line) => [...line.querySelectorAll('td')].map((cell) => cell.textContent?.trim())),
      );
    expect(cells.map(([call]) => call)).toEqual(rows.map(({ call }) => call));
    expect(cells.map((line) => line[5])).toEqual(
      rows.map(({ outcome, detail }) => [outcome, detail].filter((part) => part !== null).join(' ')),
    );
    expect(cells.map((line) => line[6])).toEqual(rows.map(({ layer }) => layer ?? ''));
    expect(cells.map((line) => line[8])).toEqual(rows.map(({ ms }) => String(ms)));
  });

  it.each([
    ['failed in transport', ['NETWORK_ERROR', 'TIMEOUT', 'HTTP_ERROR', 'STREAM_INCOMPLETE']],
    [
      'failed in the protocol',
      ['MALFORMED_JSON', 'INVALID_ENVELOPE', 'JSONRPC_ERROR', 'INVALID_TOOL_RESULT', 'INVALID_RESULT'],
    ],
    ['failed in the application', ['TOOL_ERROR']],
    ['succeeded', ['SUCCESS', 'TOOL_SUCCESS', 'TASK_CREATED', 'INPUT_REQUIRED', 'ACCEPTED']],
    // The HTTP errors here are those by which client and server settle something.
    ['neither succeeded nor failed', ['CANCELLED', 'UNCLASSIFIED', 'HTTP_ERROR']],
  ])('shows the calls that %s, and counts them', async (title, outcomes) => {
    const choice = page.getByRole('radio', { name: new RegExp(`^${title} \\d+$`) });
    await choice.check();
    const seen = await shownCalls().locator('.outcome').allTextContents();
    expect(new Set(seen)).toEqual(new Set(outcomes));
    const label = await page.locator('label', { has: choice }).textContent();
    expect(label).toMatch(new RegExp(` ${seen.length}$`));
    await page.getByRole('radio', { name: /^happened/ }).check();
    expect(await shownCalls().count()).toBe(rows.length);
  });

  it('leads from each call to its trace, which names its scenario', async () => {
    const fragments = await page
      .locator('.calls a')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''));
    expect(fragments).toEqual(rows.map(({ traceId }) => `#trace-${traceId}`));
    for (const [i, { scenario, outcome }] of rows.entries()) {
      const trace = await page.locator(fragments[i] ?? '').textContent();
      expect(trace).toContain(scenario);
      expect(trace).toContain(outcome);
    }
  });

  it("draws each span's bar inside its trace, as long as its share of it", async () => {
    const bars = await page.locator('.trace').evaluateAll((traces) =>
      traces.map((trace) => {
        const length = Number(/([\d.]+) ms$/.exec(trace.querySelector('small')?.textContent ?? '')?.[1]);
        return [...trace.querySelectorAll('summary')].map((summary) => {
          const track = summary.querySelector('.track')?.getBoundingClientRect();
          const bar = summary.querySelector('.bar')?.getBoundingClientRect();
          const own = Number.parseFloat(summary.querySelector('.number')?.textContent ?? '');
          return {
            before: (bar?.left ?? 0) - (track?.left ?? 0),
            after: (track?.right ?? 0) - (bar?.right ?? 0),
            tooLong: (bar?.width ?? 0) / (track?.width ?? 1) - own / length,
          };
        });
      }),
    );
    expect(bars.length).toBe(new Set(rows.map(({ traceId }) => traceId)).size);
    for (const { before, after, tooLong } of bars.flat()) {
      // What is too short to be seen is drawn two pixels wide, and numbers are rounded.
      expect(before).toBeGreaterThanOrEqual(-1);
      expect(after).toBeGreaterThanOrEqual(-2);
      expect(Math.abs(tooLong)).toBeLessThan(0.03);
    }
  });

  it('opens a span to its attributes and events', async () => {
    const span = page.locator('.trace li', { has: page.locator('.outcome', { hasText: 'TOOL_ERROR' }) });
    await expect.poll(() => span.getByText('mcp.error.layer').first().isVisible()).toBe(false);
    await span.locator('summary').click();
    await expect.poll(() => span.getByText('event mcp.classified').isVisible()).toBe(true);
    expect(await span.locator('.error').textContent()).toMatch(/^ERROR /);
  });

  it("is what the README's picture shows", async () => {
    await page.setViewportSize({ width: 960, height: 900 });
    const trace = page.locator('.trace', { hasText: 'JSONRPC_ERROR' });
    const picture = await trace.screenshot(keptAs('trace.png'));
    const box = await trace.boundingBox();
    // A PNG's width is in its bytes 16 to 19.
    expect(picture.readUInt32BE(16)).toBe((box?.width ?? 0) * 2);
  });
});
