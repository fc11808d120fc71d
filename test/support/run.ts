import { spawn } from 'node:child_process';
import { once } from 'node:events';

export interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  /** Added to this process's; a variable given as `undefined` is unset. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  /** Default: 20 seconds. */
  readonly timeoutMillis?: number;
}

const TIMEOUT_MILLIS = 20_000;

/** Runs a program to its end. */
export async function run(command: string, args: readonly string[], options: RunOptions = {}): Promise<Run> {
  const child = spawn(command, args, {
    env: { ...process.env, ...options.env },
    cwd: options.cwd,
    timeout: options.timeoutMillis ?? TIMEOUT_MILLIS,
  });
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

/** Runs the Node that runs the test. */
export function runNode(args: readonly string[], env: RunOptions['env'] = {}): Promise<Run> {
  return run(process.execPath, args, { env });
}
