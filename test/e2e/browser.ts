import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
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

/** Where a picture is kept, if at all: `MCP_PICTURES=docs/images npm run test:e2e` renews those of the README. */
export function keptAs(name: string): { path?: string } {
  const folder = process.env['MCP_PICTURES'];
  return folder === undefined ? {} : { path: join(folder, name) };
}
