import { join } from 'node:path';
import type { Era } from './clients.js';
import * as span from './expected-spans.js';
import type { ServerProgram } from './server-process.js';
import * as act from './sessions.js';

/** One call of the script and the spans it makes, in the order in which they end; by era where that matters. */
export interface CallRow {
  readonly rule: string;
  readonly act: act.Act;
  readonly spans: readonly span.SpanRow[] | Readonly<Partial<Record<Era, readonly span.SpanRow[]>>>;
  /** Of the last span's stream, where its answer is one in every era. */
  readonly events?: number;
}

export interface ServerRow {
  /** What it is; the title. */
  readonly rule: string;
  readonly program: ServerProgram;
  readonly eras: readonly Era[];
  /** As the server names itself. */
  readonly name: string;
  readonly version: string;
  /** How it refuses `server/discover`, where it doesn't know it. */
  readonly probe?: span.SpanRow;
  readonly calls: readonly CallRow[];
}

const inModules = (path: string) => join(__dirname, '../../node_modules', path);
const EVERYTHING = inModules('@modelcontextprotocol/server-everything/dist/index.js');

const PROXY = {
  module: inModules('mcp-proxy/dist/bin/mcp-proxy.mjs'),
  args: ['--', process.execPath, EVERYTHING, 'stdio'],
};

const calledOff = span.accepted('notifications/cancelled');

function withoutResponse({ httpStatus, ...row }: span.SpanRow): span.SpanRow {
  return row;
}

// What server-everything answers, over HTTP or behind a proxy.
const everythingCalls: readonly CallRow[] = [
  { rule: 'a list of tools', act: act.listTools, spans: [span.success('tools/list')] },
  {
    rule: 'a tool that succeeds',
    act: act.callTool('echo', { message: 'hello' }),
    spans: [span.toolSuccess('echo')],
  },
  {
    rule: 'structured content',
    act: act.callTool('get-structured-content', { location: 'Chicago' }),
    spans: [span.toolSuccess('get-structured-content')],
  },
  {
    rule: 'a tool that reports progress first',
    act: act.callToolWithProgress('trigger-long-running-operation', { duration: 0.06, steps: 3 }),
    spans: [span.toolSuccess('trigger-long-running-operation')],
    events: 4,
  },
  {
    rule: 'a tool that says isError',
    act: act.callTool('get-resource-reference', { resourceType: 'Text', resourceId: -1 }),
    spans: [span.toolError('get-resource-reference')],
  },
  {
    rule: 'wrong arguments, which this server says as isError',
    act: act.callTool('echo'),
    spans: [span.toolError('echo')],
  },
  {
    rule: 'an unknown tool, which this server says as isError',
    act: act.callTool('absent'),
    spans: [span.toolError('absent')],
  },
  {
    rule: 'a prompt',
    act: act.getPrompt('args-prompt', { city: 'Ulm' }),
    spans: [span.success('prompts/get', 'args-prompt')],
  },
  {
    rule: 'an unknown prompt',
    act: act.getPrompt('absent'),
    spans: [span.rpcError(-32602, 'prompts/get', 'absent')],
  },
  {
    rule: 'a resource',
    act: act.readResource('demo://resource/static/document/features.md'),
    spans: [span.success('resources/read')],
  },
  {
    rule: 'an unknown resource',
    act: act.readResource('demo://absent'),
    spans: [span.rpcError(-32602, 'resources/read')],
  },
  { rule: 'ping, which 2026-07-28 has not', act: act.ping, spans: { legacy: [span.success('ping')] } },
  {
    rule: 'a notification',
    act: act.notify,
    spans: { legacy: [span.accepted('notifications/progress')] },
  },
];

const smallCalls = (refusals: {
  readonly wrongArguments: span.SpanRow;
  readonly absent: number;
  readonly absentPrompt: number;
  readonly absentResource: number;
}): readonly CallRow[] => [
  { rule: 'a list of tools', act: act.listTools, spans: [span.success('tools/list')] },
  {
    rule: 'a tool that succeeds',
    act: act.callTool('echo', { message: 'hello' }),
    spans: [span.toolSuccess('echo')],
  },
  { rule: 'a tool that says isError', act: act.callTool('refuse'), spans: [span.toolError('refuse')] },
  { rule: 'wrong arguments', act: act.callTool('echo'), spans: [refusals.wrongArguments] },
  {
    rule: 'an unknown tool',
    act: act.callTool('absent'),
    spans: [span.rpcError(refusals.absent, 'tools/call', 'absent')],
  },
  {
    rule: 'a prompt',
    act: act.getPrompt('greet', { name: 'Ada' }),
    spans: [span.success('prompts/get', 'greet')],
  },
  {
    rule: 'an unknown prompt',
    act: act.getPrompt('absent'),
    spans: [span.rpcError(refusals.absentPrompt, 'prompts/get', 'absent')],
  },
  { rule: 'a resource', act: act.readResource('note://one'), spans: [span.success('resources/read')] },
  {
    rule: 'an unknown resource',
    act: act.readResource('note://absent'),
    spans: [span.rpcError(refusals.absentResource, 'resources/read')],
  },
  { rule: 'ping, which 2026-07-28 has not', act: act.ping, spans: { legacy: [span.success('ping')] } },
  {
    rule: 'a notification',
    act: act.notify,
    spans: { legacy: [span.accepted('notifications/progress')] },
  },
];

export const SERVERS: readonly ServerRow[] = [
  {
    rule: 'server-everything',
    program: { module: EVERYTHING, args: ['streamableHttp'], path: '/mcp' },
    eras: ['legacy'],
    name: 'mcp-servers/everything',
    version: '2.0.0',
    probe: span.refusedProbe(400, -32000),
    calls: [
      ...everythingCalls,
      {
        rule: 'a tool that asks the client for a sample on the way: the answer to the server makes no span',
        act: act.callTool('trigger-sampling-request', { prompt: 'hi' }),
        spans: [span.toolSuccess('trigger-sampling-request')],
        // The server's request, and its response.
        events: 2,
      },
      {
        rule: 'a call that the application aborts',
        act: act.abortTool('trigger-long-running-operation', { duration: 30, steps: 600 }),
        spans: [span.cancelled('trigger-long-running-operation'), calledOff],
      },
      {
        rule: "a call that runs into the SDK's timeout",
        act: act.timeOutTool('trigger-long-running-operation', { duration: 30, steps: 1 }),
        spans: [span.timedOut('trigger-long-running-operation'), calledOff],
      },
    ],
  },
  {
    rule: "SDK v2's createMcpHandler",
    program: { module: join(__dirname, 'servers/both-eras.mjs'), args: [], path: '/' },
    eras: ['legacy', 'modern'],
    name: 'both-eras',
    version: '1.2.3',
    calls: [
      ...smallCalls({
        wrongArguments: span.toolError('echo'),
        absent: -32602,
        absentPrompt: -32602,
        absentResource: -32602,
      }),
      { rule: 'a tool that throws', act: act.callTool('throw'), spans: [span.toolError('throw')] },
      {
        rule: 'a tool that reports progress first',
        act: act.callToolWithProgress('count'),
        spans: [span.toolSuccess('count')],
        events: 4,
      },
      {
        rule: 'a tool that asks for input, in a round of its own where the revision has that',
        act: act.callTool('ask'),
        spans: {
          legacy: [span.toolError('ask')],
          modern: [span.inputRequired('ask'), span.toolSuccess('ask')],
        },
      },
      {
        rule: 'a call that the application aborts',
        act: act.abortTool('wait'),
        spans: { legacy: [span.cancelled('wait'), calledOff], modern: [span.cancelled('wait')] },
      },
      {
        // On 2026-07-28 SDK v2 aborts the fetch without a reason, so nothing tells its timeout from a change of mind.
        rule: "a call that runs into the SDK's timeout before any answer",
        act: act.timeOutTool('wait'),
        spans: {
          legacy: [withoutResponse(span.timedOut('wait')), calledOff],
          modern: [withoutResponse(span.cancelled('wait'))],
        },
      },
    ],
  },
  {
    rule: 'mcp-proxy before server-everything',
    program: { ...PROXY, path: '/mcp' },
    eras: ['legacy', 'modern'],
    name: 'mcp-servers/everything',
    version: '2.0.0',
    // The proxy's answer may overtake the last progress: how many events come is anybody's guess.
    calls: everythingCalls.map(({ events, ...call }) => call),
  },
  {
    rule: 'FastMCP',
    program: { module: join(__dirname, 'servers/fastmcp.mjs'), args: [], path: '/mcp' },
    eras: ['legacy'],
    name: 'fast',
    version: '4.5.6',
    probe: span.refusedProbe(400, -32000),
    calls: smallCalls({
      wrongArguments: span.rpcError(-32602, 'tools/call', 'echo'),
      absent: -32601,
      absentPrompt: -32601,
      absentResource: -32601,
    }),
  },
];

/** Servers of HTTP+SSE, all with the tools of server-everything. */
export const SSE_SERVERS: readonly Pick<ServerRow, 'rule' | 'program'>[] = [
  { rule: 'server-everything', program: { module: EVERYTHING, args: ['sse'], path: '/sse' } },
  { rule: 'mcp-proxy before server-everything', program: { ...PROXY, path: '/sse' } },
];
