import { describe, expect, it } from 'vitest';
import { optionsOf } from '../src/config.js';
import { McpHttpInstrumentation } from '../src/index.js';

const BOOLEAN = 'must be true or false';
const COUNT = 'must be a whole number above 0';
const HOOK = 'must be a function';
const ARRAY = 'must be an array of URLs and regular expressions';
const URL_ONLY = 'must be an absolute http or https URL';

/** Option as configured, value, the option as named, what it may be, the value as shown. */
type Row = readonly [option: string, value: unknown, named: string, mayBe: string, shown: string];

const booleans = ['enabled', 'captureContent', 'httpSpan'].flatMap((option): Row[] => [
  [option, 'true', option, BOOLEAN, '"true"'],
  [option, 1, option, BOOLEAN, '1'],
  [option, {}, option, BOOLEAN, '[object Object]'],
]);

const counts = ['maxBodyBytes', 'maxOpenCalls', 'retryWindowMillis', 'maxNames'].flatMap((option): Row[] => [
  [option, 0, option, COUNT, '0'],
  [option, -1, option, COUNT, '-1'],
  [option, 1.5, option, COUNT, '1.5'],
  [option, Number.NaN, option, COUNT, 'NaN'],
  [option, Number.POSITIVE_INFINITY, option, COUNT, 'Infinity'],
  [option, '10', option, COUNT, '"10"'],
  [option, 10n, option, COUNT, '10n'],
]);

const TIMER = 'must be a whole number above 0 and at most 2147483647';
const timers: Row[] = [
  ['pendingTimeoutMillis', 0, 'pendingTimeoutMillis', TIMER, '0'],
  ['pendingTimeoutMillis', 2 ** 31, 'pendingTimeoutMillis', TIMER, '2147483648'],
  ['pendingTimeoutMillis', '10', 'pendingTimeoutMillis', TIMER, '"10"'],
];

const hooks = ['requestHook', 'responseHook'].flatMap((option): Row[] => [
  [option, 'log', option, HOOK, '"log"'],
  [option, Object.create(null), option, HOOK, '[object Object]'],
  [option, Symbol('log'), option, HOOK, 'Symbol(log)'],
  [option, null, option, HOOK, 'null'],
  [option, {}, option, HOOK, '[object Object]'],
]);

const endpoints = ['endpoints', 'ignoreEndpoints'].flatMap((option): Row[] => [
  [option, 'https://mcp.test/mcp', option, ARRAY, '"https://mcp.test/mcp"'],
  [option, /mcp/, option, ARRAY, '/mcp/'],
  [option, new Set(), option, ARRAY, '[object Set]'],
  [option, ['/mcp'], `${option}[0]`, URL_ONLY, '"/mcp"'],
  [option, ['https://mcp.test/', ''], `${option}[1]`, URL_ONLY, '""'],
  [option, ['mcp.test:443/mcp'], `${option}[0]`, URL_ONLY, '"mcp.test:443/mcp"'],
  [option, ['ws://mcp.test/'], `${option}[0]`, URL_ONLY, '"ws://mcp.test/"'],
  [option, [/mcp/, 7], `${option}[1]`, 'must be a URL or a regular expression', '7'],
  [option, [null], `${option}[0]`, 'must be a URL or a regular expression', 'null'],
  [
    option,
    [new URL('https://mcp.test/')],
    `${option}[0]`,
    'must be a URL or a regular expression',
    '[object URL]',
  ],
]);

const choices: Row[] = [
  ['sessionId', 'plain', 'sessionId', 'must be one of "hash", "raw", "off"', '"plain"'],
  ['sessionId', true, 'sessionId', 'must be one of "hash", "raw", "off"', 'true'],
  ['errorMessage', 'hash', 'errorMessage', 'must be one of "masked", "raw", "off"', '"hash"'],
  ['errorMessage', false, 'errorMessage', 'must be one of "masked", "raw", "off"', 'false'],
];

const rows = [...booleans, ...counts, ...timers, ...hooks, ...endpoints, ...choices];

describe('a wrong option is refused by name, with what it may be and what it was', () => {
  it.each(rows)('%s: %o', (option, value, named, mayBe, shown) => {
    expect(() => optionsOf({ [option]: value })).toThrow(
      new TypeError(`McpHttpInstrumentation: option ${named} ${mayBe}, not ${shown}`),
    );
  });

  it('every option has wrong values above', () => {
    expect(new Set(rows.map(([option]) => option))).toEqual(
      new Set(['enabled', ...Object.keys(optionsOf({}))]),
    );
  });

  it('an option that there is not is refused with those that there are', () => {
    expect(() => optionsOf({ endpoint: [] } as never)).toThrow(
      /^McpHttpInstrumentation: option endpoint isn't an option; there are: enabled, endpoints, .*httpSpan$/,
    );
  });

  it('the constructor refuses, and leaves fetch as it was', () => {
    const before = globalThis.fetch;
    expect(() => new McpHttpInstrumentation({ maxNames: 0 })).toThrow('option maxNames ');
    expect(globalThis.fetch).toBe(before);
  });

  it('setConfig refuses, and what was configured stays in force', () => {
    const mcp = new McpHttpInstrumentation({ maxNames: 7 });
    const wrapped = globalThis.fetch;
    try {
      expect(() => mcp.setConfig({ maxNames: 0 })).toThrow('option maxNames ');
      expect(mcp.getConfig()).toMatchObject({ maxNames: 7 });
      expect(globalThis.fetch).toBe(wrapped);
    } finally {
      mcp.disable();
    }
  });
});

describe('options that are right', () => {
  it('without any, the defaults are those of the README', () => {
    expect(optionsOf({})).toEqual({
      endpoints: [],
      ignoreEndpoints: [],
      sessionId: 'hash',
      errorMessage: 'masked',
      captureContent: false,
      maxBodyBytes: 4_194_304,
      maxOpenCalls: 10_000,
      pendingTimeoutMillis: 30_000,
      retryWindowMillis: 60_000,
      maxNames: 200,
      requestHook: undefined,
      responseHook: undefined,
      httpSpan: true,
    });
  });

  it('undefined means the default, whatever the option', () => {
    const undefinedOptions = Object.fromEntries(
      Object.keys(optionsOf({})).map((option) => [option, undefined]),
    );
    expect(optionsOf({ ...undefinedOptions, enabled: undefined } as never)).toEqual(optionsOf({}));
  });

  it('a frozen configuration is taken as it is', () => {
    const config = Object.freeze({ endpoints: Object.freeze([/mcp/g, 'HTTPS://MCP.test']), maxNames: 1 });
    expect(optionsOf(config)).toMatchObject({ endpoints: [/mcp/g, 'HTTPS://MCP.test'], maxNames: 1 });
  });
});
