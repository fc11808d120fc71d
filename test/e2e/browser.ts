import { execFileSync } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

const COMMANDS = ['chromium', 'chromium-browser', 'google-chrome'];

/**
 * Starts a browser without a window.
 *
 * @throws when there is none; the message says how to get one
 */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: browserPath() });
}

function browserPath(): string {
  for (const command of COMMANDS) {
    try {
      return execFileSync('which', [command], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      }).trim();
    } catch {
      // The next one.
    }
  }
  throw new Error(
    `None of ${COMMANDS.join(', ')} is on PATH. Debian: apt-get install --no-install-recommends chromium; ` +
      'others: any Chromium or Chrome of 123 or later.',
  );
}

/** Where pictures of pages go: `MCP_PICTURES=docs/images npm run test:e2e` renews those of the README. */
export async function picturePath(name: string): Promise<string> {
  const folder = process.env['MCP_PICTURES'] ?? (await mkdtemp(join(tmpdir(), 'mcp-pictures-')));
  return join(resolve(folder), name);
}
