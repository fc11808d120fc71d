import { acceptedContent, createMcpHandler, inputRequired, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

const text = (words) => ({ content: [{ type: 'text', text: words }] });

/** An MCP server made with the official SDK; it speaks every revision up to 2026-07-28. */
export function bookingServer() {
  return createMcpHandler(() => {
    const server = new McpServer({ name: 'booking', version: '1.0.0' });

    server.registerTool('search', { inputSchema: z.object({ city: z.string() }) }, ({ city }) =>
      text(`3 hotels in ${city}`),
    );

    server.registerTool('book', { inputSchema: z.object({ hotel: z.string() }) }, ({ hotel }) => ({
      ...text(`${hotel} has no room left`),
      isError: true,
    }));

    const confirmation = z.object({ confirm: z.boolean() });
    server.registerTool(
      'pay',
      { inputSchema: z.object({ amount: z.number() }) },
      ({ amount }, { mcpReq }) => {
        const answer = acceptedContent(mcpReq.inputResponses, 'confirm', confirmation);
        if (answer?.confirm) return text(`paid ${amount}`);
        return inputRequired({
          inputRequests: {
            confirm: inputRequired.elicit({ message: `Pay ${amount}?`, requestedSchema: confirmation }),
          },
        });
      },
    );

    return server;
  });
}
