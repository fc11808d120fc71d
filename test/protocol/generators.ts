import fc from 'fast-check';

/**
 * Bodies near the borders that the classifiers draw: responses with something changed, dropped, doubled or wrapped,
 * written as JSON text by hand, because `JSON.stringify` can write neither duplicate keys nor an own `__proto__`.
 */

/** Any UTF-16, lone surrogates included. */
export const anyText = fc
  .string({ unit: 'binary' })
  .chain((text) => fc.constantFrom(text, `${text}\ud800`, `\udfff${text}`));

const scalar = fc.oneof(
  fc.constantFrom('null', 'true', 'false', '0', '-0', '1', '1.0', '99', '1e999', '-1e999', '1e-400'),
  fc.constantFrom('9007199254740993', '-32602', '-32602.5', '1.5', '""', '"1"', '"2.0"', '"true"'),
  fc.constantFrom('"complete"', '"input_required"', '"task"', '"\\ud800"', '"\\u0000"', '"é"'),
  anyText.map((text) => JSON.stringify(text)),
  fc.double().map((number) => JSON.stringify(number)),
);

const key = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('jsonrpc', 'id', 'result', 'error', 'method', 'params') },
  { weight: 4, arbitrary: fc.constantFrom('content', 'isError', 'resultType', 'code', 'message', 'task') },
  { weight: 2, arbitrary: fc.constantFrom('__proto__', 'constructor', 'hasOwnProperty', 'toString', '') },
  { weight: 1, arbitrary: anyText },
);

const object = (entries: readonly (readonly [string, string])[]): string =>
  `{${entries.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`;

const { value } = fc.letrec<{ value: string; object: string; array: string }>((tie) => ({
  value: fc.oneof({ maxDepth: 3, withCrossShrink: true }, scalar, tie('object'), tie('array')),
  object: fc.array(fc.tuple(key, tie('value')), { maxLength: 5 }).map(object),
  array: fc.array(tie('value'), { maxLength: 4 }).map((items) => `[${items.join(',')}]`),
}));

/** JSON text of any shape, made of the words that matter. */
export const jsonText = value;

const usually = (...usual: string[]) =>
  fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...usual) }, { weight: 1, arbitrary: value });

/** An object with these entries, of which some are left out, doubled or followed by others. */
function nearly(entries: readonly (readonly [string, fc.Arbitrary<string>])[]): fc.Arbitrary<string> {
  const each = entries.map(([name, content]) =>
    fc.tuple(
      fc.oneof({ weight: 9, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
      content.map((text): readonly [string, string] => [name, text]),
    ),
  );
  const extra = fc.oneof(
    { weight: 4, arbitrary: fc.constant<(readonly [string, string])[]>([]) },
    { weight: 1, arbitrary: fc.array(fc.tuple(key, value), { maxLength: 3 }) },
  );
  return fc
    .tuple(fc.tuple(...each), extra)
    .map(([kept, more]) => object([...kept.filter(([keep]) => keep).map(([, entry]) => entry), ...more]));
}

const result = nearly([
  ['resultType', usually('"complete"', '"complete"', '"input_required"', '"task"')],
  ['content', usually('[]', '[{"type":"text","text":"ok"}]')],
  ['isError', usually('false', 'true', '"true"')],
  ['task', usually('{"taskId":"t1"}')],
]);
const error = nearly([
  ['code', usually('-32602', '0', '1e3', '-32602.5', '1e999')],
  ['message', usually('"no"', '""')],
]);
const version = ['jsonrpc', usually('"2.0"')] as const;
const id = ['id', usually('1', '1', '1', '"1"', 'null', '0', '99')] as const;

/** A JSON-RPC response to id 1, more or less. */
export const nearResponse: fc.Arbitrary<string> = fc.oneof(
  nearly([version, id, ['result', fc.oneof(result, result, value)]]),
  nearly([version, id, ['error', fc.oneof(error, error, value)]]),
  nearly([version, id, ['result', result], ['error', error]]),
  nearly([version, id, ['method', usually('"ping"')], ['params', value]]),
);

const wrapped = nearResponse.chain((text) =>
  fc.constantFrom(`[${text}]`, ` ${text}\n`, `\ufeff${text}`, `${text}${text}`, text.slice(0, -1)),
);

/** Depths at which a recursive reader would run out of stack. */
const deep = fc.tuple(fc.constantFrom(100, 10_000, 50_000), fc.boolean()).map(([depth, closed]) => {
  const inner = `${'['.repeat(depth)}${closed ? ']'.repeat(depth) : ''}`;
  return `{"jsonrpc":"2.0","id":1,"result":{"content":${inner}}}`;
});

/** Any body that a server may send. */
export const body: fc.Arbitrary<string> = fc.oneof(
  { weight: 12, arbitrary: nearResponse },
  { weight: 4, arbitrary: wrapped },
  { weight: 4, arbitrary: value },
  { weight: 2, arbitrary: fc.json() },
  { weight: 2, arbitrary: anyText },
  { weight: 1, arbitrary: fc.constantFrom('', ' ', '\r\n', 'undefined', 'NaN', '\ufeff') },
  { weight: 1, arbitrary: deep },
);

export const status: fc.Arbitrary<number> = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(200, 202, 204, 299) },
  { weight: 2, arbitrary: fc.constantFrom(199, 300, 307, 400, 404, 500, 503) },
);
