/** Rows for `it.each` with `%s` as the title: `$rule` would be cut after forty characters. */
export function titled<Row extends { readonly rule: string }>(rows: readonly Row[]): [string, Row][] {
  return rows.map((row) => [row.rule, row]);
}
