import { describe, expect, it } from 'vitest';
import { endpointMatcher, endpointOf } from '../../src/wire/endpoints.js';

const rows: readonly [endpoint: string | RegExp, url: string, expected: boolean][] = [
  ['http://mcp.test/mcp', 'http://mcp.test/mcp', true],
  ['http://mcp.test/mcp', 'http://mcp.test/mcp?key=1#top', true],
  ['http://mcp.test/mcp?key=1#top', 'http://mcp.test/mcp', true],
  ['http://mcp.test/mcp', 'http://user:pass@mcp.test/mcp', true],
  ['HTTP://MCP.test:80/mcp', 'http://mcp.test/mcp', true],
  ['http://mcp.test', 'http://mcp.test/', true],
  ['http://mcp.test/a/../mcp', 'http://mcp.test/mcp', true],
  ['http://mcp.test/mcp', 'http://mcp.test/mcp/', false],
  ['http://mcp.test/mcp', 'http://mcp.test/MCP', false],
  ['http://mcp.test/mcp', 'https://mcp.test/mcp', false],
  ['http://mcp.test/mcp', 'http://mcp.test:8080/mcp', false],
  ['http://mcp.test/mcp', 'http://mcp.test/mcp/sub', false],
  [/^http:\/\/mcp\.test\//, 'http://mcp.test/any', true],
  [/MCP/i, 'http://mcp.test/', true],
  [/key/, 'http://mcp.test/?key=1', false],
  [/user/, 'http://user@mcp.test/', false],
  [/\/mcp$/, 'http://mcp.test/mcp?x', true],
  [/p.test\/$/s, 'http://mcp.test/', true],
];

describe('an endpoint', () => {
  it.each(rows)('%s and %s: %s', (endpoint, url, expected) => {
    expect(endpointMatcher([endpoint])?.(new URL(url))).toBe(expected);
  });

  it.each([/mcp/g, /http/y, /mcp/gi])(
    '%s says the same each time, and keeps its own lastIndex',
    (pattern) => {
      pattern.lastIndex = 3;
      const matches = endpointMatcher([pattern]);
      const url = new URL('http://mcp.test/mcp');
      expect([matches?.(url), matches?.(url), matches?.(url)]).toEqual([true, true, true]);
      expect(pattern.lastIndex).toBe(3);
    },
  );

  it('of several, one is enough', () => {
    const matches = endpointMatcher(['http://a.test/', 'http://b.test/', /c\.test/]);
    expect(['a', 'b', 'c', 'd'].map((name) => matches?.(new URL(`http://${name}.test/`)))).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });

  it('of none there is no matcher, so that nobody makes a URL for it', () => {
    expect(endpointMatcher([])).toBeUndefined();
  });

  it('what is put into the list later changes nothing', () => {
    const endpoints = ['http://a.test/'];
    const matches = endpointMatcher(endpoints);
    endpoints.push('http://b.test/');
    expect(matches?.(new URL('http://b.test/'))).toBe(false);
  });

  it('is named by origin and path', () => {
    expect(endpointOf(new URL('https://u:p@mcp.test:8443/a%20b?c#d'))).toBe('https://mcp.test:8443/a%20b');
  });
});
