import { type Attributes, SpanKind, SpanStatusCode } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { expect } from 'vitest';
import { VERSION } from '../../src/version.js';
import { MCP_SCOPE } from './span-recorder.js';

/** What a span tells, without what is the same in every span. */
export interface Told {
  readonly name: string;
  readonly attributes: Attributes;
  /** The description of the status ERROR; absent when the status is UNSET. */
  readonly failure?: string;
  /** Events by their names, but for those that `expectWellFormed` has checked: the responses' and the verdict's. */
  readonly events: Readonly<Record<string, Attributes>>;
}

/** What a test expects. A `undefined` attribute is one that must be absent. */
export interface Expectation {
  /** Default: `tools/call echo`. */
  readonly name?: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly failure?: string | undefined;
  readonly events?: Readonly<Record<string, Attributes>> | undefined;
}

const CHECKED = ['mcp.http.response', 'mcp.classified'];

/** Compares everything that a span tells. */
export function expectTold(span: ReadableSpan | undefined, expected: Expectation): void {
  if (span === undefined) throw new Error('there is no span');
  expectWellFormed(span);
  expect(told(span)).toEqual({
    name: expected.name ?? 'tools/call echo',
    attributes: expected.attributes,
    failure: expected.failure,
    events: expected.events ?? {},
  });
}

export function told(span: ReadableSpan): Told {
  const failed = span.status.code === SpanStatusCode.ERROR;
  return {
    name: span.name,
    attributes: span.attributes,
    ...(failed && { failure: span.status.message ?? '' }),
    events: Object.fromEntries(
      span.events
        .filter(({ name }) => !CHECKED.includes(name))
        .map(({ name, attributes }) => [name, attributes ?? {}]),
    ),
  };
}

/** What holds for every MCP span, whatever happened to its call. */
export function expectWellFormed(span: ReadableSpan): void {
  const { attributes, status, events } = span;
  expect(span.kind).toBe(SpanKind.CLIENT);
  expect(span.instrumentationScope).toMatchObject({ name: MCP_SCOPE, version: VERSION });
  expect([SpanStatusCode.UNSET, SpanStatusCode.ERROR]).toContain(status.code);
  expect(status.code === SpanStatusCode.ERROR).toBe('error.type' in attributes);
  expect('mcp.error.layer' in attributes).toBe(
    status.code === SpanStatusCode.ERROR || 'mcp.negotiation' in attributes,
  );
  expect(Object.keys(attributes)).not.toContain('error');
  const responses = events.filter(({ name }) => name === 'mcp.http.response');
  expect(responses.map((event) => event.attributes?.['http.response.status_code'])).toEqual(
    attributes['mcp.http.status_codes'] ?? [],
  );
  expect(events.filter(({ name }) => name === 'mcp.classified')).toHaveLength(1);
  expect(events.at(-1)).toMatchObject({ name: 'mcp.classified' });
  expect(events.at(-1)?.attributes).toEqual(
    Object.fromEntries(
      ['mcp.outcome', 'mcp.error.layer', 'rpc.response.status_code', 'mcp.result.type']
        .filter((name) => attributes[name] !== undefined)
        .map((name) => [name, attributes[name]]),
    ),
  );
}
