import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  encoding: 'utf8',
}).split('\n');
const pages = files.filter((file) => file.endsWith('.md'));

/** The page's text without blocks and spans of code, in which brackets mean something else. */
const proseOf = (page: string) => readFileSync(page, 'utf8').replace(/^```[\s\S]*?^```|`[^`\n]*`/gmu, 'code');

/** A heading's fragment, as GitHub and npm make it. */
function fragmentOf(heading: string): string {
  const text = heading.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, '');
  return text.trim().replaceAll(' ', '-');
}

const fragmentsOf = (page: string) =>
  [...readFileSync(page, 'utf8').matchAll(/^#+ (.+)$/gmu)].map(([, heading]) => fragmentOf(heading ?? ''));

const links = pages.flatMap((page) =>
  [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/gu)].map(([, target]) => [page, target ?? ''] as const),
);
const inside = links.filter(([, target]) => !/^https?:/u.test(target));

describe('a link inside the repository leads somewhere', () => {
  it.each(inside)('%s: %s', (page, target) => {
    const [path = '', fragment] = target.split('#');
    const file = path === '' ? page : join(dirname(page), path);
    expect(existsSync(file)).toBe(true);
    if (fragment !== undefined) expect(fragmentsOf(file)).toContain(fragment);
  });
});

it('the pages are found, and so are their links', () => {
  expect(pages).toEqual(expect.arrayContaining(['README.md', 'docs/alerts.md', 'deploy/README.md']));
  expect(inside.length).toBeGreaterThan(30);
});
