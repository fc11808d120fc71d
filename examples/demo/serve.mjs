import { startServer } from './server.mjs';

// The demo's server without its script, for the agents beside it. Ends by Ctrl+C.
const { url } = await startServer(Number(process.env.PORT ?? 3000));
console.log(`MCP at ${url}`);
