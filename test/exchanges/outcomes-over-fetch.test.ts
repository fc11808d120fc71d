import { describe, expect, it } from 'vitest';
import { ENVELOPE_DEFECTS, OUTCOMES } from '../../src/index.js';
import { titled } from '../protocol/titled.js';
import {
  event,
  JSON_HEADERS,
  request,
  result,
  rpcError,
  SSE_HEADERS,
  toolResult,
  toolsCall,
} from '../support/json-rpc.js';
import { answered, type ExchangeRow, failure, observedExchanges } from '../support/observed-exchanges.js';
import { CUT, type Step } from '../support/scripted-server.js';

/** A row whose response is one JSON-RPC message on 200, be it the body or an event of a stream. */
type MessageRow = Omit<ExchangeRow, 'answer' | 'attributes'> & {
  readonly message: string;
  readonly told: Readonly<Record<string, unknown>>;
};

const COMPLETE = { 'mcp.result.type': 'complete' };

/** What a method other than `tools/call` doesn't have. */
const NO_TOOL = { 'gen_ai.operation.name': undefined, 'gen_ai.tool.name': undefined };

const messages: MessageRow[] = [
  {
    rule: 'a tool result succeeds',
    message: toolResult(),
    told: { 'mcp.outcome': 'TOOL_SUCCESS', ...COMPLETE },
  },
  {
    rule: 'a tool result without text succeeds: what the tool says is never looked at',
    message: toolResult({ content: [], structuredContent: { error: 'failed' }, isError: false }),
    told: { 'mcp.outcome': 'TOOL_SUCCESS', ...COMPLETE },
  },
  {
    rule: 'another method succeeds with any object',
    name: 'tools/list',
    body: request('tools/list'),
    message: result({}),
    told: { ...NO_TOOL, 'mcp.method.name': 'tools/list', 'mcp.outcome': 'SUCCESS', ...COMPLETE },
  },
  {
    rule: 'a prompt is named in the span',
    name: 'prompts/get greeting',
    body: request('prompts/get', { name: 'greeting' }),
    message: result({ messages: [] }),
    told: {
      ...NO_TOOL,
      'mcp.method.name': 'prompts/get',
      'gen_ai.prompt.name': 'greeting',
      'mcp.outcome': 'SUCCESS',
      ...COMPLETE,
    },
  },
  {
    rule: 'a resource is not named: its URI is content',
    name: 'resources/read',
    body: request('resources/read', { uri: 'file:///private' }),
    message: result({ contents: [] }),
    told: { ...NO_TOOL, 'mcp.method.name': 'resources/read', 'mcp.outcome': 'SUCCESS', ...COMPLETE },
  },
  {
    rule: 'a string id is told as it is, and 0 is an id',
    body: toolsCall('echo', 0),
    message: toolResult({}, 0),
    told: { 'jsonrpc.request.id': '0', 'mcp.outcome': 'TOOL_SUCCESS', ...COMPLETE },
  },
  {
    rule: 'input_required is no failure, and says what it asks for',
    message: toolResult({
      resultType: 'input_required',
      inputRequests: { a: { method: 'elicitation/create' }, b: { method: 'elicitation/create' } },
    }),
    told: { 'mcp.outcome': 'INPUT_REQUIRED', 'mcp.result.type': 'input_required', 'mcp.mrtr.round': 1 },
    events: {
      'mcp.input_required': {
        'mcp.mrtr.round': 1,
        'mcp.input.requests': 2,
        'mcp.input.methods': ['elicitation/create'],
      },
    },
  },
  {
    rule: 'a task that was asked for is no failure (2025-11-25)',
    body: toolsCall('echo', 1, { task: { ttl: 60_000 } }),
    message: result({ task: { taskId: 't1', status: 'working' } }),
    told: { 'mcp.outcome': 'TASK_CREATED', ...COMPLETE },
  },
  {
    rule: 'isError true fails in the application layer',
    message: toolResult({ isError: true }),
    told: { ...failure('TOOL_ERROR', 'application'), ...COMPLETE },
    failure: 'the tool reported an error',
  },
  {
    rule: 'a JSON-RPC error on 200 fails in the protocol layer, and its message is told',
    message: rpcError(-32602, 'Unknown tool: ecco'),
    told: { ...failure('JSONRPC_ERROR', 'protocol', '-32602'), 'rpc.response.status_code': '-32602' },
    failure: 'JSON-RPC error -32602: Unknown tool: ecco',
  },
  {
    rule: 'an error whose message is empty is told by its code',
    message: rpcError(0, ''),
    told: { ...failure('JSONRPC_ERROR', 'protocol', '0'), 'rpc.response.status_code': '0' },
    failure: 'JSON-RPC error 0',
  },
  {
    rule: 'an error with id null answers the request of its exchange',
    message: rpcError(-32700, 'Parse error', null),
    told: { ...failure('JSONRPC_ERROR', 'protocol', '-32700'), 'rpc.response.status_code': '-32700' },
    failure: 'JSON-RPC error -32700: Parse error',
  },
  {
    rule: 'a tool result without content has the wrong shape',
    message: result({ text: 'ok' }),
    told: { ...failure('INVALID_TOOL_RESULT', 'protocol'), ...COMPLETE },
    failure: 'the tool result has the wrong shape',
  },
  {
    rule: 'isError "true" is not isError true',
    message: toolResult({ isError: 'true' }),
    told: { ...failure('INVALID_TOOL_RESULT', 'protocol'), ...COMPLETE },
    failure: 'the tool result has the wrong shape',
  },
  {
    rule: 'another method has the wrong result when it is no object',
    name: 'tools/list',
    body: request('tools/list'),
    message: result(null),
    told: { ...NO_TOOL, 'mcp.method.name': 'tools/list', ...failure('INVALID_RESULT', 'protocol') },
    failure: 'the result has the wrong shape',
  },
  {
    rule: 'a resultType that nobody knows is no result, and is told',
    name: 'tools/list',
    body: request('tools/list'),
    message: result({ resultType: 'later' }),
    told: {
      ...NO_TOOL,
      'mcp.method.name': 'tools/list',
      ...failure('INVALID_RESULT', 'protocol'),
      'mcp.result.type': 'later',
    },
    failure: 'the result has the wrong shape',
  },
  {
    rule: 'an array is looked at message by message, in every revision',
    message: `[${toolResult({}, 2)},${rpcError(-32603, 'broke')}]`,
    told: { ...failure('JSONRPC_ERROR', 'protocol', '-32603'), 'rpc.response.status_code': '-32603' },
    failure: 'JSON-RPC error -32603: broke',
  },
  ...(
    [
      ['{"id":1,"result":{"content":[]}}', 'jsonrpc_version'],
      ['{"jsonrpc":"1.0","id":1,"result":{"content":[]}}', 'jsonrpc_version'],
      ['{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":""}}', 'result_and_error'],
      ['{"jsonrpc":"2.0","id":"1","result":{"content":[]}}', 'id_mismatch'],
      ['{"jsonrpc":"2.0","id":1,"error":"no"}', 'error_shape'],
      ['{"jsonrpc":"2.0","id":1,"error":{"code":"-32602","message":"no"}}', 'error_shape'],
    ] as const
  ).map(
    ([message, defect]): MessageRow => ({
      rule: `${message} is no response to request 1: ${defect}`,
      message,
      told: { ...failure('INVALID_ENVELOPE', 'protocol'), 'mcp.envelope.defect': defect },
      failure: `not a JSON-RPC response to this request (${defect})`,
    }),
  ),
];

/** In a stream, what isn't a response is passed over: only as a whole body is it a broken one. */
const bodiesOnly: MessageRow[] = (
  [
    ['null', 'not_object'],
    ['"ok"', 'not_object'],
    ['[]', 'not_object'],
    ['{"jsonrpc":"2.0","id":1}', 'neither'],
    ['{"jsonrpc":"2.0","id":1,"method":"ping"}', 'neither'],
  ] as const
).map(([message, defect]) => ({
  rule: `the body ${message} is no response to request 1: ${defect}`,
  message,
  told: { ...failure('INVALID_ENVELOPE', 'protocol'), 'mcp.envelope.defect': defect },
  failure: `not a JSON-RPC response to this request (${defect})`,
}));

const progress = event('{"method":"notifications/progress","params":{},"jsonrpc":"2.0"}');
const stream = (...body: Step[]) => ({ status: 200, headers: SSE_HEADERS, body });

const streams: ExchangeRow[] = [
  {
    rule: 'a stream that ends before the response is incomplete',
    answer: stream(progress),
    attributes: answered(200, {
      ...failure('STREAM_INCOMPLETE', 'transport'),
      'mcp.stream.end': 'closed',
      'mcp.stream.events': 1,
    }),
    failure: 'the body ended before the response',
  },
  {
    rule: 'a stream that is cut before the response is incomplete, and an event says so',
    answer: stream(progress, progress, CUT),
    attributes: answered(200, {
      ...failure('STREAM_INCOMPLETE', 'transport'),
      'mcp.stream.end': 'cut',
      'mcp.stream.events': 2,
    }),
    failure: expect.stringContaining('the body ended before the response: ') as never,
    events: { 'mcp.stream.cut': { 'mcp.stream.events': 2 } },
  },
  {
    rule: 'an event that should have been the response but is not JSON is malformed',
    answer: stream(event('{"jsonrpc":"2.0","id":1,"result":')),
    attributes: answered(200, {
      ...failure('MALFORMED_JSON', 'protocol'),
      'mcp.stream.end': 'closed',
      'mcp.stream.events': 1,
    }),
    failure: 'the response is not JSON',
  },
  {
    rule: 'the right response counts, however many strangers came before it',
    answer: stream(event(toolResult({}, 2)), event('{"error"'), event(toolResult())),
    attributes: answered(200, {
      'mcp.outcome': 'TOOL_SUCCESS',
      ...COMPLETE,
      'mcp.stream.end': 'response',
      'mcp.stream.events': 3,
    }),
  },
  {
    rule: 'comments and priming events are no events; a request of the server with our id is no response',
    answer: stream(
      ': keep-alive\n\n',
      event('', 'id: 1\n'),
      event('{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{"result":1}}'),
      event('{"heartbeat":true,"error":false}'),
      event(toolResult()),
    ),
    attributes: answered(200, {
      'mcp.outcome': 'TOOL_SUCCESS',
      ...COMPLETE,
      'mcp.stream.end': 'response',
      'mcp.stream.events': 3,
    }),
  },
];

const bodies: ExchangeRow[] = [
  ...[400, 404, 429, 500, 503].map(
    (status): ExchangeRow => ({
      rule: `a ${status} fails in the transport layer, even with a result in its body`,
      answer: { status, headers: JSON_HEADERS, body: [toolResult()] },
      attributes: answered(status, failure('HTTP_ERROR', 'transport', String(status))),
      failure: `HTTP ${status}`,
    }),
  ),
  {
    rule: 'a 404 keeps the code in its body, whoever it names',
    answer: { status: 404, headers: JSON_HEADERS, body: [rpcError(-32001, 'Session not found', null)] },
    attributes: answered(404, {
      ...failure('HTTP_ERROR', 'transport', '404'),
      'rpc.response.status_code': '-32001',
    }),
    failure: 'HTTP 404, JSON-RPC error -32001: Session not found',
  },
  {
    rule: 'an error response that is a stream fails by its status',
    answer: { status: 500, headers: SSE_HEADERS, body: [event(toolResult())] },
    attributes: answered(500, failure('HTTP_ERROR', 'transport', '500')),
    failure: 'HTTP 500',
  },
  {
    rule: 'an error response that is cut fails by its status',
    answer: { status: 502, headers: { 'content-length': '100' }, body: ['<html>', CUT] },
    attributes: answered(502, failure('HTTP_ERROR', 'transport', '502')),
    failure: expect.stringMatching(/^HTTP 502/) as never,
  },
  {
    rule: 'Retry-After is told as received',
    answer: { status: 503, headers: { 'retry-after': 'Wed, 21 Oct 2026 07:28:00 GMT' }, body: [] },
    attributes: answered(503, {
      ...failure('HTTP_ERROR', 'transport', '503'),
      'http.response.header.retry-after': ['Wed, 21 Oct 2026 07:28:00 GMT'],
    }),
    failure: 'HTTP 503',
  },
  {
    rule: 'an HTML page on 200 is not JSON',
    answer: { status: 200, headers: { 'content-type': 'text/html' }, body: ['<!doctype html><html></html>'] },
    attributes: answered(200, failure('MALFORMED_JSON', 'protocol')),
    failure: 'the response is not JSON',
  },
  {
    rule: 'JSON labelled as a stream is read as JSON, and the mismatch is told',
    answer: { status: 200, headers: SSE_HEADERS, body: [toolResult()] },
    attributes: answered(200, {
      'mcp.outcome': 'TOOL_SUCCESS',
      ...COMPLETE,
      'mcp.http.content_type_mismatch': true,
    }),
  },
  {
    rule: 'a stream labelled as JSON is read as a stream, and the mismatch is told',
    answer: { status: 200, headers: JSON_HEADERS, body: [progress, event(toolResult())] },
    attributes: answered(200, {
      'mcp.outcome': 'TOOL_SUCCESS',
      ...COMPLETE,
      'mcp.stream.end': 'response',
      'mcp.stream.events': 2,
      'mcp.http.content_type_mismatch': true,
    }),
  },
  {
    rule: 'without a Content-Type there is no mismatch',
    answer: { status: 200, headers: {}, body: [event(toolResult())] },
    attributes: answered(200, {
      'mcp.outcome': 'TOOL_SUCCESS',
      ...COMPLETE,
      'mcp.stream.end': 'response',
      'mcp.stream.events': 1,
    }),
  },
];

const asBody = ({ message, told, ...row }: MessageRow): ExchangeRow => ({
  ...row,
  answer: { status: 200, headers: JSON_HEADERS, body: [message] },
  attributes: answered(200, told),
});

const asEvent = ({ message, told, ...row }: MessageRow): ExchangeRow => ({
  ...row,
  answer: { status: 200, headers: SSE_HEADERS, body: [progress, event(message)] },
  attributes: answered(200, {
    ...told,
    // A stranger's response doesn't end the call: the end of the stream does.
    'mcp.stream.end': told['mcp.envelope.defect'] === 'id_mismatch' ? 'closed' : 'response',
    'mcp.stream.events': 2,
  }),
});

/** Where the outcomes that no body brings about are tested. */
const ELSEWHERE = ['ACCEPTED', 'CANCELLED', 'UNCLASSIFIED', 'NETWORK_ERROR', 'TIMEOUT'];

describe('a call answered over fetch', () => {
  const exchanges = observedExchanges();

  describe('with a JSON body', () => {
    it.each(titled([...messages, ...bodiesOnly].map(asBody)))('%s', (_, row) => exchanges.check(row));
  });
  describe('with the same message in an event stream', () => {
    it.each(titled(messages.map(asEvent)))('%s', (_, row) => exchanges.check(row));
  });
  describe('with a stream', () => {
    it.each(titled(streams))('%s', (_, row) => exchanges.check(row));
  });
  describe('with any other body', () => {
    it.each(titled(bodies))('%s', (_, row) => exchanges.check(row));
  });

  it('the media type of each response is told', async () => {
    const span = await exchanges.span({
      answer: { headers: { 'content-type': 'application/json; charset=utf-8' }, body: [toolResult()] },
    });
    expect(span.events[0]).toMatchObject({
      name: 'mcp.http.response',
      attributes: {
        'http.response.status_code': 200,
        'http.response.header.content-type': 'application/json; charset=utf-8',
      },
    });
  });

  it('the rules are unique, and every outcome and defect has one', () => {
    const rows = [...messages, ...bodiesOnly].map(asBody).concat(streams, bodies);
    expect(new Set(rows.map(({ rule }) => rule)).size).toBe(rows.length);
    const seen = new Set(rows.map(({ attributes }) => attributes['mcp.outcome']));
    expect(OUTCOMES.filter((outcome) => !seen.has(outcome))).toEqual(ELSEWHERE);
    expect(new Set(rows.map(({ attributes }) => attributes['mcp.envelope.defect']))).toEqual(
      new Set([undefined, ...ENVELOPE_DEFECTS]),
    );
  });
});
