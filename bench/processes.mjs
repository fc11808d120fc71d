// @ts-check
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** @param {string} script - beside this file */
const pathOf = (script) => fileURLToPath(new URL(script, import.meta.url));

/**
 * Starts the server that answers all workloads, in a process of its own.
 *
 * @returns {Promise<{ origin: string, stop: () => Promise<void> }>}
 */
export async function startServer() {
  const child = fork(pathOf('server.mjs'));
  const [port] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => Promise.reject(new Error('the server ended before it listened'))),
  ]);
  return {
    origin: `http://127.0.0.1:${port}`,
    async stop() {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}

/**
 * Runs a measuring process to its end.
 *
 * @template Answer
 * @param {string} script - beside this file
 * @param {unknown} question - its argument, as JSON
 * @param {readonly string[]} execArgv - Node's own options
 * @returns {Promise<Answer>} the one message that it sends
 */
export async function measure(script, question, execArgv = []) {
  const child = fork(pathOf(script), [JSON.stringify(question)], { execArgv: [...execArgv] });
  /** @type {Answer | undefined} */
  let answer;
  child.on('message', (message) => {
    answer = /** @type {Answer} */ (message);
  });
  const [code] = await once(child, 'exit');
  if (code !== 0 || answer === undefined) {
    throw new Error(`${script} ended with code ${code} for ${JSON.stringify(question)}`);
  }
  return answer;
}
