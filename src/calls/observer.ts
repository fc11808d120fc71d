import type { Call } from './call.js';

/** Where a call begins. */
export interface CallStart {
  /** The caller's context, as `captureContext` returned it. */
  readonly context: unknown;
  /** The call was made earlier than it is told: `call.startTime` is when. */
  readonly late: boolean;
  /** The first call of the same batch. */
  readonly first: CallScope | undefined;
}

/** What is made of one call; for telemetry, a span. */
export interface CallScope {
  /** Runs `fn` as part of the call. */
  run<T>(fn: () => T): T;
  /** An HTTP request of the call, by the object that undici publishes. */
  exchange(token: object): void;
  httpResponse(status: number, contentType: string | undefined): void;
  /** The stream of its answer was cut. */
  streamCut(): void;
  /** A GET resumed it. */
  streamResumed(): void;
  /** Once, when `call.verdict` is there. */
  ended(): void;
}

/** Who wants to know about calls: the boundary between calls and telemetry. */
export interface CallObserver {
  /** The caller's context, opaque to everybody else. */
  captureContext(): unknown;
  /** `false` where nothing may be told, such as an exporter's own requests. */
  accepts(context: unknown): boolean;
  /** Contents (arguments, results) are asked for. */
  readonly wantsContent: boolean;
  started(call: Call, start: CallStart): CallScope;
}
