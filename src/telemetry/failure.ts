import type { Call } from '../calls/call.js';
import { type ErrorMessagePolicy, messageToTell } from './mask.js';

/** A span's status and `error.type`, of a call that failed. */
export interface Failure {
  readonly errorType: string;
  readonly description: string;
}

/**
 * @returns `undefined` for a call that didn't fail, and for a failure that is a protocol's normal first move
 * @see docs/telemetry.md, "Outcomes"
 */
export function failureOf(call: Call, policy: ErrorMessagePolicy): Failure | undefined {
  const { verdict, negotiation } = call;
  const errorType = errorTypeOf(call);
  if (verdict === undefined || errorType === undefined || negotiation !== undefined) return undefined;
  const told = messageToTell(messageOf(call), policy);
  const description = describe(call);
  return {
    errorType,
    description: told === undefined ? description : `${description}: ${told}`,
  };
}

/** @returns `undefined` for a call that didn't fail, or hasn't ended */
export function errorTypeOf({ verdict, end }: Call): string | undefined {
  if (verdict?.layer === undefined) return undefined;
  switch (verdict.outcome) {
    case 'HTTP_ERROR':
      return String(verdict.status);
    case 'JSONRPC_ERROR':
      return String(verdict.code);
    case 'NETWORK_ERROR':
      return end?.kind === 'failed' ? end.code : 'network_error';
    default:
      return verdict.outcome.toLowerCase();
  }
}

function messageOf({ verdict, end }: Call): string | undefined {
  return verdict?.message ?? (end?.kind === 'failed' ? end.message : undefined);
}

function describe(call: Call): string {
  const { verdict } = call;
  switch (verdict?.outcome) {
    case 'HTTP_ERROR':
      return verdict.code === undefined
        ? `HTTP ${verdict.status}`
        : `HTTP ${verdict.status}, JSON-RPC error ${verdict.code}`;
    case 'JSONRPC_ERROR':
      return `JSON-RPC error ${verdict.code}`;
    case 'NETWORK_ERROR':
      return 'no HTTP response';
    case 'TIMEOUT':
      return 'timed out before the response';
    case 'STREAM_INCOMPLETE':
      return 'the body ended before the response';
    case 'MALFORMED_JSON':
      return 'the response is not JSON';
    case 'INVALID_ENVELOPE':
      return `not a JSON-RPC response to this request (${verdict.defect})`;
    case 'INVALID_TOOL_RESULT':
      return 'the tool result has the wrong shape';
    case 'INVALID_RESULT':
      return 'the result has the wrong shape';
    default:
      return 'the tool reported an error';
  }
}
