import { asUser, given } from './acts.mjs';

/** The scenarios without a user, for the providers that both SDKs have under one name. */
export function machineActs({ ClientCredentialsProvider, PrivateKeyJwtProvider }) {
  return {
    'auth/client-credentials-basic': asUser(() => {
      const { client_id, client_secret } = given();
      return new ClientCredentialsProvider({ clientId: client_id, clientSecret: client_secret });
    }),
    'auth/client-credentials-jwt': asUser(() => {
      const { client_id, private_key_pem, signing_algorithm } = given();
      return new PrivateKeyJwtProvider({
        clientId: client_id,
        privateKey: private_key_pem,
        algorithm: signing_algorithm,
      });
    }),
  };
}
