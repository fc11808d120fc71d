import { execSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

// The demo runs the package as it is published, from dist/: on a fresh clone there is none yet.
const root = fileURLToPath(new URL('../..', import.meta.url));
const built = join(root, 'dist/index.mjs');
const changedAt = (path) => statSync(path).mtimeMs;
const sources = readdirSync(join(root, 'src'), { recursive: true }).map((path) => join(root, 'src', path));

if (!existsSync(built) || sources.some((path) => changedAt(path) > changedAt(built))) {
  // Output on stderr: what the demo prints on stdout may be read by a program.
  execSync('npm run --silent build', { cwd: root, stdio: ['ignore', 2, 2] });
}
