import { afterAll, beforeAll, expect, it } from 'vitest';
import { event, JSON_HEADERS, rpcError, SSE_HEADERS, toolResult } from '../support/json-rpc.js';
import { run } from '../support/run.js';
import {
  type Answer,
  CUT,
  type RecordedRequest,
  type ScriptedServer,
  type Step,
  scriptedServer,
} from '../support/scripted-server.js';
import { signal } from '../support/signal.js';

const CALLS = 10_000;
const AT_ONCE = 1_000;
const KINDS = 9;

const progress = event('{"jsonrpc":"2.0","method":"notifications/progress","params":{}}');
const json = (body: string): Answer => ({ headers: JSON_HEADERS, body: [body] });
const sse = (...body: Step[]): Answer => ({ headers: SSE_HEADERS, body });

/** Events for the client's GET stream, which sends them as they come. */
const elsewhere = {
  events: [] as string[],
  more: signal(),
  push(text: string) {
    this.events.push(text);
    this.more.give();
  },
};

function* sendElsewhere(): Generator<Step> {
  for (;;) {
    yield elsewhere.more.seen;
    elsewhere.more = signal();
    yield elsewhere.events.splice(0).join('');
  }
}

function answer({ method, headers, body }: RecordedRequest): Answer {
  if (method === 'GET') {
    const lastEventId = headers['last-event-id'];
    if (lastEventId === undefined) return { headers: SSE_HEADERS, body: sendElsewhere() };
    return sse(event(toolResult({}, Number(String(lastEventId).split(' ').at(-1)))));
  }
  const { id, params } = JSON.parse(body);
  switch (String(params.name).split(' ')[0]) {
    case 'json':
      return json(toolResult({}, id));
    case 'tool_error':
      return json(toolResult({ isError: true }, id));
    case 'rpc_error':
      return json(rpcError(-32603, 'no', id));
    case 'stream':
      return sse(progress, event(toolResult({}, id)));
    case 'cut':
      return sse(progress, CUT);
    case 'unavailable':
      return { status: 503 };
    case 'abort':
      return sse(progress, new Promise(() => {}));
    case 'elsewhere':
      elsewhere.push(event(toolResult({}, id)));
      return { status: 202 };
    default:
      return sse(`id: event of ${id}\ndata:\n\n`);
  }
}

let server: ScriptedServer;

beforeAll(async () => {
  server = await scriptedServer((request) => {
    // It would keep every request.
    server.forget();
    return answer(request);
  });
});
afterAll(() => server.close());

it('of 10,000 calls, 1,000 at once, each is told as it went, and nothing of them is kept', {
  timeout: 120_000,
}, async () => {
  const script = { url: server.url, calls: CALLS, atOnce: AT_ONCE };
  const args = ['--expose-gc', 'test/load/mixed-calls.mjs', JSON.stringify(script)];
  const { code, stdout, stderr } = await run(process.execPath, args, { timeoutMillis: 110_000 });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const { started, ended, right, wrong, wrongCount, before, after } = JSON.parse(stdout);
  expect({ wrong, wrongCount }).toEqual({ wrong: [], wrongCount: 0 });
  expect({ started, ended }).toEqual({ started: CALLS, ended: CALLS });
  expect(Object.keys(right)).toHaveLength(KINDS);
  // What is kept of each of 6,000 calls would show: with its send, its span and its message one takes more than 5 kB.
  // A thousand sockets that come and go make for some megabytes of difference by themselves.
  expect(after - before).toBeLessThan(15_000_000);
});
