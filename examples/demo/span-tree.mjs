import { SpanKind, SpanStatusCode } from '@opentelemetry/api';

// The same on every span of the demo, or long: left out to keep the tree readable.
const LEFT_OUT =
  /^(network\.|user_agent\.|url\.|http\.request\.|server\.|mcp\.retry\.|mcp\.(client|server)\.)/;

const KEY_WIDTH = 27;

/** The spans of one trace as a tree, with attributes and events. */
export function treeOf(spans, colors) {
  const ids = new Set(spans.map((span) => span.spanContext().spanId));
  const roots = spans.filter((span) => !ids.has(span.parentSpanContext?.spanId));
  return roots.flatMap((root) => linesOf(root, spans, colors)).join('\n');
}

function linesOf(span, spans, colors) {
  const children = spans.filter((other) => other.parentSpanContext?.spanId === span.spanContext().spanId);
  const bar = colors.dim(children.length > 0 ? '│  ' : '   ');
  return [
    headingOf(span, colors),
    ...[...attributeLines(span, colors), ...eventLines(span, colors)].map((line) => bar + line),
    ...children.flatMap((child, index) => {
      const last = index === children.length - 1;
      const [first, ...rest] = linesOf(child, spans, colors);
      return [
        colors.dim(last ? '└─ ' : '├─ ') + first,
        ...rest.map((line) => (last ? '   ' : colors.dim('│  ')) + line),
      ];
    }),
  ];
}

function headingOf({ name, kind, status, duration }, colors) {
  const milliseconds = (duration[0] * 1e3 + duration[1] / 1e6).toFixed(1);
  const failed = status.code === SpanStatusCode.ERROR ? colors.red(` ERROR ${status.message ?? ''}`) : '';
  return `${colors.bold(name)} ${colors.dim(`${SpanKind[kind]} ${milliseconds} ms`)}${failed}`;
}

function attributeLines({ attributes }, colors) {
  return Object.entries(attributes)
    .filter(([key]) => !LEFT_OUT.test(key))
    .map(([key, value]) => `${colors.dim(key.padEnd(KEY_WIDTH))}${textOf(value)}`);
}

function eventLines({ events }, colors) {
  return events.map(({ name, attributes }) => {
    const values = Object.values(attributes ?? {})
      .map(textOf)
      .join(', ');
    return `${colors.cyan(`event ${name}`.padEnd(KEY_WIDTH))}${values}`;
  });
}

const textOf = (value) => (Array.isArray(value) ? value.join(' ') : String(value));
