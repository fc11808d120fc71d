import { describe, expect, it } from 'vitest';
import { headerFields } from '../../src/wire/header-fields.js';
import { isIgnored, isKnownAsMcp, mayBeJsonRpc } from '../../src/wire/recognise.js';

const URL_OF_CALL = new URL('http://mcp.test/mcp');
const NONE = { included: undefined, ignored: undefined };
const BOTH_FORMS = 'application/json, text/event-stream';

describe('a request known for MCP by its headers', () => {
  it.each([
    ['both forms of an answer', { accept: BOTH_FORMS }, true],
    ['in any order and case, with parameters', { Accept: 'TEXT/Event-Stream;q=0.5, Application/JSON' }, true],
    ['in two fields', { accept: ['application/json', 'text/event-stream'] }, true],
    ['JSON alone', { accept: 'application/json' }, false],
    ['a stream alone, as of any EventSource', { accept: 'text/event-stream' }, false],
    ['anything at all', { accept: '*/*' }, false],
    ['a session', { 'Mcp-Session-Id': 's' }, true],
    ['a session that is empty', { 'mcp-session-id': '' }, true],
    ['a method', { 'mcp-method': 'tools/list' }, true],
    ['a revision', { 'mcp-protocol-version': '2025-06-18' }, true],
    ['a field that only begins so', { 'mcp-session': 's', 'x-mcp-session-id': 's' }, false],
    ['nothing', {}, false],
  ])('%s', (_, headers, expected) => {
    expect(isKnownAsMcp(URL_OF_CALL, headerFields(headers), NONE)).toBe(expected);
  });

  it('headers that could not be read say nothing', () => {
    expect(isKnownAsMcp(URL_OF_CALL, undefined, NONE)).toBe(false);
  });
});

describe('a request known by its URL', () => {
  const yes = () => true;
  const no = () => false;
  it.each([
    ['included', { included: yes, ignored: undefined }, true, false],
    ['not included', { included: no, ignored: undefined }, false, false],
    ['ignored', { included: undefined, ignored: yes }, false, true],
    ['both: who asks first for ignoring sees it ignored', { included: yes, ignored: yes }, true, true],
  ])('%s', (_, endpoints, known, ignored) => {
    expect(isKnownAsMcp(URL_OF_CALL, undefined, endpoints)).toBe(known);
    expect(isIgnored(URL_OF_CALL, endpoints)).toBe(ignored);
  });
});

const bodies: readonly [body: string, expected: boolean][] = [
  ['{"jsonrpc":"2.0","id":1,"method":"a"}', true],
  ['{"id":1,"method":"a","jsonrpc":"2.0"}', true],
  ['{"method":"a","jsonrpc":"2.0"}', true],
  ['{"params":{},"jsonrpc":"2.0"}', true],
  ['{"result":{},"jsonrpc":"2.0"}', true],
  ['{"error":{},"jsonrpc":"2.0"}', true],
  [' \r\n\t{ "jsonrpc" : "2.0"}', true],
  ['[{"jsonrpc":"2.0"}]', true],
  [' [ { "id":1, "jsonrpc":"2.0"}]', true],
  ['{"id":1,"name":"no version"}', false],
  ['{"model":"m","input":"{\\"jsonrpc\\":\\"2.0\\"}"}', false],
  ['{"extra":1,"jsonrpc":"2.0"}', false],
  ['{}', false],
  ['[]', false],
  ['[[{"jsonrpc":"2.0"}]]', false],
  ['"jsonrpc"', false],
  ['', false],
  ['jsonrpc=2.0', false],
  ['\ufeff{"jsonrpc":"2.0"}', true],
];

describe('a body that may be JSON-RPC', () => {
  it.each(bodies)('%j: %s', (body, expected) => {
    expect(mayBeJsonRpc(body)).toBe(expected);
    expect(mayBeJsonRpc(Buffer.from(body))).toBe(expected);
  });

  it('bytes are looked at where they are, inside a larger buffer', () => {
    const bytes = Buffer.from(`xxx${bodies[0]?.[0]}xxx`);
    expect(mayBeJsonRpc(bytes.subarray(3, -3))).toBe(true);
    expect(mayBeJsonRpc(new Uint8Array(bytes.buffer, bytes.byteOffset, 3))).toBe(false);
  });
});
