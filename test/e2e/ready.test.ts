import { expect, it } from 'vitest';
import { startProgram } from './program.js';
import { untilReady } from './ready.js';

const refused = () => Promise.reject(new Error('connection refused'));

function run(name: string, code: string) {
  return startProgram({ name, command: process.execPath, args: ['-e', code], env: {} });
}

it('a program that ends before it is ready is an error at once, and its log says why', async () => {
  const program = run('broken', 'console.error("unknown type: otlp_smtp"); process.exitCode = 3');
  await expect(untilReady(program, refused)).rejects.toThrow(
    /^broken: exit code 3\n(?:.*\n)*unknown type: otlp_smtp/,
  );
  program.discard();
});

it('a program that is not there is an error that names it', async () => {
  const program = startProgram({ name: 'missing', command: '/nonexistent/jaeger', args: [], env: {} });
  await expect(untilReady(program, refused)).rejects.toThrow(/^missing: could not be started: .*ENOENT/);
  program.discard();
});

it('an answer other than 2xx is not ready yet', async () => {
  const program = run('slow', 'setInterval(() => {}, 1000)');
  const answers = [503, 404, 200];
  await untilReady(program, async () => new Response(null, { status: answers.shift() ?? 200 }));
  expect(answers).toEqual([]);
  expect(await program.stop()).toBe('signal SIGTERM');
  program.discard();
});
