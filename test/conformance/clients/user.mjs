/**
 * An OAuth client that keeps everything in memory and whose user needs no browser: the suite's authorization servers
 * grant by a redirect, which is read here instead of being followed. For either SDK.
 */
export function userInMemory({ registered, clientMetadata, ...overrides } = {}) {
  let latestTokens;
  let verifier;
  // Credentials are the issuer's; SDK v1 doesn't say which one it asks for.
  const clients = new Map();
  const issuerOf = (context) => context?.issuer ?? '';
  return {
    redirectUrl: 'http://localhost/callback',
    clientMetadataUrl: 'https://conformance-test.local/client-metadata.json',
    clientMetadata: {
      client_name: 'conformance',
      redirect_uris: ['http://localhost/callback'],
      application_type: 'native',
      ...clientMetadata,
    },
    clientInformation: (context) => registered ?? clients.get(issuerOf(context)),
    saveClientInformation(client, context) {
      clients.set(issuerOf(context), client);
    },
    tokens: (context) =>
      context === undefined || latestTokens?.issuer === context.issuer ? latestTokens : undefined,
    saveTokens(tokens) {
      latestTokens = tokens;
    },
    saveCodeVerifier(value) {
      verifier = value;
    },
    codeVerifier: () => verifier,
    /** The address that the authorization server sent the user back to. */
    callback: undefined,
    async redirectToAuthorization(url) {
      const response = await fetch(url, { redirect: 'manual' });
      this.callback = new URL(response.headers.get('location'));
    },
    ...overrides,
  };
}
