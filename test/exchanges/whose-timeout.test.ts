// In a file of its own: undici, once imported, puts its own dispatcher under Node's fetch.
import { SpanStatusCode } from '@opentelemetry/api';
import { Agent, fetch as undiciFetch } from 'undici7';
import { describe, expect, it } from 'vitest';
import { type Application, abortInBody } from '../support/application-view.js';
import { event, SSE_HEADERS } from '../support/json-rpc.js';
import { observedExchanges } from '../support/observed-exchanges.js';
import { STAY_OPEN } from '../support/scripted-server.js';

// docs/outcomes.md, "Whose time ran out": the call's span says the same of all, the HTTP span tells them apart.

interface Row {
  readonly rule: string;
  readonly application: Application;
  readonly errorType: string | number;
  readonly message: string;
}

const DUE_TO_TIMEOUT = 'The operation was aborted due to timeout';

const withBodyTimeout: Application = async (url, { method, headers, body }) => {
  const dispatcher = new Agent({ bodyTimeout: 50 });
  try {
    const init = { method, headers, body, dispatcher } as Parameters<typeof undiciFetch>[1];
    await undiciFetch(url, init)
      .then((response) => response.text())
      .catch(() => undefined);
    return {};
  } finally {
    await dispatcher.destroy();
  }
};

const rows: Row[] = [
  {
    rule: 'AbortSignal.timeout: its own words',
    application: abortInBody(() => new DOMException(DUE_TO_TIMEOUT, 'TimeoutError')),
    // A DOMException's `code`, which instrumentation-undici takes as it is.
    errorType: 23,
    message: DUE_TO_TIMEOUT,
  },
  {
    rule: "the application's or the AI SDK's limit: the reason of the abort",
    application: abortInBody(() => new Error('Request timed out after 5000ms')),
    errorType: 'Error',
    message: 'Request timed out after 5000ms',
  },
  {
    rule: "undici's limit: undici's code",
    application: withBodyTimeout,
    errorType: 'UND_ERR_BODY_TIMEOUT',
    message: 'Body Timeout Error',
  },
];

describe('of a TIMEOUT, the HTTP span tells', () => {
  const exchanges = observedExchanges({ undici: 'second' });

  it.each(rows)('$rule', async ({ application, errorType, message }) => {
    const progress = event('{"jsonrpc":"2.0","method":"notifications/progress","params":{}}');
    const call = await exchanges.span({
      answer: { headers: SSE_HEADERS, body: [progress, STAY_OPEN] },
      application,
    });
    expect(call.attributes).toMatchObject({ 'mcp.outcome': 'TIMEOUT', 'error.type': 'timeout' });
    expect(call.status.message).toBe('timed out before the response');
    const spans = await exchanges.tracing.waitForHttpSpans(1);
    expect(spans.map(({ attributes, status }) => ({ errorType: attributes['error.type'], status }))).toEqual([
      { errorType, status: { code: SpanStatusCode.ERROR, message } },
    ]);
  });
});
