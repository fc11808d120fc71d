import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { JSON_HEADERS, MCP_HEADERS, request, result, toolResult } from '../support/json-rpc.js';
import { type Answer, type ScriptedServer, scriptedServer } from '../support/scripted-server.js';
import { startTracing, type Tracing } from '../support/tracing.js';

let server: ScriptedServer;
let tracing: Tracing;
let answer: Answer;

beforeAll(async () => {
  server = await scriptedServer(() => answer);
  tracing = startTracing();
});
afterEach(() => {
  tracing.reset();
  // Forgets the dialogues under way, and what has failed.
  tracing.mcp.disable();
  tracing.mcp.enable();
});
afterAll(async () => {
  await tracing.stop();
  await server.close();
});

const json = (body: string, status = 200): Answer => ({ status, headers: JSON_HEADERS, body: [body] });
const asks = (id: number, fields: object): Answer =>
  json(result({ resultType: 'input_required', ...fields }, id));

async function send(
  method: string,
  params: object,
  id: number,
  reply: Answer,
  session = 's-1',
): Promise<void> {
  answer = reply;
  const headers = { ...MCP_HEADERS, 'mcp-session-id': session };
  await (await fetch(server.url, { method: 'POST', headers, body: request(method, params, id) })).text();
}

const roundOf = (span: ReadableSpan | undefined) => span?.attributes['mcp.mrtr.round'];
const links = (span: ReadableSpan | undefined) =>
  Object.fromEntries(
    (span?.links ?? []).map(({ attributes, context }) => [attributes?.['mcp.link.type'], context.spanId]),
  );

const approval = { inputRequests: { approval: { method: 'elicitation/create' } } };
const approved = { inputResponses: { approval: { action: 'accept' } } };

describe('a dialogue that asks for input', () => {
  it.each([
    ['tools/call', { name: 'pay', arguments: { amount: 90 } }, toolResult({}, 2)],
    ['prompts/get', { name: 'plan' }, result({ messages: [] }, 2)],
    ['resources/read', { uri: 'file:///a' }, result({ contents: [] }, 2)],
  ])('goes on in a second round of %s, known by its state', async (method, params, last) => {
    await send(method, params, 1, asks(1, { ...approval, requestState: 'opaque' }));
    await send(method, { ...params, ...approved, requestState: 'opaque' }, 2, json(last));
    const [first, second] = await tracing.waitForSpans(2);
    expect([roundOf(first), roundOf(second)]).toEqual([1, 2]);
    expect(links(second)).toEqual({ mrtr_round_of: first?.spanContext().spanId });
    expect(second?.attributes['mcp.retry.origin']).toBe('none');
    expect(first?.events.find(({ name }) => name === 'mcp.input_required')?.attributes).toEqual({
      'mcp.mrtr.round': 1,
      'mcp.input.requests': 1,
      'mcp.input.methods': ['elicitation/create'],
    });
  });

  const pay = { name: 'pay', arguments: { amount: 90 } };

  it.each([
    ['without a state by the names of the questions', approval, approved, true],
    ['not by other names', approval, { inputResponses: { other: {} } }, false],
    ['not by another state', { requestState: 'a' }, { requestState: 'b' }, false],
    ['not without the state that was given', { ...approval, requestState: 'a' }, approved, false],
  ] as const)('a follow-up is known %s', async (_how, asked, answered, known) => {
    await send('tools/call', pay, 1, asks(1, asked));
    await send('tools/call', { ...pay, ...answered }, 2, json(toolResult({}, 2)));
    const [, second] = await tracing.waitForSpans(2);
    expect(roundOf(second)).toBe(known ? 2 : undefined);
  });

  it.each([
    ['other arguments', { name: 'pay', arguments: { amount: 1 }, ...approved }, 's-1'],
    ['another session', { ...pay, ...approved }, 's-2'],
    ['no answers', pay, 's-1'],
  ])('%s: no follow-up', async (_what, params, session) => {
    await send('tools/call', pay, 1, asks(1, approval));
    await send('tools/call', params, 2, json(toolResult({}, 2)), session);
    const [, second] = await tracing.waitForSpans(2);
    expect(roundOf(second)).toBeUndefined();
    expect(links(second)).toEqual({});
  });

  it('may take several rounds', async () => {
    await send('tools/call', pay, 1, asks(1, { requestState: 'a' }));
    await send('tools/call', { ...pay, requestState: 'a' }, 2, asks(2, { requestState: 'b' }));
    await send('tools/call', { ...pay, requestState: 'b' }, 3, json(toolResult({}, 3)));
    const spans = await tracing.waitForSpans(3);
    expect(spans.map(roundOf)).toEqual([1, 2, 3]);
    expect(links(spans[2])).toEqual({ mrtr_round_of: spans[1]?.spanContext().spanId });
  });

  it('a round that is sent again after a 503 is a retry and a round', async () => {
    await send('tools/call', pay, 1, asks(1, { requestState: 'a' }));
    await send('tools/call', { ...pay, requestState: 'a' }, 2, json('{}', 503));
    await send('tools/call', { ...pay, requestState: 'a' }, 2, json(toolResult({}, 2)));
    const spans = await tracing.waitForSpans(3);
    expect(spans.map(roundOf)).toEqual([1, 2, 2]);
    expect(spans[2]?.attributes).toMatchObject({ 'mcp.retry.origin': 'sdk', 'mcp.retry.attempt': 2 });
    expect(links(spans[2])).toEqual({
      retry_of: spans[1]?.spanContext().spanId,
      mrtr_round_of: spans[0]?.spanContext().spanId,
    });
  });
});
