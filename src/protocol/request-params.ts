import { own, ownString } from './json.js';
import { implementationIn, metaClientInfo, metaProtocolVersion } from './meta.js';

/** A request or notification, as far as its params are read. */
export interface MethodCall {
  readonly method: string;
  readonly params?: unknown;
}

/** What a call is about. */
export interface Target {
  readonly toolName?: string;
  readonly promptName?: string;
  readonly resourceUri?: string;
}

const NO_TARGET: Target = {};

/** The tool, prompt or resource that a call names; `completion/complete` is about the prompt or resource of its `ref`. */
export function targetOf({ method, params }: MethodCall): Target {
  switch (method) {
    case 'tools/call':
      return tool(ownString(params, 'name'));
    case 'prompts/get':
      return prompt(ownString(params, 'name'));
    case 'resources/read':
    case 'resources/subscribe':
    case 'resources/unsubscribe':
      return resource(ownString(params, 'uri'));
    case 'completion/complete': {
      const ref = own(params, 'ref');
      const type = own(ref, 'type');
      if (type === 'ref/prompt') return prompt(ownString(ref, 'name'));
      return type === 'ref/resource' ? resource(ownString(ref, 'uri')) : NO_TARGET;
    }
    default:
      return NO_TARGET;
  }
}

const tool = (toolName: string | undefined): Target => (toolName === undefined ? NO_TARGET : { toolName });
const prompt = (promptName: string | undefined): Target =>
  promptName === undefined ? NO_TARGET : { promptName };
const resource = (resourceUri: string | undefined): Target =>
  resourceUri === undefined ? NO_TARGET : { resourceUri };

/** What a request says of its sender. */
export interface RequestMeta {
  /** The revision asked for (`initialize`) or used (2026-07-28, `_meta`). */
  readonly protocolVersion?: string;
  readonly clientName?: string;
  readonly clientVersion?: string;
}

/** Read from `initialize`'s params, otherwise from `_meta`, where 2026-07-28 has it in each request. */
export function requestMeta({ method, params }: MethodCall): RequestMeta {
  const initialize = method === 'initialize';
  const protocolVersion =
    (initialize ? ownString(params, 'protocolVersion') : undefined) ?? metaProtocolVersion(params);
  const client =
    (initialize ? implementationIn(own(params, 'clientInfo')) : undefined) ?? metaClientInfo(params);
  return {
    ...(protocolVersion !== undefined && { protocolVersion }),
    ...(client !== undefined && { clientName: client.name }),
    ...(client?.version !== undefined && { clientVersion: client.version }),
  };
}

/** The request that a `notifications/cancelled` gives up. */
export interface Cancellation {
  readonly requestId: string | number;
  readonly reason?: string;
}

/**
 * @returns `undefined` for any other message, and without a request id, which 2025-11-25 allows for tasks.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/cancellation
 */
export function cancellationIn({ method, params }: MethodCall): Cancellation | undefined {
  if (method !== 'notifications/cancelled') return undefined;
  const requestId = own(params, 'requestId');
  if (typeof requestId !== 'string' && typeof requestId !== 'number') return undefined;
  const reason = ownString(params, 'reason');
  return reason === undefined ? { requestId } : { requestId, reason };
}
