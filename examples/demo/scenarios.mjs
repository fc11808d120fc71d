import { withRetryOrigin } from 'opentelemetry-instrumentation-mcp-http';
import { cut, error, inTurn, json, moved, raw, result, resumed, silence, streamCut } from './answers.mjs';

/**
 * What the agent does, what the script answers, and what the table must then say.
 *
 * - `run(agent, end)` makes the calls. What it throws is the agent's to handle and doesn't count; `end` is aborted once
 *   all expected calls are over, for a client that would go on waiting.
 * - `answers`: scripted answers by JSON-RPC method (by HTTP method for what is no POST); what isn't listed is answered by the real server.
 * - `expected`: the calls, in order. What a row doesn't say is as in `EXPECTED_BY_DEFAULT` (check.mjs).
 * - Each scenario asks for another city: the same call after a failure would be a repeat.
 * - `tree`: the demo prints this one's spans.
 */

const hotels = { content: [{ type: 'text', text: '3 hotels in Oslo' }] };
const challenge = raw(401, { 'www-authenticate': 'Bearer resource_metadata="http://127.0.0.1/"' });
const signInPage = raw(200, { 'content-type': 'text/html' }, '<!doctype html><title>Sign in</title>');
// More than is kept of a body by default (`maxBodyBytes`, 4 MiB).
const largeResult = () => ({ content: [{ type: 'text', text: 'x'.repeat(5 * 1024 * 1024) }] });

const search = { call: 'tools/call search' };
const found = { ...search, resultType: 'complete', outcome: 'TOOL_SUCCESS' };
const initialized = [
  { call: 'initialize', resultType: 'complete', outcome: 'SUCCESS' },
  { call: 'notifications/initialized', http: [202], outcome: 'ACCEPTED' },
];
const busy = raw(503, { 'retry-after': '1' }, 'busy');
const failedBusy = { ...search, http: [503], outcome: 'HTTP_ERROR', layer: 'transport' };
const cancelNotice = { call: 'notifications/cancelled', http: [202], outcome: 'ACCEPTED' };

export const SCENARIOS = [
  {
    name: 'connect',
    client: 'SDK v1',
    run: ({ v1 }) => v1.connect(),
    expected: initialized,
  },
  {
    name: 'ask which tools there are',
    client: 'SDK v1',
    run: ({ v1 }) => v1.listTools(),
    expected: [{ call: 'tools/list', resultType: 'complete', outcome: 'SUCCESS' }],
  },
  {
    name: 'search for a hotel',
    client: 'SDK v1',
    run: ({ v1 }) => v1.callTool('search', { city: 'Oslo' }),
    expected: [found],
  },
  {
    name: 'pay, which the server wants confirmed first',
    client: 'SDK v2',
    run: async ({ v2 }) => {
      await v2.connect();
      await v2.callTool('pay', { amount: 90 });
    },
    expected: [
      { call: 'server/discover', resultType: 'complete', outcome: 'SUCCESS' },
      { call: 'tools/call pay', resultType: 'input_required', outcome: 'INPUT_REQUIRED' },
      { call: 'tools/call pay', resultType: 'complete', outcome: 'TOOL_SUCCESS' },
    ],
  },
  {
    name: 'ask for a report that takes a while',
    client: 'SDK v1',
    run: ({ v1 }) => v1.callToolAsTask('report', {}),
    answers: {
      'tools/call': result({
        task: {
          taskId: 'report-1',
          status: 'working',
          ttl: 60_000,
          createdAt: '2026-07-28T12:00:00Z',
          lastUpdatedAt: '2026-07-28T12:00:00Z',
        },
      }),
    },
    expected: [{ call: 'tools/call report', resultType: 'complete', outcome: 'TASK_CREATED' }],
  },

  {
    name: 'the tool says that it failed',
    client: 'SDK v1',
    run: ({ v1 }) => v1.callTool('book', { hotel: 'Grand' }),
    expected: [
      { call: 'tools/call book', resultType: 'complete', outcome: 'TOOL_ERROR', layer: 'application' },
    ],
  },

  {
    name: 'the tool does not exist',
    client: 'SDK v1',
    run: ({ v1 }) => v1.callTool('refund', { amount: 90 }),
    tree: true,
    expected: [{ call: 'tools/call refund', code: '-32602', outcome: 'JSONRPC_ERROR', layer: 'protocol' }],
  },
  {
    name: 'the result is not a tool result',
    client: 'SDK v1',
    run: ({ v1 }) => v1.callTool('search', { city: 'Rome' }),
    answers: { 'tools/call': result({ content: '3 hotels' }) },
    expected: [{ ...search, resultType: 'complete', outcome: 'INVALID_TOOL_RESULT', layer: 'protocol' }],
  },
  {
    name: 'the result is null',
    client: 'SDK v2',
    run: ({ v2 }) => v2.request('tools/list'),
    answers: { 'tools/list': result(null) },
    expected: [{ call: 'tools/list', outcome: 'INVALID_RESULT', layer: 'protocol' }],
  },
  {
    name: 'the id comes back as a string, which the SDK lets pass',
    client: 'SDK v1',
    run: ({ v1 }) => v1.callTool('search', { city: 'Lima' }),
    answers: { 'tools/call': json((id) => ({ jsonrpc: '2.0', id: String(id), result: hotels })) },
    expected: [{ ...search, outcome: 'INVALID_ENVELOPE', layer: 'protocol', detail: 'id_mismatch' }],
  },
  {
    name: 'a gateway answers with its sign-in page',
    client: 'SDK v2',
    run: ({ v2 }) => v2.callTool('search', { city: 'Cairo' }),
    answers: { 'tools/call': signInPage },
    expected: [{ ...search, outcome: 'MALFORMED_JSON', layer: 'protocol' }],
  },

  {
    name: 'the stream is cut before the response',
    client: 'SDK v2',
    run: ({ v2 }, end) => v2.callTool('search', { city: 'Delhi' }, { signal: end }),
    answers: { 'tools/call': streamCut },
    expected: [{ ...search, outcome: 'STREAM_INCOMPLETE', layer: 'transport' }],
  },
  {
    name: 'an outage, with a body that looks like success',
    client: 'SDK v1',
    run: ({ v1 }) => v1.callTool('search', { city: 'Paris' }),
    answers: { 'tools/call': result(hotels, 503, { 'retry-after': '30' }) },
    expected: [{ ...search, http: [503], outcome: 'HTTP_ERROR', layer: 'transport' }],
  },
  {
    name: 'the server refuses what the client accepts',
    client: 'fetch',
    run: ({ post }) => post('tools/call', { name: 'search', arguments: { city: 'Seoul' } }),
    expected: [{ ...search, http: [406], code: '-32000', outcome: 'HTTP_ERROR', layer: 'transport' }],
  },
  {
    name: 'the connection is cut without an answer',
    client: 'SDK v2',
    run: ({ v2 }) => v2.callTool('search', { city: 'Quito' }),
    answers: { 'tools/call': cut },
    expected: [
      { ...search, http: [], outcome: 'NETWORK_ERROR', layer: 'transport', detail: 'UND_ERR_SOCKET' },
    ],
  },
  {
    name: 'no answer while the SDK waits',
    client: 'SDK v1',
    run: ({ v1 }) => v1.callTool('search', { city: 'Accra' }, { timeout: 150 }),
    answers: { 'tools/call': silence },
    expected: [{ ...search, http: [], outcome: 'TIMEOUT', layer: 'transport' }, cancelNotice],
  },
  {
    name: 'no answer while fetch waits',
    client: 'fetch',
    run: ({ post }) =>
      post(
        'tools/call',
        { name: 'search', arguments: { city: 'Hanoi' } },
        { signal: AbortSignal.timeout(150) },
      ),
    answers: { 'tools/call': silence },
    expected: [{ ...search, http: [], outcome: 'TIMEOUT', layer: 'transport' }],
  },

  {
    name: 'the user changes their mind',
    client: 'SDK v2',
    run: ({ v2, arrival }) => {
      const user = new AbortController();
      arrival().then(() => user.abort());
      return v2.callTool('search', { city: 'Minsk' }, { signal: user.signal });
    },
    answers: { 'tools/call': silence },
    expected: [{ ...search, http: [], outcome: 'CANCELLED' }],
  },
  {
    name: 'the result is larger than what is looked at',
    client: 'SDK v1',
    run: ({ v1 }) => v1.callTool('search', { city: 'Sofia' }),
    answers: { 'tools/call': result(largeResult()) },
    expected: [{ ...search, outcome: 'UNCLASSIFIED', detail: 'body_too_large' }],
  },

  {
    name: 'connect to a server that asks for authorization',
    client: 'SDK v1',
    run: ({ newV1 }) => newV1().connect(),
    answers: { initialize: challenge },
    expected: [
      {
        call: 'initialize',
        http: [401],
        outcome: 'HTTP_ERROR',
        layer: 'transport',
        detail: 'authorization',
      },
    ],
  },
  {
    name: 'connect to a server that does not know 2026-07-28',
    client: 'SDK v2',
    run: ({ newV2 }) => newV2().connect(),
    answers: { 'server/discover': error(-32601, 'Method not found', 400) },
    expected: [
      {
        call: 'server/discover',
        http: [400],
        code: '-32601',
        outcome: 'HTTP_ERROR',
        layer: 'transport',
        detail: 'version',
      },
      ...initialized,
    ],
  },
  {
    name: 'the server has moved, and the SDK goes after it',
    client: 'SDK v1',
    run: ({ v1 }) => v1.callTool('search', { city: 'Tunis' }),
    answers: { 'tools/call': moved(result(hotels)) },
    expected: [
      { ...search, http: [307], outcome: 'HTTP_ERROR', layer: 'transport', detail: 'redirect' },
      { ...found, http: [307, 200] },
    ],
  },
  {
    name: 'the server has moved, and fetch goes after it',
    client: 'fetch',
    run: ({ post }) => post('tools/call', { name: 'search', arguments: { city: 'Dakar' } }),
    answers: { 'tools/call': moved(result(hotels)) },
    expected: [{ ...found, http: [307, 200] }],
  },

  {
    name: 'the stream ends early, and the SDK resumes it',
    client: 'SDK v1',
    run: ({ v1 }) => v1.callTool('search', { city: 'Perth' }),
    answers: resumed('tools/call', hotels),
    expected: [found],
  },
  {
    name: 'the server is busy, and the same request goes out again',
    client: 'fetch',
    run: async ({ post }) => {
      // One client aborts all its requests by one signal; that is how it is known.
      const { signal } = new AbortController();
      await post('tools/call', { name: 'search', arguments: { city: 'Osaka' } }, { signal });
      await post('tools/call', { name: 'search', arguments: { city: 'Osaka' } }, { signal });
    },
    answers: { 'tools/call': inTurn(busy, result(hotels)) },
    expected: [failedBusy, { ...found, http: [503, 200], retryOrigin: 'sdk' }],
  },
  {
    name: 'the server is busy, and the agent calls again',
    client: 'SDK v1',
    run: async ({ v1 }) => {
      await v1.callTool('search', { city: 'Milan' }).catch(() => {});
      await v1.callTool('search', { city: 'Milan' });
    },
    answers: { 'tools/call': inTurn(busy, result(hotels)) },
    expected: [failedBusy, { ...found, retryOrigin: 'application' }],
  },
  {
    name: 'the server is busy, and a person tries again',
    client: 'SDK v2',
    run: async ({ v2 }) => {
      await v2.callTool('search', { city: 'Turin' }).catch(() => {});
      await withRetryOrigin('manual', () => v2.callTool('search', { city: 'Turin' }));
    },
    answers: { 'tools/call': inTurn(busy, result(hotels)) },
    expected: [failedBusy, { ...found, retryOrigin: 'manual' }],
  },
];
