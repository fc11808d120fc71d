import type { RetryOrigin } from '../protocol/index.js';
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

/** Where a call was made, by what its caller is part of; absent where it is part of nothing. */
export interface Caller {
  readonly trace: string | undefined;
  readonly parent: string | undefined;
}

export type CallLink = 'retry_of' | 'redirect_of' | 'mrtr_round_of';

/** What is made of one call; for telemetry, a span. */
export interface CallScope {
  readonly caller: Caller;
  /** By what a later call refers to this one; holds nothing of it. */
  readonly reference: unknown;
  /** It goes on with an earlier call. */
  linked(link: CallLink, reference: unknown): void;
  /** It was sent again, as `call` says. */
  retried(delayMs: number): void;
  /** It may do twice what should be done once. */
  unsafelyRepeated(): void;
  /** Runs `fn` as part of the call; `CallObserver.carried` returns `carried` inside. */
  run<T>(carried: object, fn: () => T): T;
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
  /** What the call in whose context the running code is was told to carry. */
  carried(): unknown;
  /** `false` where nothing may be told, such as an exporter's own requests. */
  accepts(context: unknown): boolean;
  /** Who is said to have sent again what is sent in this context. */
  saidOrigin(context: unknown): RetryOrigin | undefined;
  /** Contents (arguments, results) are asked for. */
  readonly wantsContent: boolean;
  started(call: Call, start: CallStart): CallScope;
}
