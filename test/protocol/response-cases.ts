import type { AnsweredMessage, Verdict } from '../../src/protocol/index.js';

export interface ResponseCase {
  /** The rule, which is the test's title. */
  readonly rule: string;
  readonly request: AnsweredMessage;
  readonly response: { readonly status: number; readonly body: string };
  readonly expected: Verdict;
  readonly why: string;
}

const JSONRPC_RESPONSE = 'https://www.jsonrpc.org/specification#response_object';
const JSONRPC_ERROR = 'https://www.jsonrpc.org/specification#error_object';
const RESULT_TYPE = 'https://modelcontextprotocol.io/specification/2026-07-28/basic#resulttype';
const TASKS_2025 = 'https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks';
const TASKS_EXTENSION = 'https://modelcontextprotocol.io/seps/2663-tasks-extension';
const TOOL_RESULT = 'https://modelcontextprotocol.io/specification/2026-07-28/server/tools';
const BATCH = 'https://modelcontextprotocol.io/specification/2025-03-26/basic/transports';

const call = (fields: Partial<AnsweredMessage> = {}): AnsweredMessage => ({
  id: 1,
  method: 'tools/call',
  params: { name: 'echo', arguments: {} },
  ...fields,
});
const list: AnsweredMessage = { id: 1, method: 'tools/list', params: undefined };
const listen: AnsweredMessage = {
  id: 1,
  method: 'subscriptions/listen',
  params: { notifications: { toolsListChanged: true } },
};
const withTask = call({ params: { name: 'echo', task: { ttl: 60_000 } } });
const withTasksExtension = call({
  params: {
    name: 'echo',
    _meta: {
      'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
    },
  },
});
const batchOf = (...ids: number[]): AnsweredMessage => call({ siblingIds: new Set(ids) });

const taskResult: AnsweredMessage = { id: 1, method: 'tasks/result', params: { taskId: 't1' } };
const taskPoll: AnsweredMessage = { id: 1, method: 'tasks/get', params: { taskId: 't1' } };

const ok = (body: string) => ({ status: 200, body });
const result = (json: string, id = '1') => ok(`{"jsonrpc":"2.0","id":${id},"result":${json}}`);
const OK_MESSAGE = '{"jsonrpc":"2.0","id":1,"result":{"content":[]}}';
const OTHER_MESSAGE = '{"jsonrpc":"2.0","id":2,"result":{"content":[]}}';

const MANY = Array.from({ length: 20 }, (_, index) => index);

const COMPLETE = { resultType: 'complete' };
const TOOL_SUCCESS: Verdict = { outcome: 'TOOL_SUCCESS', ...COMPLETE };
const INVALID_TOOL_RESULT: Verdict = { outcome: 'INVALID_TOOL_RESULT', layer: 'protocol' };
const MALFORMED_JSON: Verdict = { outcome: 'MALFORMED_JSON', layer: 'protocol' };
const STREAM_INCOMPLETE: Verdict = { outcome: 'STREAM_INCOMPLETE', layer: 'transport' };
const envelope = (defect: NonNullable<Verdict['defect']>): Verdict => ({
  outcome: 'INVALID_ENVELOPE',
  layer: 'protocol',
  defect,
});

const results: ResponseCase[] = [
  {
    rule: 'a tool result needs no more than an array of content',
    request: call(),
    response: result('{"content":[]}'),
    expected: TOOL_SUCCESS,
    why: RESULT_TYPE,
  },
  {
    rule: 'text that reads like a failure is never looked at',
    request: call(),
    response: result('{"content":[{"type":"text","text":"Error: 500"}],"isError":false}'),
    expected: TOOL_SUCCESS,
    why: TOOL_RESULT,
  },
  {
    rule: 'only the boolean true is a tool error',
    request: call(),
    response: result('{"content":[],"isError":true,"resultType":"complete"}'),
    expected: { outcome: 'TOOL_ERROR', layer: 'application', ...COMPLETE },
    why: TOOL_RESULT,
  },
  {
    rule: 'isError "true" is an invalid result, no tool error',
    request: call(),
    response: result('{"content":[],"isError":"true"}'),
    expected: { ...INVALID_TOOL_RESULT, ...COMPLETE },
    why: TOOL_RESULT,
  },
  {
    rule: 'isError null is an invalid result, no absent one',
    request: call(),
    response: result('{"content":[],"isError":null}'),
    expected: { ...INVALID_TOOL_RESULT, ...COMPLETE },
    why: TOOL_RESULT,
  },
  {
    rule: 'a tool error still needs content',
    request: call(),
    response: result('{"isError":true}'),
    expected: { ...INVALID_TOOL_RESULT, ...COMPLETE },
    why: 'content is required in every revision',
  },
  {
    rule: 'structured content does not replace content',
    request: call(),
    response: result('{"structuredContent":{"a":1}}'),
    expected: { ...INVALID_TOOL_RESULT, ...COMPLETE },
    why: TOOL_RESULT,
  },
  {
    rule: 'a tool result that is an array is invalid, and has no result type',
    request: call(),
    response: result('[]'),
    expected: INVALID_TOOL_RESULT,
    why: TOOL_RESULT,
  },
  {
    rule: 'a null tool result is invalid',
    request: call(),
    response: result('null'),
    expected: INVALID_TOOL_RESULT,
    why: TOOL_RESULT,
  },
  {
    rule: 'an unknown result type is invalid, whatever else the result has',
    request: call(),
    response: result('{"resultType":"partial","content":[]}'),
    expected: { ...INVALID_TOOL_RESULT, resultType: 'partial' },
    why: RESULT_TYPE,
  },
  {
    rule: 'a result type of null is not an absent one',
    request: call(),
    response: result('{"resultType":null,"content":[]}'),
    expected: INVALID_TOOL_RESULT,
    why: RESULT_TYPE,
  },
  {
    rule: 'another method succeeds with any object',
    request: list,
    response: result('{}'),
    expected: { outcome: 'SUCCESS', ...COMPLETE },
    why: 'only tool results have a shape that is looked at',
  },
  {
    rule: 'isError means nothing outside tools/call',
    request: list,
    response: result('{"isError":true}'),
    expected: { outcome: 'SUCCESS', ...COMPLETE },
    why: TOOL_RESULT,
  },
  {
    rule: "another method's result that is no object is invalid",
    request: list,
    response: result('"ok"'),
    expected: { outcome: 'INVALID_RESULT', layer: 'protocol' },
    why: RESULT_TYPE,
  },
  {
    rule: "another method's unknown result type is invalid",
    request: list,
    response: result('{"resultType":"partial","tools":[]}'),
    expected: { outcome: 'INVALID_RESULT', layer: 'protocol', resultType: 'partial' },
    why: RESULT_TYPE,
  },
  {
    rule: 'input_required needs no content, and its methods are told once each',
    request: call(),
    response: result(
      '{"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create"},"b":{"method":"elicitation/create"},"c":{"method":"roots/list"},"d":5}}',
    ),
    expected: {
      outcome: 'INPUT_REQUIRED',
      resultType: 'input_required',
      inputRequests: { count: 4, methods: ['elicitation/create', 'roots/list'] },
    },
    why: RESULT_TYPE,
  },
  {
    rule: 'methods of input requests are told up to sixteen, their number always',
    request: list,
    response: result(
      `{"resultType":"input_required","inputRequests":{${MANY.map((n) => `"${n}":{"method":"m${n}"}`).join(',')}}}`,
    ),
    expected: {
      outcome: 'INPUT_REQUIRED',
      resultType: 'input_required',
      inputRequests: { count: 20, methods: MANY.slice(0, 16).map((n) => `m${n}`) },
    },
    why: 'what a server may send has no bound of its own',
  },
  {
    rule: 'input_required with nothing but a request state asks for nothing',
    request: { id: 1, method: 'prompts/get', params: { name: 'greet' } },
    response: result('{"resultType":"input_required","requestState":"s"}'),
    expected: {
      outcome: 'INPUT_REQUIRED',
      resultType: 'input_required',
      inputRequests: { count: 0, methods: [] },
    },
    why: 'https://modelcontextprotocol.io/specification/2026-07-28/basic#message-patterns',
  },
  {
    rule: 'a task answers a request that asked for one',
    request: withTask,
    response: result('{"task":{"taskId":"t1","status":"working"}}'),
    expected: { outcome: 'TASK_CREATED', ...COMPLETE },
    why: TASKS_2025,
  },
  {
    rule: 'a task that nobody asked for is an invalid tool result',
    request: call(),
    response: result('{"task":{"taskId":"t1","status":"working"}}'),
    expected: { ...INVALID_TOOL_RESULT, ...COMPLETE },
    why: TASKS_2025,
  },
  {
    rule: 'a task without an id is none',
    request: withTask,
    response: result('{"task":{"taskId":1}}'),
    expected: { ...INVALID_TOOL_RESULT, ...COMPLETE },
    why: TASKS_2025,
  },
  {
    rule: 'a task under an unknown result type is none',
    request: withTask,
    response: result('{"resultType":"partial","task":{"taskId":"t1"}}'),
    expected: { ...INVALID_TOOL_RESULT, resultType: 'partial' },
    why: RESULT_TYPE,
  },
  {
    rule: 'who asked for a task may get a plain result',
    request: withTask,
    response: result('{"content":[]}'),
    expected: TOOL_SUCCESS,
    why: 'a server without tasks ignores params.task',
  },
  {
    rule: 'resultType task is valid when the request named the extension',
    request: withTasksExtension,
    response: result('{"resultType":"task","taskId":"t1","status":"working"}'),
    expected: { outcome: 'TASK_CREATED', resultType: 'task' },
    why: TASKS_EXTENSION,
  },
  {
    rule: 'a tool that failed as a task shows it in tasks/result',
    request: taskResult,
    response: result('{"content":[],"isError":true}'),
    expected: { outcome: 'TOOL_ERROR', layer: 'application', ...COMPLETE },
    why: TASKS_2025,
  },
  {
    rule: 'the result of a task that went well',
    request: taskResult,
    response: result('{"content":[],"isError":false}'),
    expected: { outcome: 'SUCCESS', ...COMPLETE },
    why: TASKS_2025,
  },
  {
    rule: 'a task may be of another method, whose result has no isError',
    request: taskResult,
    response: result('{"messages":[],"isError":"true"}'),
    expected: { outcome: 'SUCCESS', ...COMPLETE },
    why: TASKS_2025,
  },
  {
    rule: 'the tasks extension holds the result in tasks/get',
    request: taskPoll,
    response: result('{"taskId":"t1","status":"completed","result":{"content":[],"isError":true}}'),
    expected: { outcome: 'TOOL_ERROR', layer: 'application', ...COMPLETE },
    why: TASKS_EXTENSION,
  },
  {
    rule: 'a poll that finds a failed task went well itself',
    request: taskPoll,
    response: result('{"taskId":"t1","status":"failed","error":{"code":-32603,"message":"no"}}'),
    expected: { outcome: 'SUCCESS', ...COMPLETE },
    why: TASKS_EXTENSION,
  },
  {
    rule: 'resultType task without the extension is unknown',
    request: call(),
    response: result('{"resultType":"task","taskId":"t1","status":"working"}'),
    expected: { ...INVALID_TOOL_RESULT, resultType: 'task' },
    why: TASKS_EXTENSION,
  },
  {
    rule: 'resultType task with another extension is unknown',
    request: call({
      params: {
        name: 'echo',
        _meta: {
          'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/ui': {} } },
        },
      },
    }),
    response: result('{"resultType":"task","taskId":"t1"}'),
    expected: { ...INVALID_TOOL_RESULT, resultType: 'task' },
    why: TASKS_EXTENSION,
  },
  {
    rule: 'initialize tells the server and the revision',
    request: { id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25' } },
    response: result(
      '{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"everything","version":"2.0.0"}}',
      '0',
    ),
    expected: {
      outcome: 'SUCCESS',
      ...COMPLETE,
      server: { name: 'everything', version: '2.0.0' },
      protocolVersion: '2025-06-18',
    },
    why: 'https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle',
  },
  {
    rule: 'a server without a version still has a name',
    request: { id: 1, method: 'server/discover', params: {} },
    response: result('{"supportedVersions":["2026-07-28"],"serverInfo":{"name":"everything","version":2}}'),
    expected: { outcome: 'SUCCESS', ...COMPLETE, server: { name: 'everything' } },
    why: 'half an introduction is better than none',
  },
  {
    rule: 'any result may name its server in _meta',
    request: call(),
    response: result(
      '{"content":[],"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"everything","version":"2.0.0"}}}',
    ),
    expected: { ...TOOL_SUCCESS, server: { name: 'everything', version: '2.0.0' } },
    why: RESULT_TYPE,
  },
  {
    rule: 'serverInfo and protocolVersion of other results are theirs',
    request: call(),
    response: result('{"content":[],"serverInfo":{"name":"x"},"protocolVersion":"1"}'),
    expected: TOOL_SUCCESS,
    why: 'only initialize and server/discover introduce a server',
  },
];

const envelopes: ResponseCase[] = [
  {
    rule: 'a JSON-RPC error on 200 keeps code and message',
    request: call(),
    response: ok('{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Unknown tool","data":{"x":1}}}'),
    expected: { outcome: 'JSONRPC_ERROR', layer: 'protocol', code: -32602, message: 'Unknown tool' },
    why: JSONRPC_ERROR,
  },
  {
    rule: 'an error with id null belongs to the request it answers',
    request: call(),
    response: ok('{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}'),
    expected: { outcome: 'JSONRPC_ERROR', layer: 'protocol', code: -32700, message: 'Parse error' },
    why: JSONRPC_RESPONSE,
  },
  {
    rule: 'an error without an id belongs to the request it answers',
    request: list,
    response: ok('{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid Request"}}'),
    expected: { outcome: 'JSONRPC_ERROR', layer: 'protocol', code: -32600, message: 'Invalid Request' },
    why: 'https://modelcontextprotocol.io/specification/2025-11-25/basic#responses',
  },
  {
    rule: 'a result with id null belongs to nobody',
    request: call(),
    response: result('{"content":[]}', 'null'),
    expected: envelope('id_mismatch'),
    why: JSONRPC_RESPONSE,
  },
  {
    rule: 'sent 0, answered "0": ids are compared strictly',
    request: call({ id: 0 }),
    response: result('{"content":[]}', '"0"'),
    expected: envelope('id_mismatch'),
    why: JSONRPC_RESPONSE,
  },
  {
    rule: 'an id beyond what a double can hold is compared as both sides read it',
    request: call({ id: Number.POSITIVE_INFINITY }),
    response: result('{"content":[]}', '1e999'),
    expected: TOOL_SUCCESS,
    why: 'JSON.parse reads 1e999 as Infinity, in the request and in the response',
  },
  {
    rule: 'of two ids in one object the last counts',
    request: call(),
    response: ok('{"jsonrpc":"2.0","id":2,"id":1,"result":{"content":[]}}'),
    expected: TOOL_SUCCESS,
    why: 'that is what every client on JSON.parse sees',
  },
  {
    rule: 'a request with id null is answered by id null',
    request: call({ id: null }),
    response: result('{"content":[]}', 'null'),
    expected: TOOL_SUCCESS,
    why: 'JSON-RPC discourages the id but knows it',
  },
  {
    rule: 'null is no object',
    request: call(),
    response: ok('null'),
    expected: envelope('not_object'),
    why: JSONRPC_RESPONSE,
  },
  {
    rule: 'a string is no object, though it is JSON',
    request: call(),
    response: ok('"ok"'),
    expected: envelope('not_object'),
    why: JSONRPC_RESPONSE,
  },
  {
    rule: 'an empty object lacks the version before anything else',
    request: call(),
    response: ok('{}'),
    expected: envelope('jsonrpc_version'),
    why: 'the first defect is the one named',
  },
  {
    rule: 'the version is the string 2.0, no number',
    request: call(),
    response: ok('{"jsonrpc":2.0,"id":1,"result":{"content":[]}}'),
    expected: envelope('jsonrpc_version'),
    why: JSONRPC_RESPONSE,
  },
  {
    rule: 'a REST error on 200 is no JSON-RPC error',
    request: call(),
    response: ok('{"error":{"code":403,"message":"Forbidden"}}'),
    expected: envelope('jsonrpc_version'),
    why: 'gateways answer in their own words',
  },
  {
    rule: 'a lone server request as the body is no response, even with our id',
    request: call(),
    response: ok('{"jsonrpc":"2.0","id":1,"method":"ping"}'),
    expected: envelope('neither'),
    why: JSONRPC_RESPONSE,
  },
  {
    rule: 'a result inherited through __proto__ is none',
    request: call(),
    response: ok('{"jsonrpc":"2.0","id":1,"__proto__":{"result":{"content":[]}}}'),
    expected: envelope('neither'),
    why: 'only what the message itself says counts',
  },
  {
    rule: 'result and error exclude each other, even where one is null',
    request: call(),
    response: ok('{"jsonrpc":"2.0","id":1,"result":{"content":[]},"error":null}'),
    expected: envelope('result_and_error'),
    why: JSONRPC_RESPONSE,
  },
  {
    rule: 'result and error together are named before a wrong id',
    request: call(),
    response: ok('{"jsonrpc":"2.0","id":99,"result":{},"error":{"code":1,"message":""}}'),
    expected: envelope('result_and_error'),
    why: 'the first defect is the one named',
  },
  {
    rule: 'a wrong id is named before a broken error',
    request: call(),
    response: ok('{"jsonrpc":"2.0","id":99,"error":"no"}'),
    expected: envelope('id_mismatch'),
    why: 'the first defect is the one named',
  },
  {
    rule: 'an error code is an integer',
    request: call(),
    response: ok('{"jsonrpc":"2.0","id":1,"error":{"code":-32602.5,"message":"no"}}'),
    expected: envelope('error_shape'),
    why: JSONRPC_ERROR,
  },
  {
    rule: 'an error code is no string',
    request: call(),
    response: ok('{"jsonrpc":"2.0","id":1,"error":{"code":"-32602","message":"no"}}'),
    expected: envelope('error_shape'),
    why: JSONRPC_ERROR,
  },
  {
    rule: 'an error without a message is broken',
    request: call(),
    response: ok('{"jsonrpc":"2.0","id":1,"error":{"code":-32602}}'),
    expected: envelope('error_shape'),
    why: JSONRPC_ERROR,
  },
  {
    rule: 'an error that is null is broken',
    request: call(),
    response: ok('{"jsonrpc":"2.0","id":1,"error":null}'),
    expected: envelope('error_shape'),
    why: JSONRPC_ERROR,
  },
];

const transports: ResponseCase[] = [
  {
    rule: 'a 500 is HTTP_ERROR although its body looks like success',
    request: call(),
    response: { status: 500, body: OK_MESSAGE },
    expected: { outcome: 'HTTP_ERROR', layer: 'transport', status: 500 },
    why: 'transport wins',
  },
  {
    rule: 'a 404 is HTTP_ERROR and keeps the code in its body',
    request: call(),
    response: {
      status: 404,
      body: '{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"Method not found"}}',
    },
    expected: {
      outcome: 'HTTP_ERROR',
      layer: 'transport',
      status: 404,
      code: -32601,
      message: 'Method not found',
    },
    why: 'transport wins; the code still tells the cause',
  },
  {
    rule: 'an error status keeps the code under an id that the server made up',
    request: call(),
    response: {
      status: 406,
      body: '{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"Not Acceptable"}}',
    },
    expected: {
      outcome: 'HTTP_ERROR',
      layer: 'transport',
      status: 406,
      code: -32600,
      message: 'Not Acceptable',
    },
    why: 'the MCP Python SDK answers so; the status has decided already',
  },
  {
    rule: 'an error status keeps a code without a message',
    request: call(),
    response: { status: 400, body: '{"jsonrpc":"2.0","id":1,"error":{"code":-32600}}' },
    expected: { outcome: 'HTTP_ERROR', layer: 'transport', status: 400, code: -32600 },
    why: 'half of a cause is better than none',
  },
  {
    rule: "an error status doesn't take a REST error's code for JSON-RPC's",
    request: call(),
    response: { status: 403, body: '{"error":{"code":403,"message":"Forbidden"}}' },
    expected: { outcome: 'HTTP_ERROR', layer: 'transport', status: 403 },
    why: 'gateways answer in their own words',
  },
  {
    rule: "an error status with a batch keeps the request's own error",
    request: batchOf(2),
    response: {
      status: 400,
      body: '[{"jsonrpc":"2.0","id":2,"error":{"code":-2,"message":"two"}},{"jsonrpc":"2.0","error":{"code":-3,"message":"any"}},{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"one"}}]',
    },
    expected: { outcome: 'HTTP_ERROR', layer: 'transport', status: 400, code: -1, message: 'one' },
    why: BATCH,
  },
  {
    rule: 'an error status with a batch keeps no other request its code',
    request: batchOf(2),
    response: { status: 400, body: '[{"jsonrpc":"2.0","id":2,"error":{"code":-2,"message":"two"}}]' },
    expected: { outcome: 'HTTP_ERROR', layer: 'transport', status: 400 },
    why: BATCH,
  },
  {
    rule: 'an error status needs no body',
    request: call(),
    response: { status: 503, body: '' },
    expected: { outcome: 'HTTP_ERROR', layer: 'transport', status: 503 },
    why: 'transport wins',
  },
  {
    rule: 'a redirect that nobody followed is HTTP_ERROR',
    request: call(),
    response: { status: 307, body: '' },
    expected: { outcome: 'HTTP_ERROR', layer: 'transport', status: 307 },
    why: 'a response that is not 2xx',
  },
  {
    rule: 'an HTML page on 200 is MALFORMED_JSON',
    request: call(),
    response: ok('<!doctype html><title>Sign in</title>'),
    expected: MALFORMED_JSON,
    why: 'sign-in pages and proxies answer 200',
  },
  {
    rule: 'half a response on 200 is MALFORMED_JSON',
    request: call(),
    response: ok('{"jsonrpc":"2.0","id":1,"result":{"content":['),
    expected: MALFORMED_JSON,
    why: 'the body came to its end as HTTP sees it',
  },
  {
    rule: 'an empty 200 to a request is STREAM_INCOMPLETE',
    request: call(),
    response: ok(''),
    expected: STREAM_INCOMPLETE,
    why: 'the exchange is over and there is no response',
  },
  {
    rule: 'white space is as good as nothing',
    request: call(),
    response: ok('\r\n \n'),
    expected: STREAM_INCOMPLETE,
    why: 'proxies keep connections awake with it',
  },
  {
    rule: 'white space around a response is allowed',
    request: call(),
    response: ok(`\n ${OK_MESSAGE}\r\n`),
    expected: TOOL_SUCCESS,
    why: 'https://www.rfc-editor.org/rfc/rfc8259#section-2',
  },
  {
    rule: 'any 2xx takes a notification, whatever the body says',
    request: { method: 'notifications/initialized', params: undefined },
    response: { status: 204, body: '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}' },
    expected: { outcome: 'ACCEPTED' },
    why: 'real servers answer 202, 200 with null, 200 with {}, 204',
  },
  {
    rule: 'a notification can be refused',
    request: { method: 'notifications/initialized', params: undefined },
    response: { status: 400, body: '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}' },
    expected: { outcome: 'HTTP_ERROR', layer: 'transport', status: 400, code: -32600, message: 'no' },
    why: 'transport wins',
  },
  {
    rule: 'an acknowledged subscription is ACCEPTED',
    request: listen,
    response: ok('{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{}}'),
    expected: { outcome: 'ACCEPTED' },
    why: 'from then on it only waits',
  },
  {
    rule: "an acknowledgement isn't anybody else's response",
    request: call(),
    response: ok('{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{}}'),
    expected: envelope('neither'),
    why: JSONRPC_RESPONSE,
  },
  {
    rule: 'a subscription can be refused',
    request: listen,
    response: ok('{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}'),
    expected: { outcome: 'JSONRPC_ERROR', layer: 'protocol', code: -32601, message: 'no' },
    why: JSONRPC_ERROR,
  },
];

const arrays: ResponseCase[] = [
  {
    rule: 'an array is looked at message by message, in every revision',
    request: call(),
    response: ok(`[{"jsonrpc":"2.0","id":1,"method":"ping"},${OTHER_MESSAGE},${OK_MESSAGE}]`),
    expected: TOOL_SUCCESS,
    why: BATCH,
  },
  {
    rule: 'in an array our own id goes before an error without one',
    request: call(),
    response: ok(`[{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"whose?"}},${OK_MESSAGE}]`),
    expected: TOOL_SUCCESS,
    why: 'the error may be for another message of the batch',
  },
  {
    rule: 'an error without an id in an array is ours when nothing else is',
    request: call(),
    response: ok(`[${OTHER_MESSAGE},{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"whose?"}}]`),
    expected: { outcome: 'JSONRPC_ERROR', layer: 'protocol', code: -1, message: 'whose?' },
    why: JSONRPC_RESPONSE,
  },
  {
    rule: 'of two errors without an id in an array the first counts',
    request: call(),
    response: ok(
      '[{"jsonrpc":"2.0","error":{"code":-1,"message":"one"}},{"jsonrpc":"2.0","error":{"code":-2,"message":"two"}}]',
    ),
    expected: { outcome: 'JSONRPC_ERROR', layer: 'protocol', code: -1, message: 'one' },
    why: 'as in a stream, where the first ends the call',
  },
  {
    rule: 'in an array, a broken response with our id is ours',
    request: call(),
    response: ok('[{"id":1,"result":{"content":[]}}]'),
    expected: envelope('jsonrpc_version'),
    why: 'a heartbeat does not have our id',
  },
  {
    rule: 'an array with responses to strangers only has the wrong id',
    request: call(),
    response: ok(`[${OTHER_MESSAGE}]`),
    expected: envelope('id_mismatch'),
    why: JSONRPC_RESPONSE,
  },
  {
    rule: 'a batch answered without one of its requests is incomplete for that one',
    request: batchOf(2),
    response: ok(`[${OTHER_MESSAGE}]`),
    expected: STREAM_INCOMPLETE,
    why: 'id 2 is no stranger there',
  },
  {
    rule: "a batch answered by one object is that request's answer only",
    request: batchOf(2),
    response: ok(OTHER_MESSAGE),
    expected: STREAM_INCOMPLETE,
    why: 'id 2 is no stranger there',
  },
  {
    rule: 'a stranger in the answer to a batch is still a stranger',
    request: batchOf(2),
    response: ok(`[${OTHER_MESSAGE},{"jsonrpc":"2.0","id":3,"result":{}}]`),
    expected: envelope('id_mismatch'),
    why: JSONRPC_RESPONSE,
  },
  {
    rule: 'an empty array is no object',
    request: call(),
    response: ok('[]'),
    expected: envelope('not_object'),
    why: JSONRPC_RESPONSE,
  },
  {
    rule: 'an array in an array holds no message',
    request: call(),
    response: ok(`[[${OK_MESSAGE}],null]`),
    expected: envelope('not_object'),
    why: 'https://www.jsonrpc.org/specification#batch',
  },
  {
    rule: 'an array of notifications holds neither result nor error',
    request: call(),
    response: ok('[{"jsonrpc":"2.0","method":"notifications/progress","params":{}}]'),
    expected: envelope('neither'),
    why: JSONRPC_RESPONSE,
  },
];

/**
 * Whole responses that aren't event streams, with the whole verdict. `body` is the wire's text. The wire's tests send
 * the same rows through a real server.
 */
export const RESPONSE_CASES: readonly ResponseCase[] = [...results, ...envelopes, ...transports, ...arrays];
