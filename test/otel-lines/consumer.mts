// Compiled against the packed package, not run: its types must fit those of the line that is installed.
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import { NodeSDK } from '@opentelemetry/sdk-node';
import {
  type CallRecord,
  classifyResponse,
  McpHttpInstrumentation,
  OUTCOMES,
  type Outcome,
  retryAdvice,
  withRetryOrigin,
} from 'opentelemetry-instrumentation-mcp-http';

const calls: CallRecord[] = [];
const mcp = new McpHttpInstrumentation({
  endpoints: ['https://mcp.example/mcp', /\/mcp$/],
  responseHook: (span, call) => {
    span.setAttribute('tenant', 'a');
    calls.push(call);
  },
});
new NodeSDK({
  instrumentations: [
    mcp,
    new UndiciInstrumentation({ requestHook: mcp.httpSpanHook }),
    new UndiciInstrumentation({ requestHook: mcp.chainHttpSpanHook((_span, { origin }) => origin) }),
  ],
});

const outcome: Outcome = classifyResponse({
  status: 200,
  body: '',
  request: { id: 1, method: 'ping' },
}).outcome;
const first: Outcome = OUTCOMES[0];
const delay: number = withRetryOrigin('manual', () =>
  Math.max(...calls.map((call) => retryAdvice(call, { readOnly: true }).delayMs)),
);

export { delay, first, outcome };
