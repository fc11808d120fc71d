// @ts-check
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('peers', import.meta.url));

/** Installs the peers once, by their own lockfile: nobody who only builds or tests this package needs them. */
export function installPeers() {
  if (existsSync(join(folder, 'node_modules/openlit'))) return;
  console.error('installing the peers to compare with …');
  execFileSync('npm', ['ci', '--no-audit', '--no-fund'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}
