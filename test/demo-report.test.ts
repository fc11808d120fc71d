import { type Attributes, SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { describe, expect, it } from 'vitest';
import { css, html } from '../examples/demo/report/html.mjs';
import { kindOf } from '../examples/demo/report/kind.mjs';
import { reportOf } from '../examples/demo/report/report.mjs';
import { ERROR_LAYERS, NEGOTIATIONS } from '../src/index.js';
import { runNode } from './support/run.js';

describe('html', () => {
  it.each([
    [
      'text',
      html`<p>${`<b>"Tom" & 'Jerry'</b>`}</p>`,
      '<p>&lt;b&gt;&quot;Tom&quot; &amp; &#39;Jerry&#39;&lt;/b&gt;</p>',
    ],
    ['a piece of HTML', html`<p>${html`<b>${'<'}</b>`}</p>`, '<p><b>&lt;</b></p>'],
    ['a list', html`${['<', html`<br>`, 3]}`, '&lt;<br>3'],
    ['nothing', html`<p>${null}${undefined}</p>`, '<p></p>'],
    ['zero', html`${0}`, '0'],
    // What looks like a piece of HTML, but came from outside.
    ['an object with a text', html`${{ text: '<b>', toString: () => '<i>' }}`, '&lt;i&gt;'],
  ])('puts in %s', (_, piece, expected) => {
    expect(String(piece)).toBe(expected);
  });

  it('takes no style sheet that would end its element', () => {
    expect(String(css('p > b { color: red }'))).toBe('p > b { color: red }');
    expect(() => css('p::after { content: "</STYLE>" }')).toThrow('</style');
  });
});

describe('the kind of a call', () => {
  const kinds: [{ outcome: string; layer: string | null; detail: string | null }, string][] = [
    ...ERROR_LAYERS.map((layer): (typeof kinds)[0] => [{ outcome: 'X', layer, detail: null }, layer]),
    ...NEGOTIATIONS.map((detail): (typeof kinds)[0] => [
      { outcome: 'HTTP_ERROR', layer: 'transport', detail },
      'neither',
    ]),
    [{ outcome: 'CANCELLED', layer: null, detail: null }, 'neither'],
    [{ outcome: 'UNCLASSIFIED', layer: null, detail: 'evicted' }, 'neither'],
    [{ outcome: 'TOOL_SUCCESS', layer: null, detail: null }, 'success'],
  ];

  it.each(kinds)('of %o is %s', (call, kind) => {
    expect(kindOf(call)).toBe(kind);
  });
});

describe('the report', () => {
  const HOSTILE = '</script></style><img src=x onerror=alert(1)>"\'&';

  function span(
    spanId: string,
    parent: string | undefined,
    [start, end]: [number, number],
    attributes: Attributes,
  ) {
    return {
      name: HOSTILE,
      kind: SpanKind.CLIENT,
      attributes,
      startTime: [0, start * 1e6],
      endTime: [0, end * 1e6],
      status: { code: SpanStatusCode.ERROR, message: HOSTILE },
      events: [{ name: HOSTILE, time: [0, start * 1e6], attributes: { [HOSTILE]: HOSTILE } }],
      spanContext: () => ({ traceId: 'a1', spanId }),
      ...(parent !== undefined && { parentSpanContext: { traceId: 'a1', spanId: parent } }),
    };
  }
  const row = {
    ...{ call: HOSTILE, client: HOSTILE, http: [200], code: HOSTILE, resultType: HOSTILE, detail: HOSTILE },
    ...{
      outcome: 'TOOL_ERROR',
      layer: 'application',
      retryOrigin: 'none',
      ms: 1,
      traceId: 'a1',
      spanId: 'c',
    },
  };
  const scene = { scenario: { name: HOSTILE, client: HOSTILE }, traceId: 'a1', rows: [row] };
  const page = (spans: object[]) => reportOf([scene], { trace: () => spans });

  it('shows whatever a server says as text', () => {
    const text = page([span('c', undefined, [0, 1], { [HOSTILE]: [HOSTILE] })]);
    expect(
      text.split('&lt;/script&gt;&lt;/style&gt;&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;'),
    ).toHaveLength(
      // Twice in the scenario's heading, five in the table, and in the trace: name, status, attribute, event.
      1 + 2 + 5 + 1 + 1 + 2 + 3,
    );
    expect(text).not.toContain('<img');
    expect(text.match(/<\/style>/g)).toHaveLength(1);
  });

  it.each([
    ['the first half', [0, 2], 'left:0.00%;width:50.00%'],
    ['the last quarter', [3, 4], 'left:75.00%;width:25.00%'],
    // A stream may outlive the span that it began in.
    ['more than its parent', [2, 5], 'left:40.00%;width:60.00%'],
    ['nothing', [1, 1], 'left:25.00%;width:0.00%'],
  ] as const)('draws a span of %s of the trace as such', (_, [start, end], style) => {
    expect(page([span('p', undefined, [0, 4], {}), span('c', 'p', [start, end], {})])).toContain(style);
  });

  it('indents a span by its depth, also where its parent is unknown', () => {
    const text = page([
      span('p', 'of another service', [0, 4], {}),
      span('c', 'p', [0, 1], {}),
      span('h', 'c', [0, 1], {}),
    ]);
    expect([...text.matchAll(/padding-left:([\d.]+)em/g)].map(([, depth]) => Number(depth))).toEqual([
      0, 1.2, 2.4,
    ]);
  });

  it('a trace that took no time can be drawn', () => {
    expect(page([span('c', undefined, [0, 0], {})])).toContain('left:0.00%;width:0.00%');
  });

  it('that cannot be written is named, and the demo exits with 1', async () => {
    const run = await runNode(
      ['examples/demo/main.mjs', '--json', '--report', 'no/such/folder/report.html'],
      {
        OTEL_EXPORTER_OTLP_ENDPOINT: undefined,
      },
    );
    expect(run.code).toBe(1);
    expect(run.stderr).toMatch(/^demo: the report could not be written: ENOENT.*no\/such\/folder/);
  });
});
