// FastMCP answers a wrong tool name or wrong arguments with JSON-RPC errors.
import { FastMCP, UserError } from 'fastmcp';
import { z } from 'zod';

const server = new FastMCP({ name: 'fast', version: '4.5.6' });
server.addTool({
  name: 'echo',
  description: 'Says what it was told',
  parameters: z.object({ message: z.string() }),
  execute: async ({ message }) => message,
});
server.addTool({
  name: 'refuse',
  description: 'Always says no',
  execute: async () => {
    throw new UserError('no');
  },
});
server.addPrompt({
  name: 'greet',
  arguments: [{ name: 'name', required: true }],
  load: async ({ name }) => `hello ${name}`,
});
server.addResource({
  uri: 'note://one',
  name: 'note',
  mimeType: 'text/plain',
  load: async () => ({ text: 'a note' }),
});
await server.start({ transportType: 'httpStream', httpStream: { port: 8080 } });
