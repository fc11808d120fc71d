import { describe, expect, it } from 'vitest';
import { titled } from '../protocol/titled.js';
import {
  type Application,
  abortAfter,
  abortBeforeHeaders,
  alreadyAborted,
  readToTheEnd,
} from '../support/application-view.js';
import { toolsCall } from '../support/json-rpc.js';
import { type ExchangeRow, failure, observedExchanges, SENT } from '../support/observed-exchanges.js';
import { rawServer, refusedPort } from '../support/raw-server.js';
import { CUT, STAY_OPEN } from '../support/scripted-server.js';

const NO_HEAD = { 'network.protocol.version': undefined };
const NOT_SENT = { ...NO_HEAD, 'mcp.http.post_count': 0 };

/** As SDKs and frameworks give up on a call: the reason of the abort says so. */
const sdkTimeout = () => new Error('MCP error -32001: Request timed out');

const rows: ExchangeRow[] = [
  {
    rule: 'a connection that closes before the status line is a network error, with the code of undici',
    answer: CUT,
    attributes: { ...SENT, ...failure('NETWORK_ERROR', 'transport', 'UND_ERR_SOCKET') },
    failure: 'no HTTP response: other side closed',
  },
  {
    rule: 'an abort before the headers is no failure',
    answer: () => STAY_OPEN,
    application: abortBeforeHeaders(),
    attributes: { ...SENT, 'mcp.outcome': 'CANCELLED' },
  },
  {
    rule: 'an abort with an error of the application is no failure either, whatever its code',
    answer: () => STAY_OPEN,
    application: abortBeforeHeaders(() => Object.assign(new Error('changed my mind'), { code: 'ENOUGH' })),
    attributes: { ...SENT, 'mcp.outcome': 'CANCELLED' },
  },
  {
    rule: 'an abort with a word is no failure',
    answer: () => STAY_OPEN,
    application: abortBeforeHeaders(() => 'enough'),
    attributes: { ...SENT, 'mcp.outcome': 'CANCELLED' },
  },
  {
    rule: 'a fetch whose signal was aborted before is cancelled, and was never sent',
    answer: () => STAY_OPEN,
    application: alreadyAborted,
    attributes: { ...SENT, ...NOT_SENT, 'mcp.outcome': 'CANCELLED' },
  },
  {
    rule: 'AbortSignal.timeout is a timeout',
    answer: () => STAY_OPEN,
    application: abortAfter(50),
    attributes: { ...SENT, ...failure('TIMEOUT', 'transport') },
    failure: 'timed out before the response',
  },
  {
    rule: 'an abort whose reason says that time ran out is a timeout',
    answer: () => STAY_OPEN,
    application: abortBeforeHeaders(sdkTimeout),
    attributes: { ...SENT, ...failure('TIMEOUT', 'transport') },
    failure: 'timed out before the response',
  },
  {
    rule: 'an abort with a text that says so is one too',
    answer: () => STAY_OPEN,
    application: abortBeforeHeaders(() => 'Timeout of 30 s exceeded'),
    attributes: { ...SENT, ...failure('TIMEOUT', 'transport') },
    failure: 'timed out before the response',
  },
];

describe('a call without an HTTP response', () => {
  const exchanges = observedExchanges();

  it.each(titled(rows))('%s', (_, row) => exchanges.check(row));

  it('a refused port is a network error, with the code of Node', async () => {
    const port = await refusedPort();
    await exchanges.check({
      rule: '',
      answer: CUT,
      application: readFrom(`http://127.0.0.1:${port}/mcp`),
      attributes: {
        ...SENT,
        ...NO_HEAD,
        ...failure('NETWORK_ERROR', 'transport', 'ECONNREFUSED'),
        'server.port': port,
      },
      failure: `no HTTP response: connect ECONNREFUSED 127.0.0.1:${port}`,
    });
  });

  it('TLS to a port that speaks plain HTTP is a network error, with the code of OpenSSL', async () => {
    const { port } = exchanges.server;
    await exchanges.check({
      rule: '',
      answer: CUT,
      application: readFrom(`https://127.0.0.1:${port}/mcp`),
      attributes: {
        ...SENT,
        ...NO_HEAD,
        ...failure('NETWORK_ERROR', 'transport', expect.stringMatching(/^ERR_SSL_/) as never),
      },
      failure: expect.stringMatching(/^no HTTP response: .+/) as never,
    });
  });

  it('what is no HTTP at all is a network error, with what the parser is called by', async () => {
    const server = await rawServer((socket) => {
      socket.end('SSH-2.0-OpenSSH_9.6\r\n');
    });
    try {
      await exchanges.check({
        rule: '',
        answer: CUT,
        application: readFrom(server.url),
        attributes: {
          ...SENT,
          // Up to Node 24, the parser's own code; later undici forgets to fill it in.
          ...failure(
            'NETWORK_ERROR',
            'transport',
            expect.stringMatching(/^(HPE_INVALID_CONSTANT|HTTPParserError)$/) as never,
          ),
          'server.port': server.port,
        },
        failure: expect.stringMatching(/^no HTTP response: /) as never,
      });
    } finally {
      await server.close();
    }
  });

  it('a port that fetch never goes to is a network error without a code: the error names itself', async () => {
    await exchanges.check({
      rule: '',
      answer: CUT,
      application: readFrom('http://127.0.0.1:1/mcp'),
      attributes: {
        ...SENT,
        ...NOT_SENT,
        ...failure('NETWORK_ERROR', 'transport', 'TypeError'),
        'server.port': 1,
      },
      failure: expect.stringMatching(/^no HTTP response: /) as never,
    });
  });

  it('the application gets the error of fetch itself, with its cause', async () => {
    const port = await refusedPort();
    const thrown = await fetch(`http://127.0.0.1:${port}/mcp`, { method: 'POST', body: toolsCall() }).catch(
      (error: unknown) => error,
    );
    expect(thrown).toBeInstanceOf(TypeError);
    expect((thrown as TypeError).cause).toMatchObject({ code: 'ECONNREFUSED' });
    await exchanges.tracing.waitForSpans(1);
  });
});

function readFrom(url: string): Application {
  return (_, init, exchange) => readToTheEnd(url, init, exchange);
}
