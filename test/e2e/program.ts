import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export interface ProgramOptions {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** A server in a process of its own, whose output goes to a file. */
export interface Program {
  readonly name: string;
  /** How the process ended, `undefined` while it runs. */
  ending(): string | undefined;
  log(): string;
  /** Asks it to end, forces it after ten seconds, and resolves with how it ended. */
  stop(): Promise<string>;
  /** The same program again, after `stop`; its log goes on. */
  start(): void;
  /** Physical memory it takes now, from /proc (Linux). */
  residentBytes(): number;
  /** Removes its log file. */
  discard(): void;
}

const STOP_MILLIS = 10_000;

export function startProgram({ name, command, args, env }: ProgramOptions): Program {
  const logFile = join(mkdtempSync(join(tmpdir(), `e2e-${name}-`)), 'log');
  let child: ChildProcess;
  let failedToStart: string | undefined;

  function start(): void {
    const output = openSync(logFile, 'a');
    const started = spawn(command, args, {
      env: { ...process.env, ...env },
      stdio: ['ignore', output, output],
    });
    closeSync(output);
    started.on('error', (error) => {
      failedToStart = `could not be started: ${error.message}`;
    });
    // Whatever ends this process first, a test's failure or its timeout, ends the program with it.
    const killWithUs = () => started.kill('SIGKILL');
    process.on('exit', killWithUs);
    started.on('exit', () => process.off('exit', killWithUs));
    child = started;
  }

  const ending = () => failedToStart ?? endingOf(child);
  start();
  return {
    name,
    ending,
    log: () => readFileSync(logFile, 'utf8'),
    async stop() {
      if (ending() === undefined) {
        const force = setTimeout(() => child.kill('SIGKILL'), STOP_MILLIS);
        const exited = once(child, 'exit');
        child.kill('SIGTERM');
        await exited;
        clearTimeout(force);
      }
      return ending() ?? 'still running';
    },
    start,
    residentBytes() {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
      return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
    },
    discard: () => rmSync(dirname(logFile), { recursive: true, force: true }),
  };
}

function endingOf(child: ChildProcess): string | undefined {
  if (child.exitCode !== null) return `exit code ${child.exitCode}`;
  if (child.signalCode !== null) return `signal ${child.signalCode}`;
  return undefined;
}
