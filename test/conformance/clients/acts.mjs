import { openSession } from './session.mjs';
import { userInMemory } from './user.mjs';

/** What the suite hands to the client besides the address. */
export const given = () => JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}');

async function listTools(sdk) {
  const { client, close } = await openSession(sdk);
  await client.listTools();
  await close();
}

const callTool = (name, args) => async (sdk) => {
  const { client, close } = await openSession(sdk);
  await client.listTools();
  await client.callTool({ name, arguments: args });
  await close();
};

/** Lists and calls as a user who grants whatever is asked for. */
export const asUser = (user) => async (sdk) => {
  const { client, authorized, close } = await openSession(sdk, { user: await user() });
  await authorized(() => client.listTools());
  await authorized(() => client.callTool({ name: 'test-tool', arguments: {} }));
  await close();
};

async function acceptDefaults(sdk) {
  const { client, close } = await openSession(sdk, {
    capabilities: { elicitation: { form: { applyDefaults: true } } },
    elicitation: () => ({ action: 'accept', content: {} }),
  });
  await client.listTools();
  await client.callTool({ name: 'test_client_elicitation_defaults', arguments: {} });
  await close();
}

async function declareCapabilities(sdk) {
  const { client, close } = await openSession(sdk, {
    capabilities: { roots: {}, sampling: {}, elicitation: {} },
    elicitation: () => ({ action: 'decline' }),
  });
  await client.listTools();
  await close();
}

async function answerInputRequests(sdk) {
  const { client, close } = await openSession(sdk, {
    capabilities: { elicitation: {} },
    elicitation: () => ({ action: 'accept', content: { confirmed: true } }),
  });
  const { tools } = await client.listTools();
  for (const { name } of tools) await client.callTool({ name, arguments: {} });
  await close();
}

async function useEverything(sdk) {
  const { client, close } = await openSession(sdk);
  const { tools } = await client.listTools();
  for (const { name } of tools) await client.callTool({ name, arguments: {} });
  const { resources } = await client.listResources();
  for (const { uri } of resources) await client.readResource({ uri });
  const { prompts } = await client.listPrompts();
  for (const { name } of prompts) await client.getPrompt({ name });
  await close();
}

async function callAsGiven(sdk) {
  const { client, close } = await openSession(sdk);
  await client.listTools();
  for (const call of given().toolCalls) await client.callTool(call);
  await close();
}

async function callEveryListedTool(sdk) {
  const { client, close } = await openSession(sdk);
  const { tools } = await client.listTools();
  for (const { name, inputSchema } of tools) {
    const properties = Object.keys(inputSchema.properties ?? {});
    await client.callTool({ name, arguments: Object.fromEntries(properties.map((key) => [key, 'x'])) });
  }
  await close();
}

async function echoSchema(sdk) {
  const { client, close } = await openSession(sdk);
  const { tools } = await client.listTools();
  const { inputSchema } = tools.find(({ name }) => name === 'json_schema_2020_12_tool');
  await client.callTool({ name: 'json_schema_echo', arguments: { schema: inputSchema } });
  await close();
}

/** A workload that has its assertion already: https://www.rfc-editor.org/rfc/rfc7523.html#section-2.1 */
function workload() {
  const { client_id, valid_jwt } = given();
  return userInMemory({
    redirectUrl: undefined,
    registered: { client_id },
    prepareTokenRequest: () =>
      new URLSearchParams({
        grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
        assertion: valid_jwt,
        client_id,
      }),
  });
}

function registeredUser() {
  const { client_id, client_secret, issuer } = given();
  return userInMemory({ registered: { client_id, client_secret, issuer } });
}

const ACTS = {
  initialize: listTools,
  tools_call: callTool('add_numbers', { a: 2, b: 3 }),
  'elicitation-sep1034-client-defaults': acceptDefaults,
  'sse-retry': callTool('test_reconnection', {}),
  'request-metadata': declareCapabilities,
  'sep-2322-client-request-state': answerInputRequests,
  'http-standard-headers': useEverything,
  'http-custom-headers': callAsGiven,
  'http-invalid-tool-headers': callEveryListedTool,
  'json-schema-ref-no-deref': listTools,
  'json-schema-2020-12-preservation': echoSchema,
  'auth/pre-registration': asUser(registeredUser),
  'auth/wif-jwt-bearer': asUser(workload),
};

/**
 * Acts out the scenario that the suite runs.
 *
 * @param ownActs scenarios that only this SDK has the means for
 * @throws when there is no act for it, or the act fails: the suite takes the exit code for the client's word
 */
export async function actOut(sdk, ownActs) {
  const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? '';
  const act =
    ownActs[scenario] ?? ACTS[scenario] ?? (scenario.startsWith('auth/') ? asUser(userInMemory) : undefined);
  if (act === undefined) throw new Error(`no act for the scenario '${scenario}'`);
  await act(sdk);
}
