// Lists a server's tools and calls one of them: agent.cjs [tool] [arguments as JSON]
const { Client } = require('@modelcontextprotocol/sdk/client/index.js');
const { StreamableHTTPClientTransport } = require('@modelcontextprotocol/sdk/client/streamableHttp.js');

const url = process.env.MCP_URL ?? 'http://127.0.0.1:3000/mcp';
const [tool, args = '{}'] = process.argv.slice(2);

async function main() {
  const client = new Client({ name: 'agent-cjs', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));

  const { tools } = await client.listTools();
  console.log(`tools: ${tools.map(({ name }) => name).join(', ')}`);

  if (tool !== undefined) {
    try {
      const { content, isError } = await client.callTool({ name: tool, arguments: JSON.parse(args) });
      console.log(`${tool} ${isError ? 'failed' : 'answered'}: ${JSON.stringify(content)}`);
    } catch (error) {
      console.log(`${tool} failed: ${error.message}`);
    }
  }
  await client.close();
}

main();
