import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { messageToTell } from '../../src/telemetry/mask.js';

const masked = (message: string) => messageToTell(message, 'masked');

const rows: readonly [rule: string, message: string, told: string][] = [
  // URLs
  ['userinfo', 'no route to https://user:pass@db.test/x', 'no route to https://***@db.test/x'],
  ['userinfo without a password', 'ssh://token@git.test', 'ssh://***@git.test'],
  ['userinfo with an @ in it', 'http://user:p@ss@db.test/x', 'http://***@db.test/x'],
  ['a connection string', 'postgres://app:hunter2@db:5432/main', 'postgres://***@db:5432/main'],
  ['a query', 'GET https://api.test/v1?key=1&q=x#top failed', 'GET https://api.test/v1?***#top failed'],
  ['userinfo and query', '"https://u:p@h/?a=b"', '"https://***@h/?***"'],
  ['an @ in a path is no userinfo', 'https://npm.test/@scope/pkg', 'https://npm.test/@scope/pkg'],
  ['a ? in a sentence is no query', 'who? me', 'who? me'],
  ['an address of mail is no userinfo', 'ask admin@mcp.test', 'ask admin@mcp.test'],
  // Credentials by their scheme
  ['a bearer token', 'invalid Bearer abc.def-ghi', 'invalid Bearer ***'],
  ['a basic one, in lower case', 'basic dXNlcjpwYXNz', 'basic ***'],
  ['a word after bearer that is no token', 'Bearer realm="mcp"', 'Bearer realm="mcp"'],
  ['a header', 'Authorization: Bearer abcdefgh', 'Authorization: ***'],
  ['a header with a scheme of its own', 'authorization: ApiKey s3cr3t', 'authorization: ***'],
  ['a header as JSON', '{"Authorization":"Token s3cr3t"}', '{"Authorization":***}'],
  ['a header of a proxy', 'Proxy-Authorization: Digest username="Mufasa", a', 'Proxy-Authorization: ***, a'],
  ['cookies, all of them', 'Cookie: a=1; sid=s3cr3t\nnext', 'Cookie: ***\nnext'],
  ['cookies as JSON', '{"set-cookie":"sid=s3cr3t; HttpOnly","a":1}', '{"set-cookie":***,"a":1}'],
  // By their form
  ['a JSON Web Token', 'got eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln', 'got ***'],
  ['a key of OpenAI', 'Incorrect API key provided: sk-proj-abcdefghijkl', 'Incorrect API key provided: ***'],
  ['a token of GitHub', 'ghp_abcdefghijklmnop expired', '*** expired'],
  ['a token of GitLab', 'glpat-abcdefghijklmnop expired', '*** expired'],
  ['a key of AWS', 'AKIAIOSFODNN7EXAMPLE is disabled', '*** is disabled'],
  ['a long run of letters and digits', 'session 0123456789abcdef0123456789abcdef gone', 'session *** gone'],
  ['a UUID', 'no 123e4567-e89b-12d3-a456-426614174000', 'no ***'],
  ['a long word is no secret', `no ${'a'.repeat(40)}`, `no ${'a'.repeat(40)}`],
  ['a long number is no secret', `no ${'1'.repeat(40)}`, `no ${'1'.repeat(40)}`],
  // By their name
  ['password=', 'connect host=db password=hunter2 failed', 'connect host=db password=*** failed'],
  ['pwd:', 'pwd: hunter2', 'pwd: ***'],
  ['a quoted value', 'secret = "two words" here', 'secret = *** here'],
  ['a quoted value with quotes in it', String.raw`{"password":"a\"b c","x":1}`, '{"password":***,"x":1}'],
  ['a quoted value that is cut', 'token="abc def', 'token=***'],
  [
    'a quoted value in JSON inside a text',
    String.raw`upstream: {\"api_key\":\"two words\",\"x\":1}`,
    String.raw`upstream: {\"api_key\":***,\"x\":1}`,
  ],
  ['a value in single quotes', "apiKey: 'abc def'", 'apiKey: ***'],
  ['a name with a prefix', 'DB_PASSWORD=hunter2', 'DB_PASSWORD=***'],
  ['a name as JSON', '{"client_secret":"abc","a":1}', '{"client_secret":***,"a":1}'],
  ['a name in a query without its URL', '/mcp?access_token=abc&x=1', '/mcp?access_token=***&x=1'],
  ['the name alone is no secret', 'token expired', 'token expired'],
  // What must stay readable
  ['a plain message', 'Unknown tool: get_weather', 'Unknown tool: get_weather'],
  ['an address with its port', 'connect ECONNREFUSED 127.0.0.1:3000', 'connect ECONNREFUSED 127.0.0.1:3000'],
  ['a path', 'ENOENT: open /var/lib/mcp/state.json', 'ENOENT: open /var/lib/mcp/state.json'],
];

describe('a masked message', () => {
  it.each(rows)('%s', (_, message, told) => {
    expect(masked(message)).toBe(told);
  });
});

describe('how much is told', () => {
  it.each([
    ['masked', 'Bearer abcdefgh', 'Bearer ***'],
    ['raw', 'Bearer abcdefgh', 'Bearer abcdefgh'],
    ['off', 'Bearer abcdefgh', undefined],
  ] as const)('%s', (policy, message, told) => {
    expect(messageToTell(message, policy)).toBe(told);
  });

  it.each(['masked', 'raw', 'off'] as const)('nothing of nothing: %s', (policy) => {
    expect(messageToTell(undefined, policy)).toBeUndefined();
    expect(messageToTell('', policy)).toBeUndefined();
  });

  it('256 characters are told, one more is cut with a mark', () => {
    const words = 'ab '.repeat(100);
    expect(masked(words.slice(0, 256))).toBe(words.slice(0, 256));
    expect(masked(words.slice(0, 257))).toBe(`${words.slice(0, 255)}…`);
    expect(messageToTell(words, 'raw')).toHaveLength(256);
  });

  it('what is masked is masked before it is cut', () => {
    expect(masked(`${'x '.repeat(120)}Bearer ${'abcdef'.repeat(10)}`)).toMatch(/Bearer \*\*\*$/);
  });
});

/** What no wording around it may let through. */
const alphanumeric = (min: number, max: number) =>
  fc.stringMatching(new RegExp(`^[A-Za-z0-9]{${min},${max}}$`));
const word = fc.constantFrom('the', 'server', 'said', 'no', '(', ')', ',', '\n', '{', '"a":', '=', '?');
const prose = fc.array(word, { maxLength: 8 }).map((words) => words.join(' '));

const carriers: readonly [what: string, carry: (secret: string) => string][] = [
  ['a bearer token', (secret) => `Bearer ${secret}`],
  ['a basic credential', (secret) => `basic ${secret}`],
  ['an Authorization header', (secret) => `Authorization: Custom ${secret}`],
  ['a password in JSON', (secret) => JSON.stringify({ password: `"${secret}"` })],
  ['an assignment', (secret) => `api_key=${secret}`],
  ['a query', (secret) => `https://mcp.test/mcp?q=${secret}`],
  ['userinfo', (secret) => `https://user:${secret}@mcp.test/`],
  ['userinfo with an @', (secret) => `https://user:@${secret}@mcp.test/`],
  ['a key with a prefix', (secret) => `sk-${secret}${secret}`],
  ['a cookie', (secret) => `Cookie: a=b; c=${secret}`],
];

describe('no secret survives', () => {
  it.each(carriers)('as %s, whatever stands around it', (_, carry) => {
    fc.assert(
      fc.property(alphanumeric(8, 60), prose, prose, (secret, before, after) => {
        expect(masked(`${before} ${carry(secret)} ${after}`)).not.toContain(secret);
      }),
      { numRuns: 200 },
    );
  });

  it('masking what is masked changes nothing', () => {
    fc.assert(
      fc.property(fc.oneof(prose, fc.string({ maxLength: 200 })), (message) => {
        const once = masked(message) ?? '';
        expect(masked(once) ?? '').toBe(once);
      }),
      { numRuns: 300 },
    );
  });
});

const hostile: readonly [what: string, unit: string][] = [
  ['letters', 'a'],
  ['dashes and letters', 'a-'],
  ['digits and letters', 'a1'],
  ['the start of a URL', 'a://'],
  ['colons and slashes', '://'],
  ['at signs', '@'],
  ['question marks', 'a://b?'],
  ['a name without its value', 'password'],
  ['a name and white space', 'token  '],
  ['quotes', '"'],
  ['escaped quotes', '\\"'],
  ['schemes', 'bearer '],
  ['the start of a token', 'eyJ'],
  ['the start of a key', 'sk-'],
  ['cookies', 'cookie:'],
  ['authorizations', 'authorization: '],
];

/** How long masking takes, at best of several: the machine has other work to do. */
function cost(message: string): number {
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 5; run++) {
    const start = process.hrtime.bigint();
    masked(message);
    best = Math.min(best, Number(process.hrtime.bigint() - start));
  }
  return best;
}

describe('a message of 10 MB costs no more than one of 2 KB', () => {
  it.each(hostile)('made of %s', (_, unit) => {
    const short = cost(unit.repeat(Math.ceil(2048 / unit.length)));
    const long = cost(unit.repeat(Math.ceil(10_000_000 / unit.length)));
    // What grew with the message's length would be 5,000 times as much.
    expect(long).toBeLessThan(short * 50 + 1_000_000);
  });
});
