import { resolve } from 'node:path';
import { freePorts } from './free-ports.js';
import { jaegerBinary } from './jaeger-binary.js';
import { type Program, startProgram } from './program.js';
import { prometheusCommand } from './prometheus-binary.js';
import { type PrometheusChanges, type PrometheusFiles, prometheusFiles } from './prometheus-files.js';
import { untilReady } from './ready.js';

/** The collector, Jaeger and Prometheus as `docker-compose.yml` runs them, from the same files, on other ports. */
export interface Backend {
  readonly collector: Service;
  readonly jaeger: Service;
  /** Not running unless it was asked for. */
  readonly prometheus: Service | undefined;
  /** What `OTEL_EXPORTER_OTLP_ENDPOINT` is to be. */
  readonly otlpEndpoint: string;
  readonly jaegerQuery: string;
  readonly prometheusUrl: string;
  /** Of the applications' metrics, and of the collector's own. */
  readonly metricsUrl: string;
  readonly collectorMetricsUrl: string;
  /** Ends all programs; their logs are printed when something went wrong. */
  close(failed: boolean): Promise<void>;
}

export interface Service extends Program {
  /** Starts it again where it was, and waits until it answers. */
  startAgain(): Promise<void>;
}

export interface BackendOptions {
  /** A file of deploy/collector, `development.yaml` by default. */
  readonly collectorConfig?: string;
  readonly collectorEnv?: Readonly<Record<string, string>>;
  /** Environment that depends on where Jaeger listens. */
  readonly collectorEnvFor?: (jaegerOtlp: string) => Readonly<Record<string, string>>;
  readonly jaegerEnv?: Readonly<Record<string, string>>;
  readonly prometheus?: Partial<Pick<PrometheusChanges, 'interval' | 'window'>>;
}

export async function startBackend(options: BackendOptions = {}): Promise<Backend> {
  // Jaeger's program contains the OpenTelemetry Collector, with every component the collector's files name.
  const binary = jaegerBinary();
  const ports = await freePorts(9);
  const [query, queryGrpc, jaegerOtlp, health, otlpGrpc, otlpHttp, metrics, self, promPort] =
    ports.map(String);
  const local = (port: string | undefined) => `http://127.0.0.1:${port}`;
  const otlpEndpoint = local(otlpHttp);
  const jaegerQuery = local(query);
  const prometheusUrl = local(promPort);
  const started: Program[] = [];
  let files: PrometheusFiles | undefined;

  async function run(
    name: string,
    command: string,
    args: readonly string[],
    env: Readonly<Record<string, string | undefined>>,
    probes: readonly (() => Promise<Response>)[],
  ): Promise<Service> {
    const program = startProgram({
      name,
      command,
      args,
      env: Object.fromEntries(Object.entries(env).map(([key, value]) => [key, String(value)])),
    });
    started.push(program);
    const ready = async () => {
      for (const probe of probes) await untilReady(program, probe);
    };
    await ready();
    return {
      ...program,
      startAgain() {
        program.start();
        return ready();
      },
    };
  }

  const close = async (failed: boolean) => {
    await Promise.all(started.map((program) => program.stop()));
    for (const program of started) {
      if (failed) console.error(`--- log of ${program.name} (${program.ending()})\n${program.log()}`);
      program.discard();
    }
    files?.remove();
  };

  try {
    const jaeger = await run(
      'jaeger',
      binary,
      ['--config', resolve('deploy/jaeger/config.yaml')],
      {
        JAEGER_LISTEN_HOST: '127.0.0.1',
        JAEGER_QUERY_PORT: query,
        JAEGER_QUERY_GRPC_PORT: queryGrpc,
        JAEGER_OTLP_HTTP_PORT: jaegerOtlp,
        JAEGER_HEALTH_PORT: health,
        ...options.jaegerEnv,
      },
      [() => fetch(`${local(health)}/status`), () => fetch(`${jaegerQuery}/api/services`)],
    );
    const collector = await run(
      'collector',
      binary,
      ['--config', resolve('deploy/collector', options.collectorConfig ?? 'development.yaml')],
      {
        COLLECTOR_LISTEN_HOST: '127.0.0.1',
        COLLECTOR_OTLP_GRPC_PORT: otlpGrpc,
        COLLECTOR_OTLP_HTTP_PORT: otlpHttp,
        COLLECTOR_PROMETHEUS_PORT: metrics,
        COLLECTOR_SELF_PORT: self,
        COLLECTOR_SPAN_METRICS_INTERVAL: '1s',
        JAEGER_OTLP_ENDPOINT: local(jaegerOtlp),
        ...options.collectorEnv,
        ...options.collectorEnvFor?.(local(jaegerOtlp)),
      },
      // The contrib image has no `healthcheckv2`, so the collector is asked what it is there for.
      [() => exportNothing(`${otlpEndpoint}/v1/traces`)],
    );
    let prometheus: Service | undefined;
    if (options.prometheus !== undefined) {
      files = prometheusFiles({
        applications: `127.0.0.1:${metrics}`,
        collector: `127.0.0.1:${self}`,
        interval: '1s',
        ...options.prometheus,
      });
      prometheus = await run(
        'prometheus',
        prometheusCommand('prometheus'),
        [
          `--config.file=${files.config}`,
          `--storage.tsdb.path=${files.data}`,
          `--web.listen-address=127.0.0.1:${promPort}`,
          '--enable-feature=exemplar-storage',
        ],
        {},
        [() => fetch(`${prometheusUrl}/-/ready`)],
      );
    }
    return {
      collector,
      jaeger,
      prometheus,
      otlpEndpoint,
      jaegerQuery,
      prometheusUrl,
      metricsUrl: `${local(metrics)}/metrics`,
      collectorMetricsUrl: `${local(self)}/metrics`,
      close,
    };
  } catch (error) {
    await close(false);
    throw error;
  }
}

/** An OTLP export request without a span in it: valid, and answered 200. */
function exportNothing(url: string): Promise<Response> {
  return fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' });
}
