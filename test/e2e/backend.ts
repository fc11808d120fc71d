import { resolve } from 'node:path';
import { freePorts } from './free-ports.js';
import { jaegerBinary } from './jaeger-binary.js';
import { type Program, startProgram } from './program.js';
import { untilReady } from './ready.js';

/** The collector and Jaeger as `docker-compose.yml` runs them, from the same files, on other ports. */
export interface Backend {
  readonly collector: Program;
  readonly jaeger: Program;
  /** What `OTEL_EXPORTER_OTLP_ENDPOINT` is to be. */
  readonly otlpEndpoint: string;
  readonly jaegerQuery: string;
  /** Ends both programs; their logs are printed when something went wrong. */
  close(failed: boolean): Promise<void>;
}

export async function startBackend(): Promise<Backend> {
  // Jaeger's program contains the OpenTelemetry Collector, with every component the collector's file names.
  const binary = jaegerBinary();
  const [query, queryGrpc, jaegerOtlp, health, otlpGrpc, otlpHttp] = (await freePorts(6)).map(String);
  const started: Program[] = [];

  const run = (name: string, config: string, env: Record<string, string | undefined>): Program => {
    const program = startProgram({
      name,
      command: binary,
      args: ['--config', resolve(config)],
      env: Object.fromEntries(Object.entries(env).map(([key, value]) => [key, String(value)])),
    });
    started.push(program);
    return program;
  };
  const close = async (failed: boolean) => {
    await Promise.all(started.map((program) => program.stop()));
    for (const program of started) {
      if (failed) console.error(`--- log of ${program.name} (${program.ending()})\n${program.log()}`);
      program.discard();
    }
  };

  try {
    const jaeger = run('jaeger', 'deploy/jaeger/config.yaml', {
      JAEGER_LISTEN_HOST: '127.0.0.1',
      JAEGER_QUERY_PORT: query,
      JAEGER_QUERY_GRPC_PORT: queryGrpc,
      JAEGER_OTLP_HTTP_PORT: jaegerOtlp,
      JAEGER_HEALTH_PORT: health,
    });
    const collector = run('collector', 'deploy/collector/development.yaml', {
      COLLECTOR_LISTEN_HOST: '127.0.0.1',
      COLLECTOR_OTLP_GRPC_PORT: otlpGrpc,
      COLLECTOR_OTLP_HTTP_PORT: otlpHttp,
      JAEGER_OTLP_ENDPOINT: `http://127.0.0.1:${jaegerOtlp}`,
    });
    const otlpEndpoint = `http://127.0.0.1:${otlpHttp}`;
    const jaegerQuery = `http://127.0.0.1:${query}`;
    await untilReady(jaeger, () => fetch(`http://127.0.0.1:${health}/status`));
    await untilReady(jaeger, () => fetch(`${jaegerQuery}/api/services`));
    // The contrib image has no `healthcheckv2`, so the collector is asked what it is there for.
    await untilReady(collector, () => exportNothing(`${otlpEndpoint}/v1/traces`));
    return { collector, jaeger, otlpEndpoint, jaegerQuery, close };
  } catch (error) {
    await close(false);
    throw error;
  }
}

/** An OTLP export request without a span in it: valid, and answered 200. */
function exportNothing(url: string): Promise<Response> {
  return fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' });
}
