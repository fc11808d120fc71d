/** `true` for a URL that is meant. Query, fragment and userinfo are not looked at. */
export type EndpointMatcher = (url: URL) => boolean;

/**
 * Makes one matcher of a list of endpoints.
 *
 * @param endpoints - absolute URLs (origin and path must be equal) and regular expressions (tested on origin and path)
 * @returns `undefined` for an empty list, so that callers can skip making a URL
 */
export function endpointMatcher(endpoints: readonly (string | RegExp)[]): EndpointMatcher | undefined {
  if (endpoints.length === 0) return undefined;
  const exact = new Set<string>();
  const patterns: RegExp[] = [];
  for (const endpoint of endpoints) {
    if (typeof endpoint === 'string') exact.add(endpointOf(new URL(endpoint)));
    // A copy without `g` and `y`: with them, `test` would remember where the last match ended.
    else patterns.push(new RegExp(endpoint.source, endpoint.flags.replace(/[gy]/g, '')));
  }
  return (url) => {
    const endpoint = endpointOf(url);
    return exact.has(endpoint) || patterns.some((pattern) => pattern.test(endpoint));
  };
}

/** Origin and path: what names an MCP endpoint. */
export function endpointOf(url: URL): string {
  return url.origin + url.pathname;
}
