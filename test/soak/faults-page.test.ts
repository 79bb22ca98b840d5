/** docs/faults.md is made from docs/faults.json, by `node bench/faults.js`. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { faultsPage, readResults } from '../../bench/faults/page.js';

interface Row {
  readonly store: string;
  readonly id: string;
  readonly rounds: number;
  readonly good: number;
  readonly wrong: readonly string[];
}
const rows = readResults() as readonly Row[];

describe('docs/faults.md', () => {
  test('has every row of docs/faults.json', () => {
    expect(readFileSync('docs/faults.md', 'utf8')).toBe(faultsPage(rows));
    expect(rows.length).toBeGreaterThan(10);
  });

  test.each(rows.map((row) => [`${row.store}: ${row.id}`, row] as const))(
    '%s: in the last run nothing was wrong',
    (_, { rounds, good, wrong }) => {
      expect(wrong).toEqual([]);
      expect(good).toBe(rounds);
    },
  );
});
