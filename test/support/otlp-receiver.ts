import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { JSON_HEADERS } from './json-rpc.js';
import { closeAll } from './scripted-server.js';

/** A span as it came over OTLP. Of its attributes only strings are kept. */
export interface ReceivedSpan {
  readonly scope: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly attributes: Readonly<Record<string, string | undefined>>;
  readonly resource: Readonly<Record<string, string | undefined>>;
}

/** A point of a histogram as it came over OTLP. */
export interface ReceivedHistogramPoint {
  readonly scope: string;
  readonly name: string;
  readonly count: number;
  readonly attributes: Readonly<Record<string, string | undefined>>;
}

export interface OtlpReceiver {
  /** What `OTEL_EXPORTER_OTLP_ENDPOINT` is to be, with `http/json` as the protocol. */
  readonly endpoint: string;
  /** What has arrived so far. */
  spans(): ReceivedSpan[];
  /** The points of all histograms in all exports so far: cumulative ones come again with each export. */
  histogramPoints(): ReceivedHistogramPoint[];
  close(): Promise<void>;
}

/** Takes OTLP over HTTP as JSON. */
export async function otlpReceiver(): Promise<OtlpReceiver> {
  const bodies: Record<string, string[]> = { '/v1/traces': [], '/v1/metrics': [] };
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    bodies[request.url ?? '']?.push(body);
    response.writeHead(200, JSON_HEADERS).end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: () => (bodies['/v1/traces'] ?? []).flatMap(spansIn),
    histogramPoints: () => (bodies['/v1/metrics'] ?? []).flatMap(histogramPointsIn),
    close: () => closeAll(server),
  };
}

interface Attribute {
  key: string;
  value: { stringValue?: string };
}

interface Export {
  resourceSpans: {
    resource: { attributes: Attribute[] };
    scopeSpans: {
      scope: { name: string };
      spans: {
        name: string;
        traceId: string;
        spanId: string;
        parentSpanId?: string;
        attributes: Attribute[];
      }[];
    }[];
  }[];
}

function spansIn(body: string): ReceivedSpan[] {
  return (JSON.parse(body) as Export).resourceSpans
    .flatMap(({ resource, scopeSpans }) => scopeSpans.map((ofScope) => ({ resource, ...ofScope })))
    .flatMap(({ resource, scope, spans }) =>
      spans.map((span) => ({ resource: stringsOf(resource.attributes), scope: scope.name, ...span })),
    )
    .map(({ resource, scope, name, traceId, spanId, parentSpanId, attributes }) => ({
      resource,
      scope,
      name,
      traceId,
      spanId,
      // The root of a trace has none, or an empty one.
      parentSpanId: parentSpanId === '' ? undefined : parentSpanId,
      attributes: stringsOf(attributes),
    }));
}

interface MetricsExport {
  resourceMetrics: {
    scopeMetrics: {
      scope: { name: string };
      metrics: {
        name: string;
        histogram?: { dataPoints: { count: number | string; attributes: Attribute[] }[] };
      }[];
    }[];
  }[];
}

function histogramPointsIn(body: string): ReceivedHistogramPoint[] {
  return (JSON.parse(body) as MetricsExport).resourceMetrics
    .flatMap(({ scopeMetrics }) => scopeMetrics)
    .flatMap(({ scope, metrics }) => metrics.map((metric) => ({ scope: scope.name, ...metric })))
    .flatMap(({ scope, name, histogram }) =>
      (histogram?.dataPoints ?? []).map(({ count, attributes }) => ({
        scope,
        name,
        // A 64-bit integer, which protobuf's JSON may write as a string.
        count: Number(count),
        attributes: stringsOf(attributes),
      })),
    );
}

function stringsOf(attributes: readonly Attribute[]): Record<string, string | undefined> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue]));
}
