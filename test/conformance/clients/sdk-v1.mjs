// The client of the v1 SDK, which speaks the revisions up to 2025-11-25.
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import {
  ClientCredentialsProvider,
  PrivateKeyJwtProvider,
} from '@modelcontextprotocol/sdk/client/auth-extensions.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { actOut } from './acts.mjs';
import { machineActs } from './machines.mjs';

const sdk = {
  client: (capabilities) => new Client({ name: 'conformance', version: '1.0.0' }, { capabilities }),
  transport: (url, authProvider) => new StreamableHTTPClientTransport(url, { authProvider }),
  answerElicitation: (client, answer) => client.setRequestHandler(ElicitRequestSchema, answer),
  needsUser: (error) => error instanceof UnauthorizedError,
  finishAuthorization: (transport, callback) => transport.finishAuth(callback.searchParams.get('code')),
};

await actOut(sdk, machineActs({ ClientCredentialsProvider, PrivateKeyJwtProvider }));
