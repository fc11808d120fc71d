import {
  identifiesMcp,
  parseRequestBody,
  type RequestId,
  type RetryOrigin,
  requestMeta,
  targetOf,
} from '../protocol/index.js';
import type { SendListener, SendStart, WireListener } from '../wire/listener.js';
import { type AnswerStreams, answerStreams } from './answer-streams.js';
import type { Call, SentMessage } from './call.js';
import { type CallHistory, callHistory } from './call-history.js';
import { type EndpointNames, endpointNames } from './endpoint-names.js';
import type { CallObserver, CallScope } from './observer.js';
import { type OpenCalls, openCalls } from './open-calls.js';
import { openStream } from './open-stream.js';
import { type PeerNames, peerNames } from './peers.js';
import { type ResumableSends, resumableSends } from './resumable-sends.js';
import { SentCalls } from './sent-calls.js';
import { type WaitingCalls, waitingCalls } from './waiting-calls.js';

/** What the calls of one process share. */
export interface Calls {
  readonly observer: CallObserver;
  readonly open: OpenCalls;
  readonly peers: PeerNames;
  readonly endpoints: EndpointNames;
  readonly streams: AnswerStreams;
  readonly resumable: ResumableSends;
  readonly waiting: WaitingCalls;
  readonly history: CallHistory;
}

export interface CallOptions {
  readonly maxOpenCalls: number;
  /** How long a call waits for an answer that comes on another stream, while none is open. */
  readonly pendingTimeoutMillis: number;
  /** How long after a failure the same call counts as its repeat. */
  readonly retryWindowMillis: number;
  /** Takes what went wrong inside; must not throw. */
  readonly report: (error: unknown) => void;
}

/** Makes calls of what the wire sees. */
export interface CallTracker extends WireListener {
  /** Ends what is open, with what is known. */
  close(): void;
}

const MAX_SESSIONS = 1000;
// An array may hold any number of messages; each makes a span.
const MAX_BATCH = 100;

export function trackCalls(observer: CallObserver, options: CallOptions): CallTracker {
  const { maxOpenCalls, pendingTimeoutMillis, retryWindowMillis, report } = options;
  const streams = answerStreams();
  const calls: Calls = {
    observer,
    open: openCalls(maxOpenCalls),
    peers: peerNames(MAX_SESSIONS),
    endpoints: endpointNames(MAX_SESSIONS),
    streams,
    resumable: resumableSends(),
    waiting: waitingCalls({ pendingTimeoutMillis, isStreamOpen: streams.isOpen, report }),
    history: callHistory(retryWindowMillis),
  };
  return {
    captureContext: () => observer.captureContext(),
    carried: () => observer.carried(),
    open: (start) => openSend(calls, start),
    openStream: (start) => openStream(calls, start),
    close: () => calls.open.closeAll(),
  };
}

function openSend(calls: Calls, start: SendStart): SendListener | undefined {
  if (!calls.observer.accepts(start.context)) return undefined;
  const messages = parseRequestBody(start.body)
    ?.messages.filter((message) => message.kind !== 'response')
    .slice(0, MAX_BATCH);
  if (messages === undefined || messages.length === 0) return undefined;
  // The body first: asking the headers is the dearer way to know.
  if (!messages.some(({ method, params }) => identifiesMcp(method, params)) && !start.knownAsMcp())
    return undefined;

  const sent = new SentCalls(
    calls,
    calls.endpoints.of(start.url),
    start.followsRedirectsItself,
    start.client,
  );
  const ids = idsOf(messages);
  const saidOrigin = calls.observer.saidOrigin(start.context);
  let first: CallScope | undefined;
  for (const message of messages) {
    const call = newCall(message, start, saidOrigin);
    const scope = calls.observer.started(call, {
      context: start.context,
      late: start.madeAt !== undefined,
      first,
    });
    first ??= scope;
    sent.add(call, scope, ids);
  }
  return sent;
}

function idsOf(messages: readonly SentMessage[]): ReadonlySet<RequestId> | undefined {
  if (messages.length === 1) return undefined;
  return new Set(messages.flatMap((message) => (message.kind === 'request' ? [message.id] : [])));
}

function newCall(message: SentMessage, start: SendStart, saidOrigin: RetryOrigin | undefined): Call {
  const meta = requestMeta(message);
  return {
    message,
    target: targetOf(message),
    url: start.url,
    startTime: start.madeAt?.epoch ?? Date.now(),
    startedAt: start.madeAt?.monotonic ?? performance.now(),
    durationMs: undefined,
    sessionId: undefined,
    protocolVersion: meta.protocolVersion,
    clientName: meta.clientName,
    clientVersion: meta.clientVersion,
    serverName: undefined,
    serverVersion: undefined,
    httpVersion: undefined,
    postCount: 0,
    statuses: [],
    retryAfter: undefined,
    body: undefined,
    streamEnd: undefined,
    resumptions: 0,
    result: undefined,
    retryOrigin: message.kind === 'request' ? (saidOrigin ?? 'none') : undefined,
    originSaid: saidOrigin !== undefined,
    retryReason: undefined,
    retryInferred: undefined,
    attempt: 1,
    mrtrRound: undefined,
    verdict: undefined,
    negotiation: undefined,
    end: undefined,
    toldLate: false,
  };
}
