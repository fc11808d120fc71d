import { SpanStatusCode } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import type { ErrorLayer, Outcome } from '../../src/index.js';

/** A span as far as a call and its server decide it. */
export interface SpanRow {
  readonly name: string;
  readonly outcome: Outcome;
  readonly layer?: ErrorLayer;
  /** JSON-RPC's. */
  readonly code?: string;
  readonly errorType?: string;
  readonly negotiation?: string;
  readonly httpStatus?: number;
  readonly failed: boolean;
}

export function rowOf(span: ReadableSpan): SpanRow {
  const { attributes } = span;
  const row = {
    name: span.name,
    outcome: attributes['mcp.outcome'],
    layer: attributes['mcp.error.layer'],
    code: attributes['rpc.response.status_code'],
    errorType: attributes['error.type'],
    negotiation: attributes['mcp.negotiation'],
    httpStatus: attributes['http.response.status_code'],
    failed: span.status.code === SpanStatusCode.ERROR,
  };
  return JSON.parse(JSON.stringify(row));
}

const answered = { httpStatus: 200, failed: false } as const;

export function success(method: string, target?: string): SpanRow {
  return { ...answered, name: nameOf(method, target), outcome: 'SUCCESS' };
}

export function toolSuccess(tool: string): SpanRow {
  return { ...answered, name: `tools/call ${tool}`, outcome: 'TOOL_SUCCESS' };
}

export function inputRequired(tool: string): SpanRow {
  return { ...answered, name: `tools/call ${tool}`, outcome: 'INPUT_REQUIRED' };
}

export function toolError(tool: string): SpanRow {
  return {
    name: `tools/call ${tool}`,
    outcome: 'TOOL_ERROR',
    layer: 'application',
    errorType: 'tool_error',
    httpStatus: 200,
    failed: true,
  };
}

export function rpcError(code: number, method: string, target?: string): SpanRow {
  return {
    name: nameOf(method, target),
    outcome: 'JSONRPC_ERROR',
    layer: 'protocol',
    code: String(code),
    errorType: String(code),
    httpStatus: 200,
    failed: true,
  };
}

export function accepted(method: string): SpanRow {
  return { name: method, outcome: 'ACCEPTED', httpStatus: 202, failed: false };
}

export function cancelled(tool: string): SpanRow {
  return { ...answered, name: `tools/call ${tool}`, outcome: 'CANCELLED' };
}

export function timedOut(tool: string): SpanRow {
  return {
    name: `tools/call ${tool}`,
    outcome: 'TIMEOUT',
    layer: 'transport',
    errorType: 'timeout',
    httpStatus: 200,
    failed: true,
  };
}

/** The probe that a server of the older era refuses. */
export function refusedProbe(httpStatus: number, code: number): SpanRow {
  return {
    name: 'server/discover',
    outcome: 'HTTP_ERROR',
    layer: 'transport',
    code: String(code),
    negotiation: 'version',
    httpStatus,
    failed: false,
  };
}

function nameOf(method: string, target: string | undefined): string {
  return target === undefined ? method : `${method} ${target}`;
}
