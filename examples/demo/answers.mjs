/**
 * Scripted answers: what no proper server sends. Each is called with the JSON-RPC message, the response to write to,
 * and the HTTP request that the message came in.
 */

/** A status and a body as they are. */
export const raw =
  (status, headers = {}, body = '') =>
  (_message, response) =>
    response.writeHead(status, headers).end(body);

/** A JSON body, made from the message's id. */
export const json =
  (make, status = 200, headers = {}) =>
  ({ id }, response) =>
    response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify(make(id)));

export const result = (value, status, headers) =>
  json((id) => ({ jsonrpc: '2.0', id, result: value }), status, headers);

export const error = (code, message, status) =>
  json((id) => ({ jsonrpc: '2.0', id, error: { code, message } }), status);

/** An event stream that tells of progress once and is cut before the response. */
export const streamCut = (_message, response) => {
  const params = { progressToken: 0, progress: 1 };
  const event = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params });
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(`data: ${event}\n\n`, () => response.destroy());
};

/** The connection is cut without an answer. */
export const cut = (_message, response) => response.destroy();

/** Nothing comes, and the connection stays open. */
export const silence = () => {};

/** The first answer, then the second and so on. */
export const inTurn = (...answers) => {
  const left = [...answers];
  return (...exchange) => left.shift()(...exchange);
};

/**
 * The stream of the POST ends early, and the SDK resumes it with a GET, on which the answer comes.
 *
 * @returns the answers to both, by JSON-RPC method and, for the GET, by HTTP method
 */
export const resumed = (method, value) => {
  let id;
  return {
    [method]: (message, response) => {
      id = message.id;
      // An event without data primes the client: with what to resume, and when.
      response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .end('id: event-1\nretry: 10\ndata:\n\n');
    },
    GET: (_message, response) =>
      response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .end(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result: value })}\n\n`),
  };
};

/** A redirect, and at the new place the answer. */
export const moved = (answer) => (message, response, request) =>
  request.url.endsWith('/new')
    ? answer(message, response, request)
    : raw(307, { location: '/mcp/new' })(message, response);
