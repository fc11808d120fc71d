// In a file of its own: undici, once imported, puts its own dispatcher under Node's fetch.
import { Agent, fetch as undiciFetch } from 'undici7';
import { describe, it } from 'vitest';
import { titled } from '../protocol/titled.js';
import { JSON_HEADERS } from '../support/json-rpc.js';
import {
  answered,
  type ExchangeRow,
  failure,
  observedExchanges,
  SENT,
} from '../support/observed-exchanges.js';
import { STAY_OPEN } from '../support/scripted-server.js';

const rows: (ExchangeRow & { readonly option: 'headersTimeout' | 'bodyTimeout' })[] = [
  {
    rule: 'headers that do not come in time are a timeout',
    option: 'headersTimeout',
    answer: () => STAY_OPEN,
    attributes: { ...SENT, ...failure('TIMEOUT', 'transport') },
    failure: 'timed out before the response',
  },
  {
    rule: 'a body that does not go on in time is a timeout',
    option: 'bodyTimeout',
    answer: { headers: JSON_HEADERS, body: ['{', STAY_OPEN] },
    attributes: answered(200, failure('TIMEOUT', 'transport')),
    failure: 'timed out before the response',
  },
];

describe("undici's own patience", () => {
  const exchanges = observedExchanges();

  it.each(titled(rows))('%s', async (_, row) => {
    const dispatcher = new Agent({ [row.option]: 50 });
    try {
      await exchanges.check({
        ...row,
        application: async (url, { method, headers, body }) => {
          const init = { method, headers, body, dispatcher } as Parameters<typeof undiciFetch>[1];
          await undiciFetch(url, init)
            .then((response) => response.text())
            .catch(() => undefined);
          return {};
        },
      });
    } finally {
      await dispatcher.destroy();
    }
  });
});
