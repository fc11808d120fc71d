// @ts-check

/**
 * @param {readonly number[]} sorted - ascending, not empty
 * @param {number} share - 0 to 1
 */
function quantile(sorted, share) {
  const position = (sorted.length - 1) * share;
  const below = sorted[Math.floor(position)] ?? Number.NaN;
  const above = sorted[Math.ceil(position)] ?? Number.NaN;
  return below + (above - below) * (position - Math.floor(position));
}

/**
 * @typedef {object} Summary
 * @property {number} median
 * @property {number} q1 - lower quartile
 * @property {number} q3 - upper quartile
 * @property {number} low - lower end of the median's 95 % confidence interval
 * @property {number} high - upper end
 * @property {number} count
 */

/**
 * The median and how far it can be trusted. The interval comes from order statistics (the binomial distribution of how
 * many values lie below the true median, normally approximated), so it supposes nothing about how the noise is
 * distributed.
 *
 * @param {readonly number[]} values
 * @returns {Summary}
 */
export function summarise(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const count = sorted.length;
  const reach = (1.96 * Math.sqrt(count)) / 2;
  const lower = Math.max(0, Math.floor(count / 2 - reach));
  const upper = Math.min(count - 1, Math.ceil(count / 2 + reach));
  return {
    median: quantile(sorted, 0.5),
    q1: quantile(sorted, 0.25),
    q3: quantile(sorted, 0.75),
    low: sorted[lower] ?? Number.NaN,
    high: sorted[upper] ?? Number.NaN,
    count,
  };
}
