import { spawn } from 'node:child_process';
import { once } from 'node:events';

export interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs Node with these arguments to its end; a variable given as `undefined` is unset. */
export async function runNode(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>> = {},
  timeout = 15_000,
): Promise<Run> {
  const child = spawn(process.execPath, args, { env: { ...process.env, ...env }, timeout });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (data) => {
    output.stdout += data;
  });
  child.stderr.on('data', (data) => {
    output.stderr += data;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...output };
}
