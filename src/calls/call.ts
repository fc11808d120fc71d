import type {
  Negotiation,
  RequestMessage,
  RetryOrigin,
  RetryReason,
  Target,
  Verdict,
} from '../protocol/index.js';
import type { BodySeen, SendEnd } from '../wire/listener.js';

/** A JSON-RPC request or notification that is on its way. */
export type SentMessage = Exclude<RequestMessage, { kind: 'response' }>;

/** How an event stream went on or ended. */
export type StreamEnd = 'response' | 'closed' | 'cut' | 'aborted';

/**
 * One sending of one JSON-RPC message, and what has been learnt of it so far. It is over when `verdict` is there;
 * from then on nothing changes.
 */
export interface Call {
  readonly message: SentMessage;
  readonly target: Target;
  readonly url: URL;
  /** Epoch milliseconds. */
  readonly startTime: number;
  /** Of the monotonic clock, milliseconds. */
  readonly startedAt: number;
  durationMs: number | undefined;

  sessionId: string | undefined;
  protocolVersion: string | undefined;
  clientName: string | undefined;
  clientVersion: string | undefined;
  serverName: string | undefined;
  serverVersion: string | undefined;
  /** HTTP's, as far as the wire tells. */
  httpVersion: string | undefined;

  postCount: number;
  /** In order; hops that were redirected included. */
  readonly statuses: number[];
  retryAfter: string | undefined;
  /** What the body was, once some of it has come. */
  body: BodySeen | undefined;
  streamEnd: StreamEnd | undefined;
  /** How often a GET resumed its stream. */
  resumptions: number;
  /** Only while somebody asked for contents. */
  result: unknown;

  /** No notification is retried by anybody. */
  retryOrigin: RetryOrigin | undefined;
  /** `withRetryOrigin` said it. */
  readonly originSaid: boolean;
  retryReason: RetryReason | undefined;
  /** The wire only suggests the origin. Absent where it proves it, or where somebody said it. */
  retryInferred: boolean | undefined;
  /** 1 for the first, as far as is known. */
  attempt: number;
  /** Of a dialogue that asks for input: 1 for what was asked first. */
  mrtrRound: number | undefined;

  verdict: Verdict | undefined;
  negotiation: Negotiation | undefined;
  /** What ended the send, where that explains the verdict. */
  end: SendEnd | undefined;
  /** It ended earlier than it is told. */
  toldLate: boolean;
}
