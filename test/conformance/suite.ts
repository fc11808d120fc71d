import { type ExecFileException, execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import type { Play } from './plays.js';

const FOLDER = 'test/conformance';
const PROGRAM = `${FOLDER}/suite/node_modules/@modelcontextprotocol/conformance/dist/index.js`;
const TRACING = `${FOLDER}/clients/tracing.mjs`;

/** What the suite says of a client. */
export interface Verdict {
  /** Every check was passed, and the client ended well where it should have. */
  readonly passed: boolean;
  /** Name and status of each check, sorted: streams beside a call may be told of in any order. */
  readonly checks: readonly string[];
}

/** An MCP span, as `clients/tracing.mjs` writes it. */
export interface WrittenSpan {
  readonly order: number;
  readonly name: string;
  readonly status: { readonly code: number };
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** The client scenarios that this version of the suite has. */
export async function listedScenarios(): Promise<string[]> {
  const { stdout } = await runSuite(['list', '--client'], {});
  return [...stdout.matchAll(/^ *- (\S+) \[/gm)].map(([, scenario = '']) => scenario);
}

/** Has the suite judge a client that runs without the package. */
export async function judge(play: Play): Promise<Verdict> {
  return inFolder((folder) => verdictOn(play, `node ${programOf(play)}`, folder, {}));
}

/** Has the suite judge a client that runs with the package, and reads its spans in the order of their start. */
export async function judgeTraced(play: Play): Promise<{ verdict: Verdict; spans: WrittenSpan[] }> {
  return inFolder(async (folder) => {
    const file = join(folder, 'spans');
    const command = `node --import ./${TRACING} ${programOf(play)}`;
    const verdict = await verdictOn(play, command, folder, { CONFORMANCE_SPANS: file });
    return { verdict, spans: spansIn(file) };
  });
}

const programOf = ({ client }: Play) => `${FOLDER}/clients/${client}.mjs`;

async function inFolder<T>(run: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'conformance-'));
  try {
    return await run(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function verdictOn(
  { scenario, revision }: Play,
  command: string,
  folder: string,
  env: Record<string, string>,
): Promise<Verdict> {
  const version = revision === 'extension' ? [] : ['--spec-version', revision];
  const results = join(folder, 'results');
  const { failed, stdout, stderr } = await runSuite(
    ['client', '--command', command, '--scenario', scenario, ...version, '-o', results],
    env,
  );
  const report = existsSync(results)
    ? readdirSync(results, { recursive: true, encoding: 'utf8' }).find((path) => path.endsWith('checks.json'))
    : undefined;
  if (report === undefined) throw new Error(`the suite left no checks of ${scenario}:\n${stdout}\n${stderr}`);
  const checks = JSON.parse(readFileSync(join(results, report), 'utf8')) as Record<string, string>[];
  return {
    passed: !failed,
    checks: checks.map((check) => `${check['id']} ${check['name']} ${check['status']}`).sort(),
  };
}

/** Runs the suite on the Node that runs the tests; its exit code is its verdict. */
function runSuite(
  args: readonly string[],
  env: Record<string, string>,
): Promise<{ failed: boolean; stdout: string; stderr: string }> {
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [PROGRAM, ...args],
      {
        env: {
          ...process.env,
          ...env,
          // The suite starts the client with a shell.
          PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH']}`,
        },
        timeout: 60_000,
        maxBuffer: 64 * 1024 * 1024,
      },
      (error: ExecFileException | null, stdout, stderr) => {
        if (error !== null && error.code !== 1) reject(error);
        else resolve({ failed: error !== null, stdout, stderr });
      },
    );
  });
}

function spansIn(file: string): WrittenSpan[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as WrittenSpan).sort((one, other) => one.order - other.order);
}
