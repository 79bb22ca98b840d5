/** Statistics of measured values, and tables. */

export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length / 2;
  return (sorted[Math.ceil(half) - 1] + sorted[Math.floor(half)]) / 2;
}

/** The p50 and p99 of times in nanoseconds, in microseconds. */
export function percentiles(nanoseconds) {
  const sorted = Float64Array.from(nanoseconds).sort();
  const at = (q) => sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] / 1000;
  return sorted.length === 0 ? {} : { p50: at(0.5), p99: at(0.99) };
}

/** Jain's index of fairness: 1 when all counts are equal, 1/n when one process has every entry. */
export function jain(counts) {
  const sum = counts.reduce((a, b) => a + b, 0);
  const squares = counts.reduce((a, b) => a + b * b, 0);
  return squares === 0 ? 0 : (sum * sum) / (counts.length * squares);
}

/** The median of each field of several results; an empty object without results. */
export function medians(results) {
  const fields = Object.keys(results[0] ?? {});
  return Object.fromEntries(fields.map((f) => [f, median(results.map((result) => result[f]))]));
}

export function write(value) {
  if (value === undefined || Number.isNaN(value)) return '';
  if (value >= 1000) return Math.round(value).toLocaleString('en-US');
  return value >= 100 ? value.toFixed(0) : Number(value.toPrecision(3)).toString();
}

export function table(head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(head), `|${head.map(() => '---|').join('')}`, ...rows.map(line)].join('\n');
}
