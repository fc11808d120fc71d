import { describe, expect, it } from 'vitest';
import { titled } from '../protocol/titled.js';
import { readToTheEnd } from '../support/application-view.js';
import { event, JSON_HEADERS, SSE_HEADERS, toolResult, toolsCall } from '../support/json-rpc.js';
import { answered, type ExchangeRow, failure, observedExchanges } from '../support/observed-exchanges.js';
import { type RawServer, rawServer } from '../support/raw-server.js';
import { CUT } from '../support/scripted-server.js';

const INCOMPLETE = failure('STREAM_INCOMPLETE', 'transport');
const ENDED = 'the body ended before the response';
/** Of an exchange that was cut: then what undici says of it follows. */
const ENDED_BY = expect.stringMatching(/^the body ended before the response: ./) as never;
const progress = event('{"jsonrpc":"2.0","method":"notifications/progress","params":{}}');
const stream = (end: string, events: number) => ({ 'mcp.stream.end': end, 'mcp.stream.events': events });

const rows: ExchangeRow[] = [
  {
    rule: 'JSON that is cut is incomplete, not malformed',
    answer: { headers: JSON_HEADERS, body: ['{"jsonrpc":"2.0","id":1,"result":', CUT] },
    attributes: answered(200, INCOMPLETE),
    failure: ENDED_BY,
  },
  {
    rule: 'JSON that is cut short of its Content-Length is incomplete, even when what came is a result',
    answer: { headers: { ...JSON_HEADERS, 'content-length': '1000' }, body: [toolResult(), CUT] },
    attributes: answered(200, INCOMPLETE),
    failure: ENDED_BY,
  },
  {
    rule: 'JSON that ends cleanly in the middle is malformed: nothing says that it was cut',
    answer: { headers: JSON_HEADERS, body: ['{"jsonrpc":"2.0","id":1,"result":'] },
    attributes: answered(200, failure('MALFORMED_JSON', 'protocol')),
    failure: 'the response is not JSON',
  },
  {
    rule: 'an empty 200 has no response in it',
    answer: { headers: JSON_HEADERS },
    attributes: answered(200, INCOMPLETE),
    failure: ENDED,
  },
  {
    rule: 'a body of white space is as empty',
    answer: { headers: JSON_HEADERS, body: [' \r\n'] },
    attributes: answered(200, INCOMPLETE),
    failure: ENDED,
  },
  {
    rule: 'a 204 to a request has no response in it',
    answer: { status: 204 },
    attributes: answered(204, INCOMPLETE),
    failure: ENDED,
  },
  {
    rule: 'a stream that ends before its first event is incomplete',
    answer: { headers: SSE_HEADERS, body: [': welcome\n\n'] },
    attributes: answered(200, { ...INCOMPLETE, ...stream('closed', 0) }),
    failure: ENDED,
  },
  {
    rule: 'a stream that is cut before its first byte is incomplete',
    answer: { headers: SSE_HEADERS, body: [CUT] },
    attributes: answered(200, { ...INCOMPLETE, ...stream('cut', 0) }),
    failure: ENDED_BY,
    events: { 'mcp.stream.cut': { 'mcp.stream.events': 0 } },
  },
  {
    rule: 'a stream that is cut inside the response is incomplete',
    answer: { headers: SSE_HEADERS, body: [progress, event(toolResult()).slice(0, -3), CUT] },
    attributes: answered(200, { ...INCOMPLETE, ...stream('cut', 1) }),
    failure: ENDED_BY,
    events: { 'mcp.stream.cut': { 'mcp.stream.events': 1 } },
  },
  {
    rule: 'a response without its closing blank line is not dispatched: SDKs drop it too',
    answer: { headers: SSE_HEADERS, body: [progress, `data: ${toolResult()}\n`] },
    attributes: answered(200, { ...INCOMPLETE, ...stream('closed', 1) }),
    failure: ENDED,
  },
  {
    rule: 'a cut after the response is nothing to the call',
    answer: { headers: SSE_HEADERS, body: [event(toolResult()), CUT] },
    attributes: answered(200, {
      'mcp.outcome': 'TOOL_SUCCESS',
      'mcp.result.type': 'complete',
      ...stream('response', 1),
    }),
  },
  {
    rule: 'a stranger on a stream that is then cut does not make the envelope wrong',
    answer: { headers: SSE_HEADERS, body: [event(toolResult({}, 2)), CUT] },
    attributes: answered(200, { ...INCOMPLETE, ...stream('cut', 1) }),
    failure: ENDED_BY,
    events: { 'mcp.stream.cut': { 'mcp.stream.events': 1 } },
  },
];

describe('a body that ends before the response', () => {
  const exchanges = observedExchanges();
  it.each(titled(rows))('%s', (_, row) => exchanges.check(row));

  it('an invalid chunk is the end of a body like any other', async () => {
    const server: RawServer = await rawServer((socket) => {
      socket.end(
        'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"jso\r\nZZ\r\n',
      );
    });
    try {
      await exchanges.check({
        rule: '',
        body: toolsCall(),
        answer: CUT,
        application: (_, init, exchange) => readToTheEnd(server.url, init, exchange),
        attributes: { ...answered(200, INCOMPLETE), 'server.port': server.port },
        failure: ENDED_BY,
      });
    } finally {
      await server.close();
    }
  });
});
