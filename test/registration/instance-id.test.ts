import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { JSON_HEADERS, MCP_HEADERS, toolResult, toolsCall } from '../support/json-rpc.js';
import { otlpReceiver } from '../support/otlp-receiver.js';
import { run } from '../support/run.js';
import { type ScriptedServer, scriptedServer } from '../support/scripted-server.js';

// Each is a process of its own, with the built package's `register`; `npm test` builds it first.

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describe('register tells the processes of one service apart', () => {
  let server: ScriptedServer;

  beforeAll(async () => {
    server = await scriptedServer(() => ({ headers: JSON_HEADERS, body: [toolResult()] }));
  });
  afterAll(() => server.close());

  async function instanceOf(env: Readonly<Record<string, string>>): Promise<string | undefined> {
    const receiver = await otlpReceiver();
    const init = JSON.stringify({ method: 'POST', headers: MCP_HEADERS, body: toolsCall() });
    const call = `fetch(process.env.MCP_URL, ${init}).then((response) => response.text())`;
    const result = await run(process.execPath, ['--require', './dist/register.js', '--eval', call], {
      env: {
        MCP_URL: server.url,
        OTEL_SERVICE_NAME: 'agent',
        OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint,
        OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
        OTEL_METRICS_EXPORTER: 'none',
        OTEL_LOGS_EXPORTER: 'none',
        OTEL_NODE_RESOURCE_DETECTORS: undefined,
        OTEL_RESOURCE_ATTRIBUTES: undefined,
        ...env,
      },
    });
    await receiver.close();
    expect(result).toEqual({ code: 0, stdout: '', stderr: '' });
    const [span] = receiver.spans();
    expect(span?.resource['service.name']).toBe('agent');
    return span?.resource['service.instance.id'];
  }

  it('by an id of its own for each', async () => {
    const ids = await Promise.all([instanceOf({}), instanceOf({})]);
    for (const id of ids) expect(id).toMatch(UUID);
    expect(new Set(ids).size).toBe(2);
  });

  it.each([
    [
      'the id that the environment names',
      { OTEL_RESOURCE_ATTRIBUTES: 'service.instance.id=agent-7' },
      'agent-7',
    ],
    [
      'nothing, where the environment chooses detectors without it',
      { OTEL_NODE_RESOURCE_DETECTORS: 'env' },
      undefined,
    ],
  ])('or by %s', async (_what, env, id) => {
    expect(await instanceOf(env)).toBe(id);
  });
});
