import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';

/**
 * Path of the Jaeger program, built from source when it isn't there yet.
 *
 * @throws when there is no Go toolchain or the build fails; the script's own message, on stderr, says what to do
 */
export function jaegerBinary(): string {
  const script = resolve('deploy/tools/build-jaeger.sh');
  try {
    return execFileSync('bash', [script], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim();
  } catch (cause) {
    throw new Error('No Jaeger to test against: deploy/tools/build-jaeger.sh failed, its reason is above.', {
      cause,
    });
  }
}
