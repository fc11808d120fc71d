import { Exchange } from './exchange.js';
import { headerFields } from './header-fields.js';
import { isIgnored } from './recognise.js';
import { type UndiciRequest, urlOf } from './undici-request.js';
import type { Wire } from './wire.js';

/**
 * Looks at a GET that asks for an event stream: of one that MCP clients keep open for what the server wants to say,
 * that resumes another stream, or that HTTP+SSE (2024-11-05) sends all answers on.
 *
 * @returns `undefined` when it can't carry any answer that somebody waits for
 * @see https://modelcontextprotocol.io/specification/2025-06-18/basic/transports#listening-for-messages-from-the-server
 */
export function answerStream(wire: Wire, request: UndiciRequest): Exchange | undefined {
  const headers = headerFields(request.headers);
  if (!headers.get('accept')?.toLowerCase().includes('text/event-stream')) return undefined;
  const url = urlOf(request);
  if (url === undefined || isIgnored(url, wire.endpoints)) return undefined;
  const listener = wire.listener.openStream({ url, headers });
  if (listener === undefined) return undefined;
  const owner = {
    listener,
    maxBodyBytes: wire.maxBodyBytes,
    exchangeEnded: (exchange: Exchange, end: Parameters<Exchange['end']>[0]) =>
      listener.end(end, exchange.seen),
  };
  return new Exchange(owner, request, request.headers);
}
