import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { within } from '../support/signal.js';

/** How to start a real server: a module to run, and where on it MCP is. */
export interface ServerProgram {
  readonly module: string;
  readonly args: readonly string[];
  readonly path: string;
}

export interface RunningServer {
  readonly url: URL;
  stop(): Promise<void>;
}

const START_MILLIS = 25_000;
const PRELOAD = join(__dirname, 'servers/on-loopback.mjs');

/** Starts a server in a process of its own; resolves when it listens. */
export async function startServer({ module, args, path }: ServerProgram): Promise<RunningServer> {
  const child = fork(module, [...args], { execArgv: ['--import', PRELOAD], silent: true });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (data) => {
      output += data;
    });
  }
  const exited = once(child, 'exit');
  const port = await within(
    START_MILLIS,
    () => `${module} to listen; it said: ${output}`,
    new Promise<number>((resolve, reject) => {
      child.once('message', (message) => resolve((message as { port: number }).port));
      child.once('exit', (code) => reject(new Error(`${module} ended with ${code}: ${output}`)));
    }),
  ).catch((error) => {
    child.kill('SIGKILL');
    throw error;
  });
  return {
    url: new URL(path, `http://127.0.0.1:${port}`),
    async stop() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
