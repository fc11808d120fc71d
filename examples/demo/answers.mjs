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

/** A redirect, and at the new place the answer. */
export const moved = (answer) => (message, response, request) =>
  request.url.endsWith('/new')
    ? answer(message, response, request)
    : raw(307, { location: '/mcp/new' })(message, response);
