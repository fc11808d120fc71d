// SDK v2's own way to serve both eras of the protocol from one endpoint, with a tool for each way a call can end.
import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { acceptedContent, createMcpHandler, inputRequired, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

const text = (value) => ({ content: [{ type: 'text', text: value }] });
const responseMode = process.argv[2];

async function tellProgress({ mcpReq }, progress) {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return;
  await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress } });
}

function newServer() {
  const server = new McpServer(
    { name: 'both-eras', version: '1.2.3' },
    { capabilities: { tools: {}, prompts: {}, resources: {}, logging: {} } },
  );
  server.registerTool('echo', { inputSchema: z.object({ message: z.string() }) }, async ({ message }) =>
    text(message),
  );
  server.registerTool('refuse', {}, async () => ({ ...text('no'), isError: true }));
  server.registerTool('throw', {}, async () => {
    throw new Error('out of order');
  });
  server.registerTool('count', {}, async (context) => {
    for (const number of [1, 2, 3]) await tellProgress(context, number);
    return text('3');
  });
  server.registerTool('wait', {}, async (context) => {
    await tellProgress(context, 1);
    await new Promise((resolve) => context.mcpReq.signal.addEventListener('abort', resolve));
    return text('given up');
  });
  server.registerTool('ask', {}, async (context) => {
    const answer = acceptedContent(context.mcpReq.inputResponses, 'name');
    if (answer !== undefined) return text(`hello ${answer.name}`);
    return inputRequired({
      inputRequests: {
        name: inputRequired.elicit({
          message: 'Your name?',
          requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
        }),
      },
    });
  });
  server.registerPrompt('greet', { argsSchema: z.object({ name: z.string() }) }, async ({ name }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `hello ${name}` } }],
  }));
  server.registerResource('note', 'note://one', {}, async (uri) => ({
    contents: [{ uri: uri.href, text: 'a note' }],
  }));
  return server;
}

const handler = createMcpHandler(newServer, responseMode === undefined ? {} : { responseMode });
createServer(toNodeHandler(handler)).listen(0);
