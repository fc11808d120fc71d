import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** test/e2e/agent.mjs, started the way an application is: with `--import …/register` and variables. */
export interface Agent {
  /** Makes these calls, in one trace, one after the other. */
  turn(names: readonly string[]): Promise<Turn>;
  /** Lets it come to its end, which exports what is left. */
  end(): Promise<{ readonly code: number | null; readonly stderr: string }>;
}

export interface Turn {
  readonly made: number;
  readonly longestMillis: number;
}

export interface AgentOptions {
  readonly mcpUrl: string;
  readonly otlpEndpoint: string;
  readonly service: string;
  readonly env?: Readonly<Record<string, string>>;
}

export function startAgent({ mcpUrl, otlpEndpoint, service, env }: AgentOptions): Agent {
  const child = spawn(
    process.execPath,
    ['--import', 'opentelemetry-instrumentation-mcp-http/register', 'test/e2e/agent.mjs'],
    {
      env: {
        ...process.env,
        MCP_URL: mcpUrl,
        OTEL_SERVICE_NAME: service,
        OTEL_EXPORTER_OTLP_ENDPOINT: otlpEndpoint,
        OTEL_LOGS_EXPORTER: 'none',
        OTEL_LOG_LEVEL: 'warn',
        OTEL_BSP_SCHEDULE_DELAY: '200',
        OTEL_METRIC_EXPORT_INTERVAL: '500',
        OTEL_METRIC_EXPORT_TIMEOUT: '400',
        // No retries, which would overlap at this interval and, without a collector, keep the process alive for ever.
        OTEL_EXPORTER_OTLP_METRICS_TIMEOUT: '400',
        ...env,
      },
      timeout: 240_000,
    },
  );
  let stderr = '';
  child.stderr.on('data', (data) => {
    stderr += data;
  });
  const closed = once(child, 'close');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async turn(names) {
      child.stdin.write(`${JSON.stringify(names)}\n`);
      const line = await lines.next();
      if (line.done) throw new Error(`The agent ended: ${stderr}`);
      return JSON.parse(line.value) as Turn;
    },
    async end() {
      child.stdin.end();
      const [code] = (await closed) as [number | null];
      return { code, stderr };
    },
  };
}
