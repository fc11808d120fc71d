import { execFileSync } from 'node:child_process';

/**
 * Debian's package, and the official archive, put both on PATH.
 *
 * @returns the command's name
 * @throws when it can't be run; the message says how to get it
 */
export function prometheusCommand(name: 'prometheus' | 'promtool'): string {
  try {
    execFileSync(name, ['--version'], { stdio: 'ignore' });
    return name;
  } catch (cause) {
    throw new Error(
      `No ${name} to test with. Debian and Ubuntu: apt-get install --no-install-recommends prometheus; ` +
        'others: https://prometheus.io/download/, on PATH. 2.42 or later.',
      { cause },
    );
  }
}
