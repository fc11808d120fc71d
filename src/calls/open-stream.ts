import { parseJson } from '../protocol/index.js';
import type {
  BodyObstacle,
  BodySeen,
  EventInterest,
  ExchangeResponse,
  ResponseListener,
  SendEnd,
  StreamStart,
} from '../wire/listener.js';
import { deliverAnswers, type Place } from './deliver-answers.js';
import { ANSWERS } from './event-interest.js';
import type { Calls } from './open-send.js';
import type { SentCalls } from './sent-calls.js';
import { isSuccess } from './verdict-on-end.js';

/**
 * Follows a stream that a GET opened. It makes no span: what counts are answers to requests sent by POST.
 * - HTTP+SSE (2024-11-05): its first event names the URL for the POSTs, and all answers come on it.
 * - Streamable HTTP: it resumes the stream of a POST (`Last-Event-ID`), or carries what the server wants to say.
 * @see https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery
 */
export function openStream(calls: Calls, { url, headers }: StreamStart): ResponseListener {
  const sessionId = headers.get('mcp-session-id');
  const lastEventId = headers.get('last-event-id');
  let place: Place = { endpoint: calls.endpoints.of(url), sessionId };
  // Anybody may open an event stream; one that isn't known for MCP's shows it in its first event, or isn't looked at.
  let mcp = sessionId !== undefined || headers.get('mcp-protocol-version') !== undefined;
  let announced = false;
  let resumed: SentCalls | undefined;
  let entered = false;
  let done = false;

  function enter(): void {
    entered = true;
    calls.streams.opened(place.endpoint, place.sessionId);
  }

  function leave(): void {
    if (entered) calls.streams.closed(place.endpoint, place.sessionId);
    entered = false;
  }

  function move(to: Place): void {
    leave();
    place = to;
    enter();
  }

  function firstEvent(data: string, type: string): void {
    if (type === 'endpoint' && URL.canParse(data, url.href)) {
      const endpoint = new URL(data, url);
      // https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse: clients refuse others.
      if (endpoint.origin === url.origin) {
        mcp = announced = true;
        move({ endpoint: calls.endpoints.announced(endpoint), sessionId: undefined });
      }
    }
    if (!mcp) stop();
  }

  function stop(): void {
    done = true;
    leave();
  }

  return {
    get done() {
      return done;
    },
    get interest(): EventInterest {
      return ANSWERS;
    },
    request() {},
    httpVersion() {},
    body() {},
    obstacle(reason: BodyObstacle) {
      resumed?.obstacle(reason);
    },
    response(response: ExchangeResponse) {
      if (!isSuccess(response.status)) {
        done = true;
        return;
      }
      enter();
      if (lastEventId === undefined) return;
      resumed = calls.resumable.find(place.endpoint, place.sessionId, lastEventId);
      if (resumed === undefined) return;
      mcp = true;
      resumed.resumed(response);
    },
    event(data: string, type: string, seen: BodySeen) {
      if (seen.events === 1) firstEvent(data, type);
      if (done) return;
      resumed?.event(data, type, seen);
      const parsed = parseJson(data);
      if (parsed !== undefined) deliverAnswers(calls, place, parsed.value, true);
    },
    end(end: SendEnd, seen: BodySeen | undefined) {
      if (done) return;
      stop();
      resumed?.end(end, seen);
      endWaiting(calls, place, end, announced);
    },
  };
}

/** The stream on which answers would have come is gone. */
function endWaiting(calls: Calls, place: Place, end: SendEnd, announced: boolean): void {
  // Without a session or a URL of its own, the next client's calls can't be told apart from this one's.
  if (!announced && place.sessionId === undefined) return;
  if (calls.streams.isOpen(place.endpoint, place.sessionId)) return;
  for (const call of calls.open.waitingAt(place.endpoint, place.sessionId)) {
    if (end.kind === 'aborted' || end.kind === 'timeout') call.cancel(end.kind === 'timeout');
    // HTTP+SSE has no resumption; a Streamable HTTP client opens the next stream.
    else if (announced) call.abandon(end.kind === 'failed' ? 'cut' : 'closed');
  }
}
