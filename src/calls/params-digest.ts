import { createHash, type Hash } from 'node:crypto';

/**
 * How much of params is looked at: of a long string its beginning, its end and its length; of a large structure the
 * first values. Params that differ elsewhere only count as equal, which takes a caller that sends two such requests
 * within a minute, the first of which failed.
 */
const MAX_STRING = 4_096;
const STRING_TAIL = 1_024;
const MAX_VALUES = 2_000;
const MAX_DEPTH = 64;

/**
 * A digest by which equal params are told without keeping them. The order of keys doesn't count, but in objects of more
 * keys than are looked at.
 *
 * @param without - keys of the params themselves that are left out
 * @returns 16 bytes as hexadecimal digits. Never throws.
 */
export function paramsDigest(params: unknown, without: ReadonlySet<string>): string {
  const hash = createHash('sha256');
  const budget = { values: MAX_VALUES };
  if (typeof params === 'object' && params !== null && !Array.isArray(params))
    addObject(hash, params, budget, 0, without);
  else addValue(hash, params, budget, 0);
  return hash.digest('hex').slice(0, 32);
}

interface Budget {
  values: number;
}

const NONE: ReadonlySet<string> = new Set();

function addValue(hash: Hash, value: unknown, budget: Budget, depth: number): void {
  if (typeof value === 'string') addString(hash, value);
  else if (typeof value !== 'object' || value === null) hash.update(`${typeof value}:${String(value)};`);
  else if (budget.values <= 0 || depth >= MAX_DEPTH) hash.update('…;');
  else if (Array.isArray(value)) {
    hash.update(`[${value.length}:`);
    for (const item of value) {
      if (budget.values-- <= 0) break;
      addValue(hash, item, budget, depth + 1);
    }
    hash.update(']');
  } else addObject(hash, value, budget, depth, NONE);
}

function addObject(
  hash: Hash,
  value: object,
  budget: Budget,
  depth: number,
  without: ReadonlySet<string>,
): void {
  const keys = Object.keys(value).filter((key) => !without.has(key));
  // Sorting more than are looked at would cost more than parsing them did; whoever sends again keeps their order.
  if (keys.length <= MAX_VALUES) keys.sort();
  hash.update(`{${keys.length}:`);
  for (const key of keys) {
    if (budget.values-- <= 0) break;
    addString(hash, key);
    addValue(hash, (value as Record<string, unknown>)[key], budget, depth + 1);
  }
  hash.update('}');
}

function addString(hash: Hash, text: string): void {
  hash.update(`"${text.length}:`);
  if (text.length <= MAX_STRING + STRING_TAIL) hash.update(text);
  else hash.update(text.slice(0, MAX_STRING)).update(text.slice(-STRING_TAIL));
}
