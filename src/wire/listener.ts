/**
 * What the wire tells, and to whom: the one boundary between HTTP exchanges and the JSON-RPC calls they carry.
 * A second wire (node:http, WebSocket) would speak these same types.
 */

/** Header fields of a request or a response, read on demand: most exchanges need two or three of them. */
export interface HeaderFields {
  /** @param name - lower case. Repeated fields are joined with `, `, as RFC 9110 section 5.3 allows. */
  get(name: string): string | undefined;
}

/** One call of `fetch` or of an undici API that carries a JSON-RPC body to what is known to be MCP. */
export interface SendStart {
  readonly url: URL;
  /** The request's body as text. */
  readonly body: string;
  /**
   * Whether the URL or the headers say that this is MCP. Asked only when the body alone doesn't, since reading a
   * `Headers` object costs more than the rest of the decision.
   */
  readonly knownAsMcp: () => boolean;
  /** The caller's context as `WireListener.captureContext` returned it when the request was made. */
  readonly context: unknown;
  /** When the request was made, where that was earlier than this call: on both clocks, in milliseconds. */
  readonly madeAt?: { readonly epoch: number; readonly monotonic: number } | undefined;
  /** An object that only sends of the same client share, where one shows: see `client-identity.ts`. */
  readonly client?: object | undefined;
  /** `true` when a redirect is followed by the client's own code (`redirect: 'manual'`) or can't be told. */
  readonly followsRedirectsItself: boolean;
}

/** One HTTP request on the wire; redirect hops make several of them for one send. */
export interface ExchangeRequest {
  /** The object that undici publishes, as an identity to find other observers' state by. Never read. */
  readonly token: object;
  readonly headers: HeaderFields;
  /** How the send's exchange before this one ended, and when (monotonic clock, milliseconds). */
  readonly previous?: { readonly end: SendEnd; readonly endedAt: number } | undefined;
}

export interface ExchangeResponse {
  readonly status: number;
  readonly headers: HeaderFields;
}

/** How an exchange's body came: `json` stands for everything that isn't an event stream. */
export type BodyForm = 'json' | 'event-stream';

/** What a body looked like when it was looked at, whatever `Content-Type` said. */
export interface BodySeen {
  readonly form: BodyForm;
  /** `Content-Type` named the other form. */
  readonly contentTypeMismatch: boolean;
  /** Events with non-empty data so far; 0 for `json`. */
  readonly events: number;
  /** The last `id` that an event of the stream had, by which the stream can be resumed. */
  readonly lastEventId: string | undefined;
}

/** Why nothing could be said about a response's body. */
export type BodyObstacle = 'body_too_large' | 'unsupported_encoding' | 'observer_error';

/** How a send ended, told once, after everything else. */
export type SendEnd =
  /** The response's body came to its end. */
  | { readonly kind: 'complete' }
  /** The application aborted the request or cancelled the body; `bySignal` where its signal tells that it aborted. */
  | { readonly kind: 'aborted'; readonly bySignal?: boolean }
  /** Somebody's patience ended: `AbortSignal.timeout`, an abort that says so, undici's timeouts, with their code. */
  | { readonly kind: 'timeout'; readonly code?: string }
  /** Refused, reset, cut, unresolvable: `code` is Node's or undici's, or the error's name. */
  | { readonly kind: 'failed'; readonly code: string; readonly message: string }
  /** A response came, but its body was never read to the end, or came where it can't be seen. */
  | { readonly kind: 'not_read' };

/** Which events can matter to a send: all others are counted, and never decoded. */
export interface EventInterest {
  /** An event matters only when its bytes hold one of these. */
  readonly needles: readonly Buffer[];
  /** Messages that begin as a request or notification of the server matter too. */
  readonly serverMessages: boolean;
  /** The stream's first event matters, whatever it is. */
  readonly firstEvent: boolean;
  /** Events matter while the stream goes on, which may be for hours: a compressed one is decoded as it comes. */
  readonly whileOpen: boolean;
}

/** Follows requests and their responses. No method throws. */
export interface ResponseListener {
  /** Nothing more can change what is said: the wire may stop looking. */
  readonly done: boolean;
  /** Which events of a stream are worth decoding. */
  readonly interest: EventInterest;
  request(request: ExchangeRequest): void;
  /** `'1.1'` or `'2'`; not told by every version of undici. */
  httpVersion(version: string): void;
  response(response: ExchangeResponse): void;
  /** One event that may matter. `type` is the field `event`; empty where there is none. */
  event(data: string, type: string, seen: BodySeen): void;
  /** A whole body that isn't an event stream. */
  body(text: string, seen: BodySeen): void;
  /** The body can't be looked at. */
  obstacle(reason: BodyObstacle): void;
  /** @param endedAt - monotonic clock, milliseconds; when it ended earlier than it is told */
  end(end: SendEnd, seen: BodySeen | undefined, endedAt?: number): void;
}

/** Follows one send. */
export interface SendListener extends ResponseListener {
  /**
   * Runs `fn` as part of the call, so that spans made inside become its children.
   *
   * @param carried - what `WireListener.carried` returns inside, and in all that `fn` begins
   */
  run<T>(carried: object, fn: () => T): T;
}

/** A GET that asks for an event stream: answers to what was sent before may come there. */
export interface StreamStart {
  readonly url: URL;
  readonly headers: HeaderFields;
}

export interface WireListener {
  /** Called where the caller's context is still the active one. */
  captureContext(): unknown;
  /** What `SendListener.run` was given by the send that the running code is part of; nothing where nobody keeps contexts. */
  carried(): unknown;
  /** Begins to follow a send; `undefined` when it carries no MCP call, or nobody wants to know. */
  open(start: SendStart): SendListener | undefined;
  /** Begins to follow a stream; `undefined` when nobody waits for anything. */
  openStream(start: StreamStart): ResponseListener | undefined;
}
