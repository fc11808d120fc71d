/** The part that knows MCP and nothing else: text and values in, verdicts out. */

export { parseJson } from './json.js';
export { identifiesMcp, isMcpMethod, SUBSCRIPTION_ACKNOWLEDGED } from './methods.js';
export { negotiationOf } from './negotiation.js';
export {
  ENVELOPE_DEFECTS,
  type EnvelopeDefect,
  ERROR_LAYERS,
  type ErrorLayer,
  layerOf,
  NEGOTIATIONS,
  type Negotiation,
  OUTCOMES,
  type Outcome,
  RETRY_ORIGINS,
  type RetryOrigin,
  UNCLASSIFIED_REASONS,
  type UnclassifiedReason,
} from './outcome.js';
export { parseRequestBody, type RequestBody, type RequestId, type RequestMessage } from './request.js';
export { type Cancellation, cancellationIn, requestMeta, type Target, targetOf } from './request-params.js';
export {
  type AnsweredMessage,
  answersIn,
  classifyResponse,
  RESPONSE_KEYS,
  responseIn,
  settleStream,
} from './response.js';
export {
  type EndedCall,
  type RetryAdvice,
  type RetryAdviceReason,
  type RetryCircumstances,
  retryAdvice,
} from './retry-advice.js';
export { isAmbiguous, type RetryReason, retryReasonOf } from './retry-reason.js';
export { type Asked, answers, askedIn, FOLLOW_UP_PARAMS, type FollowUp, followUpIn } from './rounds.js';
export { saysTimeout } from './timeout.js';
export { classifyToolCall, type ToolCallClassification, type ToolCallResponse } from './tool-call.js';
export { type ToolHints, toolHintsIn } from './tool-hints.js';
export { type Implementation, type InputRequests, type Verdict, verdictOf } from './verdict.js';
