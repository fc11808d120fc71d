// Three calls by `fetch`, whose answers the server scripts; no SDK, so that both lines run the very same program.
for (const [id, name] of ['works', 'fails', 'unknown'].entries()) {
  const response = await fetch(process.env.MCP_URL, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: {} } }),
  });
  await response.text();
}
