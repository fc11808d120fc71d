import { type MeterProvider, metrics, type Span } from '@opentelemetry/api';
import { InstrumentationBase } from '@opentelemetry/instrumentation';
import { type CallTracker, trackCalls } from './calls/open-send.js';
import { type McpHttpInstrumentationConfig, type Options, optionsOf } from './config.js';
import { leavePlace, takePlace } from './one-at-a-time.js';
import { callSpans } from './telemetry/call-spans.js';
import { type DurationMetric, durationMetric } from './telemetry/duration-metric.js';
import { type HttpSpanHook, type HttpSpans, httpSpans } from './telemetry/http-span.js';
import { NAME, VERSION } from './version.js';
import { endpointMatcher } from './wire/endpoints.js';
import { observeWire } from './wire/wire.js';

/**
 * Watches `fetch` and undici, recognises MCP calls, and tells of each at which layer it failed.
 *
 * @example
 * const mcp = new McpHttpInstrumentation();
 * registerInstrumentations({
 *   instrumentations: [mcp, new UndiciInstrumentation({ requestHook: mcp.httpSpanHook })],
 * });
 * @see docs/telemetry.md for what it says, and in which words
 */
export class McpHttpInstrumentation extends InstrumentationBase<McpHttpInstrumentationConfig> {
  // The base class calls `enable()` from its constructor, before fields of this class are initialised: `declare` keeps
  // them from being reset afterwards.
  declare private _options: Options;
  declare private _httpSpans: HttpSpans | undefined;
  declare private _duration: DurationMetric | undefined;
  declare private _durationProvider: MeterProvider | undefined;
  /** One that isn't the global one. */
  declare private _ownMeterProvider: MeterProvider | undefined;
  declare private _tracker: CallTracker | undefined;
  declare private _stopWire: (() => void) | undefined;

  /**
   * @param config - see `McpHttpInstrumentationConfig`
   * @throws TypeError for a wrong option, naming it
   */
  constructor(config: McpHttpInstrumentationConfig = {}) {
    super(NAME, VERSION, config);
  }

  /**
   * Give this to `@opentelemetry/instrumentation-undici` as its `requestHook`: the HTTP span then carries the call's
   * method, tool, id, outcome, layer, code, `resultType` and retry origin too.
   */
  readonly httpSpanHook: HttpSpanHook = (span, request) => this.keepHttpSpan(span, request);

  /**
   * The same together with a `requestHook` that is there already.
   *
   * @param existing - called after ours; what it throws is the undici instrumentation's to handle
   */
  chainHttpSpanHook<Request>(existing: HttpSpanHook<Request>): HttpSpanHook<Request> {
    return (span, request) => {
      this.keepHttpSpan(span, request);
      existing(span, request);
    };
  }

  /** Nothing is patched by module: undici tells through diagnostics channels, and `fetch` is a global. */
  protected override init(): undefined {
    return undefined;
  }

  override setConfig(config: McpHttpInstrumentationConfig = {}): void {
    const options = optionsOf(config);
    super.setConfig(config);
    this._options = options;
    // It was made for the limit before.
    this._duration = undefined;
    // What is being watched was set up with the options before.
    if (this._stopWire === undefined) return;
    this.disable();
    if (config.enabled !== false) this.enable();
  }

  /** Begins to watch. One that is already enabled in this process is disabled: two would count each call twice. */
  override enable(): void {
    super.enable();
    if (this._stopWire !== undefined) return;
    if (takePlace(this)) this._diag.warn('takes the place of another instance, which is disabled now');
    const options = this._options;
    const report = (error: unknown) =>
      this._diag.error('this call can no longer be observed; it is left alone', error);
    this._httpSpans ??= httpSpans();
    const tracker = trackCalls(
      callSpans({
        tracer: () => this.tracer,
        metric: () => this.duration(options),
        httpSpans: options.httpSpan ? this._httpSpans : undefined,
        sessionId: options.sessionId,
        errorMessage: options.errorMessage,
        captureContent: options.captureContent,
        requestHook: options.requestHook,
        responseHook: options.responseHook,
        report: (error) => this._diag.error('a hook threw; the call goes on', error),
      }),
      { ...options, report },
    );
    this._tracker = tracker;
    this._stopWire = observeWire({
      listener: tracker,
      endpoints: {
        included: endpointMatcher(options.endpoints),
        ignored: endpointMatcher(options.ignoreEndpoints),
      },
      maxBodyBytes: options.maxBodyBytes,
      report,
    });
  }

  /** Gives `fetch` back, and ends the spans of open calls with what is known. */
  override disable(): void {
    super.disable();
    this._stopWire?.();
    this._stopWire = undefined;
    this._tracker?.close();
    this._tracker = undefined;
    leavePlace(this);
  }

  override setMeterProvider(provider: MeterProvider): void {
    super.setMeterProvider(provider);
    this._ownMeterProvider = provider === metrics.getMeterProvider() ? undefined : provider;
  }

  // The API's tracers find a provider that is registered after them, its meters don't: who registers instrumentations
  // before the SDK starts would have the spans, and no measurement
  // (https://github.com/open-telemetry/opentelemetry-js/issues/3622).
  private duration(options: Options): DurationMetric {
    const provider = this._ownMeterProvider ?? metrics.getMeterProvider();
    if (provider !== this._durationProvider) this._duration = undefined;
    this._durationProvider = provider;
    this._duration ??= durationMetric(provider.getMeter(NAME, VERSION), options.maxNames);
    return this._duration;
  }

  private keepHttpSpan(span: Span, request: unknown): void {
    try {
      this._httpSpans?.keep(request, span);
    } catch (error) {
      this._diag.error('the HTTP span stays without the classification', error);
    }
  }
}
