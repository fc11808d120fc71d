// The client of the v2 SDK, which speaks 2026-07-28 and the revisions before.
import {
  Client,
  ClientCredentialsProvider,
  CrossAppAccessProvider,
  DpopSession,
  PrivateKeyJwtProvider,
  requestJwtAuthorizationGrant,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import { actOut, asUser, given } from './acts.mjs';
import { machineActs } from './machines.mjs';
import { openSession } from './session.mjs';
import { userInMemory } from './user.mjs';

const sdk = {
  client: (capabilities) =>
    new Client(
      { name: 'conformance', version: '2.0.0' },
      // Asks for 2026-07-28 first, and falls back to `initialize`: the scenarios of earlier revisions show how that looks.
      { capabilities, versionNegotiation: { mode: 'auto' } },
    ),
  transport: (url, authProvider) => new StreamableHTTPClientTransport(url, { authProvider }),
  answerElicitation: (client, answer) => client.setRequestHandler('elicitation/create', answer),
  needsUser: (error) => error instanceof UnauthorizedError,
  finishAuthorization: (transport, callback) => transport.finishAuth(callback.searchParams),
};

/** A company's employee, who is signed in at its identity provider. */
function employee() {
  const { client_id, client_secret, idp_client_id, idp_id_token, idp_token_endpoint } = given();
  return new CrossAppAccessProvider({
    clientId: client_id,
    clientSecret: client_secret,
    assertion: async ({ authorizationServerUrl, resourceUrl, scope, fetchFn }) => {
      const { jwtAuthGrant } = await requestJwtAuthorizationGrant({
        tokenEndpoint: idp_token_endpoint,
        idToken: idp_id_token,
        clientId: idp_client_id,
        audience: authorizationServerUrl,
        resource: resourceUrl,
        scope,
        fetchFn,
      });
      return jwtAuthGrant;
    },
  });
}

async function holderOfKey() {
  const dpop = await DpopSession.create();
  return userInMemory({ dpop: () => dpop });
}

async function listSkills() {
  const { client, close } = await openSession(sdk);
  await new SkillsClient(client).list();
  await close();
}

/** Reads every file of every skill, as far as what it reads can be trusted. */
async function loadSkills() {
  const { client, close } = await openSession(sdk);
  const host = new SkillsClient(client);
  const { skills } = await host.list();
  for (const skill of skills) {
    await host.read(skill);
    for (const { uri } of skill.resources) await host.read(skill, uri);
  }
  await close();
}

await actOut(sdk, {
  ...machineActs({ ClientCredentialsProvider, PrivateKeyJwtProvider }),
  'auth/enterprise-managed-authorization': asUser(employee),
  'auth/dpop': asUser(holderOfKey),
  'auth/dpop-nonce': asUser(holderOfKey),
  'sep-2640-client-no-prefetch': listSkills,
  'sep-2640-client-verify-digest': loadSkills,
  'sep-2640-client-verify-size': loadSkills,
  'sep-2640-client-verify-frontmatter': loadSkills,
});
