import { type Context, createContextKey } from '@opentelemetry/api';

/**
 * The key by which `@opentelemetry/core` marks a context that must not be traced. Keys are registered symbols, so this
 * one is the same in every copy and version of it. Depending on the package for it would tie us to one version of the
 * API: core 2 refuses API 1.10, and core 3 needs it.
 */
const SUPPRESS_TRACING = createContextKey('OpenTelemetry SDK Context Key SUPPRESS_TRACING');

/** Whether tracing is off in this context, as it is while an exporter sends its own requests. */
export function isTracingSuppressed(context: Context): boolean {
  return context.getValue(SUPPRESS_TRACING) === true;
}
