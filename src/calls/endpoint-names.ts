import { endpointOf } from '../wire/endpoints.js';

/**
 * What names the server, and with it the space in which ids and sessions are counted: origin and path. HTTP+SSE
 * (2024-11-05) has the session in the query of the URL that its stream announces, so there the whole URL does.
 */
export interface EndpointNames {
  of(url: URL): string;
  /** `true` for the name of a URL that a stream has announced: answers to what is sent there come on that stream. */
  isAnnounced(endpoint: string): boolean;
  /** A stream has announced this URL for its client's requests. */
  announced(url: URL): string;
}

export function endpointNames(limit: number): EndpointNames {
  const announcedUrls = new Set<string>();
  const whole = (url: URL) => url.origin + url.pathname + url.search;

  return {
    of: (url) => (announcedUrls.size > 0 && announcedUrls.has(whole(url)) ? whole(url) : endpointOf(url)),
    isAnnounced: (endpoint) => announcedUrls.has(endpoint),
    announced(url) {
      const name = whole(url);
      announcedUrls.delete(name);
      announcedUrls.add(name);
      for (const oldest of announcedUrls) {
        if (announcedUrls.size <= limit) break;
        announcedUrls.delete(oldest);
      }
      return name;
    },
  };
}
