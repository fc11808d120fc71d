import type { Call } from '../calls/call.js';
import type { ErrorLayer, Outcome, RetryOrigin, RetryReason } from '../protocol/index.js';
import { errorTypeOf } from './failure.js';
import { type ErrorMessagePolicy, messageToTell } from './mask.js';

/** What happened to one call, as `requestHook` and `responseHook` get it. Plain: safe to keep and to stringify. */
export interface CallRecord {
  /** `name@version`, as `initialize` or `_meta` told. */
  client: string | null;
  /** `name@version`, as the server told. */
  server: string | null;
  protocolVersion: string | null;
  method: string;
  /** Tool or prompt name. */
  target: string | null;
  /** POSTs made for it, redirect hops included. */
  postCount: number;
  /** Their statuses, in order. */
  httpStatuses: number[];
  jsonrpc: {
    /** `null` for a notification. */
    id: string | number | null;
    errorCode: number | null;
    /** Treated as the option `errorMessage` says. */
    errorMessage: string | null;
  };
  /** A result's effective `resultType`. */
  resultType: string | null;
  /** `null` in `requestHook`: not known yet. */
  outcome: Outcome | null;
  layer: ErrorLayer | null;
  /** What `error.type` is, also where a negotiation keeps it from the span; `null` for a call that didn't fail. */
  errorType: string | null;
  /** `null` for a notification. */
  retryOrigin: RetryOrigin | null;
  retryReason: RetryReason | null;
  /** 1 for the first. */
  attempt: number;
  /** Of a dialogue that asks for input, 1 for the exchange that asked first; otherwise `null`. */
  mrtrRound: number | null;
  /** `Retry-After` of the last response, as received. */
  retryAfter: string | null;
  /** Epoch milliseconds. */
  startTime: number;
  /** `null` in `requestHook`. */
  durationMs: number | null;
  /** Events until the end; `null` when the response wasn't an event stream. */
  streamEvents: number | null;
  /** Without userinfo, query and fragment. */
  url: string;
}

export function callRecord(call: Call, policy: ErrorMessagePolicy): CallRecord {
  const { message, target, verdict, body, url } = call;
  return {
    client: nameAtVersion(call.clientName, call.clientVersion),
    server: nameAtVersion(call.serverName, call.serverVersion),
    protocolVersion: call.protocolVersion ?? null,
    method: message.method,
    target: target.toolName ?? target.promptName ?? null,
    postCount: call.postCount,
    httpStatuses: [...call.statuses],
    jsonrpc: {
      id: message.kind === 'request' ? message.id : null,
      errorCode: verdict?.code ?? null,
      errorMessage: messageToTell(verdict?.message, policy) ?? null,
    },
    resultType: verdict?.resultType ?? null,
    outcome: verdict?.outcome ?? null,
    layer: verdict?.layer ?? null,
    errorType: errorTypeOf(call) ?? null,
    retryOrigin: call.retryOrigin ?? null,
    retryReason: call.retryReason ?? null,
    attempt: call.attempt,
    mrtrRound: call.mrtrRound ?? null,
    retryAfter: call.retryAfter ?? null,
    startTime: call.startTime,
    durationMs: call.durationMs ?? null,
    streamEvents: body?.form === 'event-stream' ? body.events : null,
    url: url.origin + url.pathname,
  };
}

function nameAtVersion(name: string | undefined, version: string | undefined): string | null {
  if (name === undefined) return null;
  return version === undefined ? name : `${name}@${version}`;
}
