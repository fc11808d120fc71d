export type { McpHttpInstrumentationConfig } from './config.js';
export { McpHttpInstrumentation } from './instrumentation.js';
export {
  type AnsweredMessage,
  classifyResponse,
  classifyToolCall,
  ENVELOPE_DEFECTS,
  type EndedCall,
  type EnvelopeDefect,
  ERROR_LAYERS,
  type ErrorLayer,
  layerOf,
  NEGOTIATIONS,
  type Negotiation,
  OUTCOMES,
  type Outcome,
  RETRY_ORIGINS,
  type RetryAdvice,
  type RetryAdviceReason,
  type RetryCircumstances,
  type RetryOrigin,
  type RetryReason,
  retryAdvice,
  type ToolCallClassification,
  type ToolCallResponse,
  UNCLASSIFIED_REASONS,
  type UnclassifiedReason,
  type Verdict,
} from './protocol/index.js';
export * from './telemetry/attributes.js';
export type { CallRecord } from './telemetry/call-record.js';
export type { CallHook } from './telemetry/call-spans.js';
export type { HttpSpanHook } from './telemetry/http-span.js';
export type { ErrorMessagePolicy } from './telemetry/mask.js';
export { type SaidRetryOrigin, withRetryOrigin } from './telemetry/said-origin.js';
export type { SessionIdPolicy } from './telemetry/session-id.js';
