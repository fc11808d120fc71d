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
}

export interface OtlpReceiver {
  /** What `OTEL_EXPORTER_OTLP_ENDPOINT` is to be, with `http/json` as the protocol. */
  readonly endpoint: string;
  /** What has arrived so far. */
  spans(): ReceivedSpan[];
  metricNames(): string[];
  close(): Promise<void>;
}

/** Takes OTLP over HTTP as JSON. */
export async function otlpReceiver(): Promise<OtlpReceiver> {
  const bodies: string[] = [];
  const metricBodies: string[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    if (request.url === '/v1/traces') bodies.push(body);
    if (request.url === '/v1/metrics') metricBodies.push(body);
    response.writeHead(200, JSON_HEADERS).end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: () => bodies.flatMap(spansIn),
    metricNames: () => metricBodies.flatMap(metricNamesIn),
    close: () => closeAll(server),
  };
}

interface Attribute {
  key: string;
  value: { stringValue?: string };
}

interface Export {
  resourceSpans: {
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

interface MetricExport {
  resourceMetrics: { scopeMetrics: { metrics: { name: string }[] }[] }[];
}

function metricNamesIn(body: string): string[] {
  return (JSON.parse(body) as MetricExport).resourceMetrics
    .flatMap(({ scopeMetrics }) => scopeMetrics)
    .flatMap(({ metrics }) => metrics.map(({ name }) => name));
}

function spansIn(body: string): ReceivedSpan[] {
  return (JSON.parse(body) as Export).resourceSpans
    .flatMap(({ scopeSpans }) => scopeSpans)
    .flatMap(({ scope, spans }) => spans.map((span) => ({ scope: scope.name, ...span })))
    .map(({ scope, name, traceId, spanId, parentSpanId, attributes }) => ({
      scope,
      name,
      traceId,
      spanId,
      // The root of a trace has none, or an empty one.
      parentSpanId: parentSpanId === '' ? undefined : parentSpanId,
      attributes: Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue])),
    }));
}
