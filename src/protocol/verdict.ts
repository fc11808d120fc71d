import {
  type EnvelopeDefect,
  type ErrorLayer,
  layerOf,
  type Outcome,
  type UnclassifiedReason,
} from './outcome.js';

/** A client or server as it names itself: MCP's `Implementation`. */
export interface Implementation {
  readonly name: string;
  readonly version?: string;
}

/** What an `input_required` result asks for. */
export interface InputRequests {
  readonly count: number;
  /** Each method once, in order of appearance, at most sixteen: MCP knows three. */
  readonly methods: readonly string[];
}

/** What is said about one call. Properties that don't apply are absent. */
export interface Verdict {
  readonly outcome: Outcome;
  /** Only with a failure. */
  readonly layer?: ErrorLayer;
  /** The HTTP status, with `HTTP_ERROR`. */
  readonly status?: number;
  /** The JSON-RPC error's code: with `JSONRPC_ERROR`, and with an `HTTP_ERROR` whose body carries one. */
  readonly code?: number;
  /** The JSON-RPC error's message, as the server wrote it: it may hold secrets. */
  readonly message?: string;
  /** A result's effective `resultType`: `complete` when absent. The server's word, known or not. */
  readonly resultType?: string;
  /** With `INVALID_ENVELOPE`. */
  readonly defect?: EnvelopeDefect;
  /** With `UNCLASSIFIED`. */
  readonly reason?: UnclassifiedReason;
  /** With `INPUT_REQUIRED`. */
  readonly inputRequests?: InputRequests;
  /** The server's name as its result gives it. */
  readonly server?: Implementation;
  /** The revision agreed on, with the result of `initialize`. */
  readonly protocolVersion?: string;
}

/** A verdict with the layer that belongs to its outcome. */
export function verdictOf(outcome: Outcome, details?: Omit<Verdict, 'outcome' | 'layer'>): Verdict {
  const layer = layerOf(outcome);
  return layer === undefined ? { outcome, ...details } : { outcome, layer, ...details };
}
