import {
  type Attributes,
  type Context,
  context,
  createContextKey,
  isSpanContextValid,
  type Link,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { Call } from '../calls/call.js';
import type { Caller, CallLink, CallObserver, CallScope, CallStart } from '../calls/observer.js';
import * as names from './attributes.js';
import {
  contentAttributes,
  endAttributes,
  name,
  pick,
  spanName,
  startAttributes,
} from './call-attributes.js';
import { type CallRecord, callRecord } from './call-record.js';
import type { DurationMetric } from './duration-metric.js';
import { type Failure, failureOf } from './failure.js';
import type { HttpSpans } from './http-span.js';
import type { ErrorMessagePolicy } from './mask.js';
import { saidOriginIn } from './said-origin.js';
import { type SessionIdPolicy, sessionIdTeller } from './session-id.js';
import { isTracingSuppressed } from './suppression.js';

/** A hook of the user's on the MCP span. What it throws is reported, and harms nothing. */
export type CallHook = (span: Span, call: CallRecord) => void;

export interface CallSpansOptions {
  /** Asked at each call: the provider may be set late. */
  readonly tracer: () => Tracer;
  readonly metric: () => DurationMetric;
  /** Absent when the HTTP span is to be left alone. */
  readonly httpSpans: HttpSpans | undefined;
  readonly sessionId: SessionIdPolicy;
  readonly errorMessage: ErrorMessagePolicy;
  readonly captureContent: boolean;
  readonly requestHook: CallHook | undefined;
  readonly responseHook: CallHook | undefined;
  readonly report: (error: unknown) => void;
}

interface Telling extends CallSpansOptions {
  readonly tellSessionId: (sessionId: string) => string | undefined;
}

/** Tells each call as a span and a measurement. */
export function callSpans(options: CallSpansOptions): CallObserver {
  const telling: Telling = { ...options, tellSessionId: sessionIdTeller(options.sessionId) };
  return {
    captureContext: () => context.active(),
    carried: () => context.active().getValue(CARRIED),
    accepts: (caller) => !isTracingSuppressed(caller as Context),
    saidOrigin: (caller) => saidOriginIn(caller as Context),
    wantsContent: options.captureContent,
    started: (call, start) => new CallSpan(telling, call, start),
  };
}

const CARRIED = createContextKey('opentelemetry-instrumentation-mcp-http carried');

class CallSpan implements CallScope {
  readonly #telling: Telling;
  readonly #call: Call;
  readonly #late: boolean;
  readonly #startAttributes: Attributes;
  readonly #span: Span;
  readonly #context: Context;
  readonly #parent: Context;
  #caller: Caller | undefined;
  #exchange: object | undefined;

  constructor(telling: Telling, call: Call, start: CallStart) {
    this.#telling = telling;
    this.#call = call;
    this.#late = start.late;
    this.#startAttributes = startAttributes(call);
    const parent = start.context as Context;
    this.#parent = parent;
    this.#span = telling.tracer().startSpan(
      spanName(call),
      {
        kind: SpanKind.CLIENT,
        // A copy: samplers and processors may hold it, and the metric takes ours.
        attributes: { ...this.#startAttributes },
        ...(start.late && { startTime: call.startTime }),
        ...(start.first instanceof CallSpan && { links: [batchLink(start.first.#span)] }),
      },
      parent,
    );
    this.#context = trace.setSpan(parent, this.#span);
    this.#runHook(telling.requestHook);
  }

  get caller(): Caller {
    this.#caller ??= callerIn(this.#parent);
    return this.#caller;
  }

  get reference(): SpanContext {
    return this.#span.spanContext();
  }

  linked(link: CallLink, earlier: unknown): void {
    this.#span.addLink({
      context: earlier as SpanContext,
      attributes: { [names.ATTR_MCP_LINK_TYPE]: link },
    });
  }

  retried(delayMs: number): void {
    if (!this.#span.isRecording()) return;
    const { retryOrigin, retryReason, attempt } = this.#call;
    this.#span.addEvent(names.EVENT_MCP_RETRY, {
      [names.ATTR_MCP_RETRY_ORIGIN]: retryOrigin,
      [names.ATTR_MCP_RETRY_REASON]: retryReason,
      [names.ATTR_MCP_RETRY_ATTEMPT]: attempt,
      [names.ATTR_MCP_RETRY_DELAY]: delayMs / 1000,
    });
  }

  unsafelyRepeated(): void {
    if (this.#span.isRecording()) this.#span.addEvent(names.EVENT_MCP_UNSAFE_REPEAT);
  }

  run<T>(carried: object, fn: () => T): T {
    return context.with(this.#context.setValue(CARRIED, carried), fn);
  }

  exchange(request: object): void {
    const { retryOrigin } = this.#call;
    this.#telling.httpSpans?.begin(request, {
      ...this.#startAttributes,
      ...(retryOrigin !== undefined && { [names.ATTR_MCP_RETRY_ORIGIN]: retryOrigin }),
    });
    this.#exchange = request;
  }

  httpResponse(status: number, contentType: string | undefined): void {
    if (!this.#span.isRecording()) return;
    this.#span.addEvent(names.EVENT_MCP_HTTP_RESPONSE, {
      [names.ATTR_HTTP_RESPONSE_STATUS_CODE]: status,
      ...(contentType !== undefined && { [names.ATTR_HTTP_RESPONSE_HEADER_CONTENT_TYPE]: name(contentType) }),
    });
  }

  streamCut(): void {
    this.#streamEvent(names.EVENT_MCP_STREAM_CUT);
  }

  streamResumed(): void {
    this.#streamEvent(names.EVENT_MCP_STREAM_RESUMED);
  }

  #streamEvent(name: string): void {
    if (!this.#span.isRecording()) return;
    this.#span.addEvent(name, { [names.ATTR_MCP_STREAM_EVENTS]: this.#call.body?.events ?? 0 });
  }

  ended(): void {
    const telling = this.#telling;
    const call = this.#call;
    const failure = failureOf(call, telling.errorMessage);
    const sessionId = call.sessionId === undefined ? undefined : telling.tellSessionId(call.sessionId);
    const attributes = endAttributes(call, failure, sessionId);
    if (this.#span.isRecording()) this.#describe(attributes, failure);
    if (this.#exchange !== undefined)
      telling.httpSpans?.annotate(this.#exchange, this.#startAttributes, attributes);
    this.#runHook(telling.responseHook);
    if (this.#late || call.toldLate) this.#span.end(call.startTime + (call.durationMs ?? 0));
    else this.#span.end();
    telling.metric().record(call.durationMs ?? 0, this.#startAttributes, attributes, this.#context);
  }

  #describe(attributes: Attributes, failure: Failure | undefined): void {
    const span = this.#span;
    span.setAttributes(attributes);
    if (this.#telling.captureContent) span.setAttributes(contentAttributes(this.#call));
    if (failure !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: failure.description });
    const input = this.#call.verdict?.inputRequests;
    if (input !== undefined) {
      span.addEvent(names.EVENT_MCP_INPUT_REQUIRED, {
        [names.ATTR_MCP_MRTR_ROUND]: this.#call.mrtrRound ?? 1,
        [names.ATTR_MCP_INPUT_REQUESTS]: input.count,
        [names.ATTR_MCP_INPUT_METHODS]: [...input.methods],
      });
    }
    span.addEvent(names.EVENT_MCP_CLASSIFIED, pick(CLASSIFIED, attributes));
  }

  #runHook(hook: CallHook | undefined): void {
    if (hook === undefined) return;
    try {
      hook(this.#span, callRecord(this.#call, this.#telling.errorMessage));
    } catch (error) {
      this.#telling.report(error);
    }
  }
}

const CLASSIFIED = [
  names.ATTR_MCP_OUTCOME,
  names.ATTR_MCP_ERROR_LAYER,
  names.ATTR_RPC_RESPONSE_STATUS_CODE,
  names.ATTR_MCP_RESULT_TYPE,
];

const NO_CALLER: Caller = { trace: undefined, parent: undefined };

function callerIn(context: Context): Caller {
  const parent = trace.getSpanContext(context);
  return parent !== undefined && isSpanContextValid(parent)
    ? { trace: parent.traceId, parent: parent.spanId }
    : NO_CALLER;
}

function batchLink(first: Span): Link {
  return { context: first.spanContext(), attributes: { [names.ATTR_MCP_LINK_TYPE]: 'batch' } };
}
