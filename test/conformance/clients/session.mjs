/** How often a client asks its user again before it gives up: the suite allows three. */
const MOST_GRANTS = 2;

/**
 * Connects to the server under whose address the suite started this program.
 *
 * @param sdk what the SDKs have different names for
 * @returns the connected client, `authorized` to send through, and `close`
 */
export async function openSession(sdk, { capabilities = {}, elicitation, user } = {}) {
  const url = new URL(process.argv.at(-1));
  let client;
  let transport;

  /** Sends, and once more after the user has granted what was missing. */
  async function authorized(send) {
    for (let grants = 0; ; grants += 1) {
      try {
        return await send();
      } catch (error) {
        if (user?.callback === undefined || !sdk.needsUser(error) || grants === MOST_GRANTS) throw error;
        await sdk.finishAuthorization(transport, user.callback);
      }
    }
  }

  await authorized(() => {
    client = sdk.client(capabilities);
    if (elicitation !== undefined) sdk.answerElicitation(client, elicitation);
    transport = sdk.transport(url, user);
    return client.connect(transport);
  });
  return { client, authorized, close: () => client.close() };
}
