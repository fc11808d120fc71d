import { describe, expect, it } from 'vitest';
import { titled } from '../protocol/titled.js';
import { JSON_HEADERS, request, result, rpcError, toolsCall } from '../support/json-rpc.js';
import { type ExchangeScript, observedExchanges } from '../support/observed-exchanges.js';

const LONG = 'x'.repeat(5_000);
const MAX_LENGTH = 256;

interface Row extends ExchangeScript {
  readonly rule: string;
}

const json = (body: string, headers = {}, status = 200) => ({
  status,
  headers: { ...JSON_HEADERS, ...headers },
  body: [body],
});

const rows: Row[] = [
  {
    rule: 'Content-Type and Retry-After',
    answer: json('', { 'content-type': `application/json; x=${LONG}`, 'retry-after': LONG }, 503),
  },
  { rule: 'a resultType', answer: json(result({ resultType: LONG })) },
  { rule: 'an error message', answer: json(rpcError(1, LONG)) },
  {
    rule: "a server's name, version and revision",
    body: request('initialize', { protocolVersion: LONG, clientInfo: { name: LONG, version: LONG } }),
    answer: json(result({ protocolVersion: LONG, serverInfo: { name: LONG, version: LONG } })),
  },
  { rule: "a tool's name and an id", body: toolsCall(LONG, LONG), answer: json('{}') },
  { rule: "a prompt's name", body: request('prompts/get', { name: LONG }), answer: json('{}') },
  { rule: 'a method', body: request(LONG), answer: json('{}') },
  { rule: 'a revision', init: { headers: { 'mcp-protocol-version': LONG } }, answer: json('{}') },
];

describe(`no value that a peer can choose is longer than ${MAX_LENGTH} characters`, () => {
  const exchanges = observedExchanges();

  it.each(titled(rows))('%s', async (_, row) => {
    const { name, attributes, events, status } = await exchanges.span(row);
    const told = [
      { name, ...attributes, status: status.message },
      ...events.map((event) => event.attributes),
    ];
    const values = told.flatMap((all) => Object.values(all ?? {}).flat());
    const strings = values.filter((value) => typeof value === 'string');
    expect(strings.length).toBeGreaterThan(0);
    // What a failure's description says itself comes before the message.
    expect(strings.filter((text) => text.length > MAX_LENGTH + 100)).toEqual([]);
  });
});
