import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MCP_HEADERS, request, result, toolResult, toolsCall } from '../support/json-rpc.js';
import { refusedPort } from '../support/raw-server.js';
import { type Answer, CUT, type ScriptedServer, scriptedServer } from '../support/scripted-server.js';
import { startTracing, type Tracing } from '../support/tracing.js';

/** What is used of undici here, in all its versions. */
interface Undici {
  Agent: new () => object;
  RetryAgent: new (agent: object, options: object) => object;
  request(url: string, options: object): Promise<{ statusCode: number; body: { text(): Promise<string> } }>;
  fetch(url: string, options: object): Promise<Response>;
}

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const VERSIONS = major > 22 || (major === 22 && minor >= 19) ? [6, 7, 8] : [6, 7];

describe.each(VERSIONS)(`undici %i's RetryAgent (undici 8 needs Node 22.19 and runs there)`, (version) => {
  let undici: Undici;
  let server: ScriptedServer;
  let tracing: Tracing;
  let answers: (Answer | typeof CUT)[];

  beforeEach(async () => {
    undici = (await import(`undici${version}`)) as unknown as Undici;
    server = await scriptedServer(() => answers.shift() ?? { status: 500 });
    tracing = startTracing({ undici: 'first' });
  });
  afterEach(async () => {
    await tracing.stop();
    await server.close();
  });

  // Node's fetch takes dispatchers of its own undici's major only.
  const isNodesOwn = process.versions['undici']?.startsWith(`${version}.`) === true;
  const fetches = isNodesOwn ? ['undici.fetch', 'fetch'] : ['undici.fetch'];

  const ok: Answer = { headers: { 'content-type': 'application/json' }, body: [toolResult()] };
  const busy: Answer = { status: 503, headers: { 'content-type': 'application/json' }, body: ['{}'] };

  function dispatcher(maxRetries = 5): object {
    return new undici.RetryAgent(new undici.Agent(), { minTimeout: 1, methods: ['POST'], maxRetries });
  }

  // undici 7 doesn't announce it, and hides who does it: the attempts are two calls there.
  const cutIsOneCall = version !== 7;

  it('after a cut connection, where undici 7 hides who sends again, each attempt is a call', async () => {
    answers = [CUT, ok];
    const response = await undici.request(server.url, {
      method: 'POST',
      headers: MCP_HEADERS,
      body: toolsCall(),
      dispatcher: dispatcher(),
    });
    await response.body.text();
    const spans = await tracing.waitForSpans(cutIsOneCall ? 1 : 2);
    expect(spans.map(({ attributes }) => attributes['mcp.outcome'])).toEqual(
      cutIsOneCall ? ['TOOL_SUCCESS'] : ['NETWORK_ERROR', 'TOOL_SUCCESS'],
    );
    expect(spans.at(-1)?.attributes['mcp.retry.origin']).toBe(cutIsOneCall ? 'transport' : 'unknown');
  });

  it.each([
    ['503', [busy, busy, ok], 'status_503', [503, 503, 200]],
    ...(cutIsOneCall ? ([['a cut connection', [CUT, ok], 'network', [200]]] as const) : []),
  ] as const)('a request sent again after %s is one call', async (_what, script, reason, statuses) => {
    answers = [...script];
    const response = await undici.request(server.url, {
      method: 'POST',
      headers: MCP_HEADERS,
      body: toolsCall(),
      dispatcher: dispatcher(),
    });
    await response.body.text();
    const [span] = await tracing.waitForSpans(1);
    expect(span?.attributes).toMatchObject({
      'mcp.outcome': 'TOOL_SUCCESS',
      'mcp.retry.origin': 'transport',
      'mcp.retry.reason': reason,
      'mcp.retry.attempt': script.length,
      'mcp.http.post_count': script.length,
      'mcp.http.status_codes': statuses,
    });
    expect(span?.attributes).not.toHaveProperty('mcp.retry.inferred');
    const retries = span?.events.filter(({ name }) => name === 'mcp.retry') ?? [];
    expect(retries.map(({ attributes }) => attributes?.['mcp.retry.attempt'])).toEqual(
      Array.from({ length: script.length - 1 }, (_, i) => i + 2),
    );
    expect(retries.every(({ attributes }) => Number(attributes?.['mcp.retry.delay']) >= 0)).toBe(true);
    await tracing.waitForHttpSpans(script.length);
  });

  it.each([
    ['503: the tool may have run', busy, toolsCall(), true],
    ['429: it has not', { ...busy, status: 429 }, toolsCall(), false],
    ['503 to a request that runs no tool', busy, request('tools/list'), false],
    ...(cutIsOneCall ? ([['a cut connection', CUT, toolsCall(), true]] as const) : []),
  ] as const)(
    'says of what is sent again after %s whether that is safe',
    async (_what, failure, body, unsafe) => {
      const other: Answer = { ...ok, body: [result({ tools: [] })] };
      answers = [failure, body === toolsCall() ? ok : other];
      const response = await undici.request(server.url, {
        method: 'POST',
        headers: MCP_HEADERS,
        body,
        dispatcher: dispatcher(),
      });
      await response.body.text();
      const [span] = await tracing.waitForSpans(1);
      expect(span?.attributes['mcp.retry.origin']).toBe('transport');
      expect(span?.events.filter(({ name }) => name === 'mcp.unsafe_repeat')).toHaveLength(unsafe ? 1 : 0);
    },
  );

  it.each(fetches)('%s sent again after a refused connection is one call', async (fetchName) => {
    const port = await refusedPort();
    answers = [ok];
    // Refused once; the second attempt goes through to the server that listens there by then.
    let late: ScriptedServer | undefined;
    const agent = new undici.RetryAgent(new undici.Agent(), {
      minTimeout: 1,
      methods: ['POST'],
      retry: async (_error: unknown, _context: unknown, done: () => void) => {
        late ??= await scriptedServer(() => ok, { port });
        done();
      },
    });
    const fetchOf = fetchName === 'fetch' ? (fetch as Undici['fetch']) : undici.fetch;
    const response = await fetchOf(`http://127.0.0.1:${port}/mcp`, {
      method: 'POST',
      headers: MCP_HEADERS,
      body: toolsCall(),
      dispatcher: agent,
    });
    await response.text();
    await late?.close();
    const [span] = await tracing.waitForSpans(1);
    expect(span?.attributes).toMatchObject({
      'mcp.outcome': 'TOOL_SUCCESS',
      'mcp.http.status_codes': [200],
      // Of undici's own fetch only the attempt that got through is seen as a call: the body never left before.
      ...(fetchName === 'fetch' && {
        'mcp.retry.origin': 'transport',
        'mcp.retry.reason': 'network',
        'mcp.http.post_count': 2,
      }),
    });
  });

  it('given up, it ends as what it was last when the instrumentation is disabled', async () => {
    answers = [busy, busy];
    await expect(
      undici
        .request(server.url, {
          method: 'POST',
          headers: MCP_HEADERS,
          body: toolsCall(),
          dispatcher: dispatcher(1),
        })
        .then(({ body }) => body.text()),
    ).rejects.toThrow();
    tracing.mcp.disable();
    const [span] = await tracing.waitForSpans(1);
    expect(span?.attributes).toMatchObject({
      'mcp.outcome': 'HTTP_ERROR',
      'error.type': '503',
      'mcp.retry.attempt': 2,
    });
  });

  it('without a RetryAgent a refusal ends the call at once', async () => {
    answers = [busy];
    const response = await undici.request(server.url, {
      method: 'POST',
      headers: MCP_HEADERS,
      body: toolsCall(),
      dispatcher: new undici.Agent(),
    });
    await response.body.text();
    const [span] = await tracing.waitForSpans(1);
    expect(span?.attributes).toMatchObject({ 'mcp.outcome': 'HTTP_ERROR', 'mcp.retry.origin': 'none' });
  });
});
