import { createHash } from 'node:crypto';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CallRecord, McpHttpInstrumentationConfig } from '../../src/index.js';
import {
  event,
  JSON_HEADERS,
  MCP_HEADERS,
  request,
  result,
  rpcError,
  SSE_HEADERS,
  toolResult,
} from '../support/json-rpc.js';
import { type Answer, CUT, type ScriptedServer, scriptedServer } from '../support/scripted-server.js';
import { startTracing, type Tracing } from '../support/tracing.js';

let server: ScriptedServer;
let tracing: Tracing;
let answer: Answer | typeof CUT;
let records: CallRecord[] = [];
const keep = { requestHook: keepRecord, responseHook: keepRecord };

function keepRecord(_: unknown, record: CallRecord): void {
  records.push(record);
}

beforeAll(async () => {
  server = await scriptedServer(() => answer);
  tracing = startTracing({ undici: 'second', undiciConfig: (mcp) => ({ requestHook: mcp.httpSpanHook }) });
});
beforeEach(() => {
  records = [];
});
afterEach(() => tracing.reset());
afterAll(async () => {
  await tracing.stop();
  await server.close();
});

/** Makes one call under a configuration, and gives its span. */
async function spanOf(
  config: McpHttpInstrumentationConfig,
  given: Answer | typeof CUT,
  body: string,
  { url = server.url, headers = {} }: { url?: string; headers?: Record<string, string> } = {},
): Promise<ReadableSpan> {
  tracing.mcp.setConfig({ ...config, ...keep });
  answer = given;
  await fetch(url, { method: 'POST', headers: { ...MCP_HEADERS, ...headers }, body })
    .then((response) => response.text())
    .catch(() => undefined);
  const [span] = await tracing.waitForSpans(1);
  if (span === undefined) throw new Error('there is no span');
  return span;
}

const json = (text: string, status = 200): Answer => ({ status, headers: JSON_HEADERS, body: [text] });

/** No word of which may leave. */
const SECRETS = {
  argument: 'secret-argument',
  text: 'secret-text',
  structured: 'secret-structure',
  data: 'secret-data',
  uri: 'secret-uri',
  query: 'secret-query',
  header: 'secret-header',
  session: 'secret-session',
  answerHeader: 'secret-answer-header',
  meta: 'secret-meta',
};

const callWithSecrets = request('tools/call', {
  name: 'echo',
  arguments: { text: SECRETS.argument },
  _meta: { note: SECRETS.meta },
});
const resultWithSecrets = toolResult({
  content: [{ type: 'text', text: SECRETS.text }],
  structuredContent: { a: SECRETS.structured },
  _meta: { note: SECRETS.meta },
});
const errorWithSecrets = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  error: { code: -32000, message: 'it broke', data: { trace: SECRETS.data } },
});

const leaks: [what: string, body: string, answer: () => Answer | typeof CUT][] = [
  ['a tool result', callWithSecrets, () => json(resultWithSecrets)],
  [
    'a tool error',
    callWithSecrets,
    () => json(resultWithSecrets.replace('"content"', '"isError":true,"content"')),
  ],
  [
    'a tool result in a stream',
    callWithSecrets,
    () => ({ headers: SSE_HEADERS, body: [event(resultWithSecrets)] }),
  ],
  ['an invalid tool result', callWithSecrets, () => json(result({ text: SECRETS.text }))],
  ['an envelope that is wrong', callWithSecrets, () => json(`{"id":"${SECRETS.text}"}`)],
  ['a page', callWithSecrets, () => json(`<html>${SECRETS.text}</html>`, 500)],
  ['a JSON-RPC error', callWithSecrets, () => json(errorWithSecrets)],
  ['a JSON-RPC error with a status', callWithSecrets, () => json(errorWithSecrets, 400)],
  ['a connection that is cut', callWithSecrets, () => CUT],
  [
    'a resource',
    request('resources/read', { uri: `file:///${SECRETS.uri}` }),
    () => json(result({ contents: [{ text: SECRETS.text }] })),
  ],
  [
    'a completion',
    request('completion/complete', {
      ref: { type: 'ref/resource', uri: SECRETS.uri },
      argument: { name: 'a', value: SECRETS.argument },
    }),
    () => json(result({})),
  ],
  [
    'a prompt',
    request('prompts/get', { name: 'p', arguments: { a: SECRETS.argument } }),
    () => json(result({ messages: [SECRETS.text] })),
  ],
];

describe('by default, no content leaves', () => {
  it.each(leaks)('with %s', async (_, body, given) => {
    const secretHeaders = { 'set-cookie': SECRETS.answerHeader, 'www-authenticate': SECRETS.answerHeader };
    const givenAnswer = given();
    const span = await spanOf(
      {},
      givenAnswer === CUT ? CUT : { ...givenAnswer, headers: { ...givenAnswer.headers, ...secretHeaders } },
      body,
      {
        url: `${server.url}?key=${SECRETS.query}`,
        headers: {
          authorization: `Bearer ${SECRETS.header}`,
          'x-api-key': SECRETS.header,
          'mcp-session-id': SECRETS.session,
        },
      },
    );
    const [httpSpan] = await tracing.waitForHttpSpans(1);
    const told = JSON.stringify({
      span: [span.name, span.attributes, span.events, span.links, span.status],
      http: ownAttributes(httpSpan),
      metric: await tracing.durations(),
      records,
    });
    for (const secret of Object.values(SECRETS)) expect(told).not.toContain(secret);
    expect(records).toHaveLength(2);
    expect(ownAttributes(httpSpan)).not.toEqual({});
  });
});

/** Of an HTTP span, what we have put there: the rest is the undici instrumentation's to answer for. */
function ownAttributes(span: ReadableSpan | undefined) {
  return Object.fromEntries(
    Object.entries(span?.attributes ?? {}).filter(([name]) => /^(mcp|gen_ai|jsonrpc|rpc)\./.test(name)),
  );
}

/** Node 26 writes down any depth; older ones run out of stack. */
function writtenDown(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

describe('captureContent', () => {
  it.each([
    [
      'has the arguments and the result of a tool',
      callWithSecrets,
      json(resultWithSecrets),
      {
        'gen_ai.tool.call.arguments': JSON.stringify({ text: SECRETS.argument }),
        'gen_ai.tool.call.result': JSON.stringify(JSON.parse(resultWithSecrets).result),
      },
    ],
    [
      'has the result that came in a stream',
      callWithSecrets,
      { headers: SSE_HEADERS, body: [event(resultWithSecrets)] },
      { 'gen_ai.tool.call.result': JSON.stringify(JSON.parse(resultWithSecrets).result) },
    ],
    [
      'has the result that is wrong',
      callWithSecrets,
      json(result({ text: 'no content' })),
      { 'gen_ai.tool.call.result': '{"text":"no content"}' },
    ],
    [
      'has the arguments of a call that has no result',
      callWithSecrets,
      json(errorWithSecrets),
      {
        'gen_ai.tool.call.arguments': JSON.stringify({ text: SECRETS.argument }),
        'gen_ai.tool.call.result': undefined,
      },
    ],
    [
      'has the URI of a resource, and not the resource',
      request('resources/read', { uri: 'file:///a' }),
      json(result({ contents: [] })),
      { 'mcp.resource.uri': 'file:///a', 'gen_ai.tool.call.result': undefined },
    ],
  ] as const)('%s', async (_, body, given, attributes) => {
    const span = await spanOf({ captureContent: true }, given, body);
    expect(span.attributes).toMatchObject(
      Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined)),
    );
    for (const [name, value] of Object.entries(attributes)) expect(span.attributes[name]).toBe(value);
  });

  it('puts none of it on the metric or the HTTP span', async () => {
    await spanOf({ captureContent: true }, json(resultWithSecrets), callWithSecrets);
    const [httpSpan] = await tracing.waitForHttpSpans(1);
    const told = JSON.stringify([ownAttributes(httpSpan), await tracing.durations()]);
    for (const secret of Object.values(SECRETS)) expect(told).not.toContain(secret);
  });

  it('what is nested too deep for this Node to write down is left out, and the rest is told', async () => {
    const depth = 50_000;
    const deep = `${'['.repeat(depth)}${']'.repeat(depth)}`;
    const span = await spanOf(
      { captureContent: true },
      json(`{"jsonrpc":"2.0","id":1,"result":{"content":${deep}}}`),
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":${deep}}}`,
    );
    expect(span.attributes).toMatchObject({ 'mcp.outcome': 'TOOL_SUCCESS', 'gen_ai.tool.name': 'echo' });
    expect(span.attributes['gen_ai.tool.call.arguments']).toBe(writtenDown(JSON.parse(deep)));
  });
});

describe('sessionId', () => {
  const hash = createHash('sha256').update('s-1').digest('hex').slice(0, 16);

  it.each([
    [undefined, hash],
    ['hash', hash],
    ['raw', 's-1'],
    ['off', undefined],
  ] as const)('%s tells %s', async (sessionId, told) => {
    const headers = { 'mcp-session-id': 's-1' };
    const span = await spanOf({ sessionId }, json(toolResult()), request('tools/list'), { headers });
    expect(span.attributes['mcp.session.id']).toBe(told);
  });

  it('a session that initialize begins is told on initialize itself', async () => {
    const begins = { headers: { ...JSON_HEADERS, 'mcp-session-id': 's-1' }, body: [result({})] };
    const span = await spanOf({}, begins, request('initialize', { protocolVersion: '2025-06-18' }));
    expect(span.attributes['mcp.session.id']).toBe(hash);
  });
});

const MESSAGE = 'bad token Bearer abcdef123456 for https://u:p@db.test/x?key=1';

describe('errorMessage', () => {
  it.each([
    [undefined, 'bad token Bearer *** for https://***@db.test/x?***'],
    ['masked', 'bad token Bearer *** for https://***@db.test/x?***'],
    ['raw', MESSAGE],
    ['off', undefined],
  ] as const)('%s tells %s', async (errorMessage, told) => {
    const span = await spanOf({ errorMessage }, json(rpcError(-32000, MESSAGE)), request('tools/list'));
    const suffix = told === undefined ? '' : `: ${told}`;
    expect(span.status.message).toBe(`JSON-RPC error -32000${suffix}`);
    expect(records.at(-1)?.jsonrpc).toEqual({ id: 1, errorCode: -32000, errorMessage: told ?? null });
  });

  it('fetch puts the password of a URL into its error, and it does not leave', async () => {
    const url = server.url.replace('://', '://user:pass@word@');
    const span = await spanOf({}, json(toolResult()), request('tools/list'), { url });
    expect(span.status.message).toMatch(
      /^no HTTP response: Request cannot be constructed from a URL that includes credentials: http:\/\/\*\*\*@127/,
    );
    expect(records.at(-1)?.url).toBe(server.url);
    expect(JSON.stringify([span.attributes, span.status, records])).not.toMatch(/user|pass|word/);
  });

  it('a message as long as a body is cut', async () => {
    const span = await spanOf({}, json(rpcError(-1, 'x '.repeat(100_000))), request('tools/list'));
    expect(span.status.message?.length).toBe('JSON-RPC error -1: '.length + 256);
  });
});
