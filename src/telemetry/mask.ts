const MAX_LENGTH = 256;
// Masking looks at this much at most, so that a hostile message costs no more than an honest one.
const MAX_LOOKED_AT = 2048;
const MASK = '***';

/** A value in quotes, which may be escaped, as in JSON inside a text; its end may be cut. */
const QUOTED = String.raw`\\"(?:(?!\\")[^])*(?:\\")?|"(?:[^"\\]|\\[^])*"?|'[^']*'?`;
const QUOTE = String.raw`(?:\\?["'])?`;
const SECRET_NAME =
  'passw(?:or)?d|passwd|pwd|secret|token|credential|api[_-]?key|apikey|access[_-]?key|private[_-]?key|cookie|session[_-]?id';

const SECRETS: readonly [RegExp, string][] = [
  // URLs: userinfo, which ends at the last @ (https://url.spec.whatwg.org/#authority-state), and query.
  [/\b([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/?#"<>]{1,2048}@/gi, `$1${MASK}@`],
  [/\b([a-z][a-z0-9+.-]{0,30}:\/\/[^\s?#"'<>]{1,512})\?[^\s#"'<>]*/gi, `$1?${MASK}`],
  // Header fields: a scheme and what follows it; all cookies.
  [
    new RegExp(`\\b(authorization${QUOTE}\\s*[:=]\\s*)(?:${QUOTED}|[^\\s,;}]+(?:[ \\t]+[^\\s,;}]+)?)`, 'gi'),
    `$1${MASK}`,
  ],
  [new RegExp(`\\b(cookie${QUOTE}\\s*[:=]\\s*)(?:${QUOTED}|[^\\r\\n"]+)`, 'gi'), `$1${MASK}`],
  // `Bearer …`, `Basic …`, wherever quoted.
  [/\b(bearer|basic|digest|negotiate)\s+(?!realm=)[\w.~+/=-]{6,}/gi, `$1 ${MASK}`],
  // JSON Web Tokens (RFC 7519) and keys with well-known prefixes.
  [/\beyJ[\w-]{5,}\.[\w-]+(?:\.[\w-]*)?/g, MASK],
  [
    /\b(?:sk|pk|rk|ghp|gho|ghu|ghs|ghr|github_pat|glpat|xox[abprs]|AKIA|ASIA|AIza|ya29|npm|hf)[_\-.]?[\w\-.]{12,}/g,
    MASK,
  ],
  // `password=…`, `"api_key": "…"`, `token: …`.
  [new RegExp(`((?:${SECRET_NAME})${QUOTE}\\s*[:=]\\s*)(?:${QUOTED}|[^\\s,;&}\\])]+)`, 'gi'), `$1${MASK}`],
  // Long runs that only a machine writes.
  [/\b(?=[A-Za-z_-]*\d)(?=[\d_-]*[A-Za-z])[\w-]{32,}\b/g, MASK],
];

/** How much of a server's or a runtime's error message may leave. */
export type ErrorMessagePolicy = 'masked' | 'raw' | 'off';

/**
 * An error message as it may leave the process.
 *
 * @returns at most 256 characters; `undefined` for `off` and for an empty message
 */
export function messageToTell(message: string | undefined, policy: ErrorMessagePolicy): string | undefined {
  if (message === undefined || message === '' || policy === 'off') return undefined;
  let text = message.slice(0, MAX_LOOKED_AT);
  if (policy === 'masked') for (const [secret, mask] of SECRETS) text = text.replace(secret, mask);
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH - 1)}…` : text;
}
