import { inspect } from 'node:util';
import type { InstrumentationConfig } from '@opentelemetry/instrumentation';
import type { CallHook } from './telemetry/call-spans.js';
import type { ErrorMessagePolicy } from './telemetry/mask.js';
import type { SessionIdPolicy } from './telemetry/session-id.js';

export interface McpHttpInstrumentationConfig extends InstrumentationConfig {
  /**
   * URLs that are MCP whatever their requests' headers say: absolute URLs, whose origin and path must be equal, or
   * regular expressions, tested on origin and path.
   * @default [] (MCP is recognised by its headers and bodies)
   */
  endpoints?: readonly (string | RegExp)[] | undefined;
  /**
   * URLs that are left alone, as in `endpoints`; wins over it.
   * @default []
   */
  ignoreEndpoints?: readonly (string | RegExp)[] | undefined;
  /**
   * How `mcp.session.id` leaves: `hash` is a truncated SHA-256, `raw` the id itself (a credential on many servers),
   * `off` none.
   * @default 'hash'
   */
  sessionId?: SessionIdPolicy | undefined;
  /**
   * How error messages of servers and of the network leave: `masked` replaces what looks like a secret and URLs'
   * queries, `raw` doesn't, `off` tells none. Both are cut at 256 characters.
   * @default 'masked'
   */
  errorMessage?: ErrorMessagePolicy | undefined;
  /**
   * Put tool arguments, tool results and resource URIs on the span.
   * @default false
   */
  captureContent?: boolean | undefined;
  /**
   * Bytes kept of one body, or of one event of a stream. A response that is larger is `UNCLASSIFIED`, reason
   * `body_too_large`; a request sent without `fetch` that is larger makes no span.
   * @default 4_194_304 (4 MiB)
   */
  maxBodyBytes?: number | undefined;
  /**
   * Calls that may be open at once in the process. Beyond it, the oldest ends as `UNCLASSIFIED`, reason `evicted`.
   * @default 10_000
   */
  maxOpenCalls?: number | undefined;
  /**
   * How long a call stays open whose answer comes on another stream than its POST's (HTTP+SSE, 202, resumption),
   * while no such stream is open. Milliseconds.
   * @default 30_000
   */
  pendingTimeoutMillis?: number | undefined;
  /**
   * How long after a failure the same call counts as its repeat. Milliseconds.
   * @default 60_000
   */
  retryWindowMillis?: number | undefined;
  /**
   * Different values that the metric takes of each name a peer or a model can make up (tool, prompt, error code);
   * further ones become `_OTHER`.
   * @default 200
   */
  maxNames?: number | undefined;
  /** Called when the MCP span has started. `call.outcome` isn't known yet. */
  requestHook?: CallHook | undefined;
  /** Called just before the MCP span ends, with everything that is known. */
  responseHook?: CallHook | undefined;
  /**
   * Put the classification on the HTTP span too, where `httpSpanHook` hands it over.
   * @default true
   */
  httpSpan?: boolean | undefined;
}

/** The options with their defaults. */
export interface Options {
  readonly endpoints: readonly (string | RegExp)[];
  readonly ignoreEndpoints: readonly (string | RegExp)[];
  readonly sessionId: SessionIdPolicy;
  readonly errorMessage: ErrorMessagePolicy;
  readonly captureContent: boolean;
  readonly maxBodyBytes: number;
  readonly maxOpenCalls: number;
  readonly pendingTimeoutMillis: number;
  readonly retryWindowMillis: number;
  readonly maxNames: number;
  readonly requestHook: CallHook | undefined;
  readonly responseHook: CallHook | undefined;
  readonly httpSpan: boolean;
}

const OPTIONS = new Set([
  'enabled',
  'endpoints',
  'ignoreEndpoints',
  'sessionId',
  'errorMessage',
  'captureContent',
  'maxBodyBytes',
  'maxOpenCalls',
  'pendingTimeoutMillis',
  'retryWindowMillis',
  'maxNames',
  'requestHook',
  'responseHook',
  'httpSpan',
]);

/**
 * Checks what a user configured.
 *
 * @throws TypeError that names the option, what it was and what it may be
 */
export function optionsOf(config: McpHttpInstrumentationConfig): Options {
  for (const option of Object.keys(config)) {
    if (!OPTIONS.has(option)) refuse(option, `isn't an option; there are: ${[...OPTIONS].join(', ')}`);
  }
  booleanOption(config, 'enabled', true);
  return {
    endpoints: endpointsOption(config, 'endpoints'),
    ignoreEndpoints: endpointsOption(config, 'ignoreEndpoints'),
    sessionId: choiceOption(config, 'sessionId', ['hash', 'raw', 'off']),
    errorMessage: choiceOption(config, 'errorMessage', ['masked', 'raw', 'off']),
    captureContent: booleanOption(config, 'captureContent', false),
    maxBodyBytes: countOption(config, 'maxBodyBytes', 4 * 1024 * 1024),
    maxOpenCalls: countOption(config, 'maxOpenCalls', 10_000),
    pendingTimeoutMillis: countOption(config, 'pendingTimeoutMillis', 30_000, MAX_TIMER_MILLIS),
    retryWindowMillis: countOption(config, 'retryWindowMillis', 60_000),
    maxNames: countOption(config, 'maxNames', 200),
    requestHook: hookOption(config, 'requestHook'),
    responseHook: hookOption(config, 'responseHook'),
    httpSpan: booleanOption(config, 'httpSpan', true),
  };
}

// Node's timers fire at once beyond it.
const MAX_TIMER_MILLIS = 2 ** 31 - 1;

type Config = McpHttpInstrumentationConfig;

function refuse(option: string, problem: string): never {
  throw new TypeError(`McpHttpInstrumentation: option ${option} ${problem}`);
}

function show(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  // Not `String`, which throws for an object without a prototype.
  if (typeof value === 'object' && value !== null && !(value instanceof RegExp)) {
    return Object.prototype.toString.call(value);
  }
  return inspect(value);
}

function endpointsOption(
  config: Config,
  option: 'endpoints' | 'ignoreEndpoints',
): readonly (string | RegExp)[] {
  const value: unknown = config[option] ?? [];
  if (!Array.isArray(value))
    refuse(option, `must be an array of URLs and regular expressions, not ${show(value)}`);
  value.forEach((endpoint: unknown, i) => {
    if (endpoint instanceof RegExp) return;
    if (typeof endpoint !== 'string')
      refuse(`${option}[${i}]`, `must be a URL or a regular expression, not ${show(endpoint)}`);
    if (!URL.canParse(endpoint) || !/^https?:/i.test(endpoint)) {
      refuse(`${option}[${i}]`, `must be an absolute http or https URL, not ${show(endpoint)}`);
    }
  });
  return value;
}

function choiceOption<T extends string>(
  config: Config,
  option: 'sessionId' | 'errorMessage',
  choices: readonly [T, ...T[]],
): T {
  const value: unknown = config[option] ?? choices[0];
  const choice = choices.find((candidate) => candidate === value);
  return choice ?? refuse(option, `must be one of ${choices.map(show).join(', ')}, not ${show(value)}`);
}

function booleanOption(
  config: Config,
  option: 'enabled' | 'captureContent' | 'httpSpan',
  fallback: boolean,
): boolean {
  const value: unknown = config[option] ?? fallback;
  return typeof value === 'boolean' ? value : refuse(option, `must be true or false, not ${show(value)}`);
}

function countOption(
  config: Config,
  option: 'maxBodyBytes' | 'maxOpenCalls' | 'pendingTimeoutMillis' | 'retryWindowMillis' | 'maxNames',
  fallback: number,
  max = Number.MAX_SAFE_INTEGER,
): number {
  const value: unknown = config[option] ?? fallback;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0 && value <= max) return value;
  const limit = max === Number.MAX_SAFE_INTEGER ? '' : ` and at most ${max}`;
  return refuse(option, `must be a whole number above 0${limit}, not ${show(value)}`);
}

function hookOption(config: Config, option: 'requestHook' | 'responseHook'): CallHook | undefined {
  const value: unknown = config[option];
  if (value !== undefined && typeof value !== 'function')
    refuse(option, `must be a function, not ${show(value)}`);
  return value as CallHook | undefined;
}
