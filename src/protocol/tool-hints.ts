import { own, ownString } from './json.js';

/**
 * What a server says of its tool. Hints that nobody vouches for: "clients MUST consider tool annotations to be
 * untrusted unless they come from trusted servers".
 * @see https://modelcontextprotocol.io/specification/2025-11-25/server/tools#tool
 */
export interface ToolHints {
  readonly name: string;
  /** Doing it twice does no more harm than doing it once: `readOnlyHint` or `idempotentHint` is `true`. */
  readonly repeatable: boolean;
}

/** The tools of a `tools/list` result, as far as they are listed well. */
export function toolHintsIn(result: unknown): ToolHints[] {
  const tools = own(result, 'tools');
  if (!Array.isArray(tools)) return [];
  return tools.flatMap((tool: unknown) => {
    const name = ownString(tool, 'name');
    if (name === undefined) return [];
    const annotations = own(tool, 'annotations');
    const repeatable =
      own(annotations, 'readOnlyHint') === true || own(annotations, 'idempotentHint') === true;
    return [{ name, repeatable }];
  });
}
