import { isWithin } from './judge.ts';
import { ledger } from './ledger.ts';
import type { Row, Verdict } from './row.ts';

/**
 * What was confirmed before and no longer is, one sentence each: of the rows that were to be measured,
 * the rows whose verdict fell, and the rows that are gone.
 */
export function regressions(
  rows: readonly Row[],
  wasMeasured: (id: string) => boolean = () => true,
  before: { readonly [id: string]: Verdict } = ledger,
): string[] {
  const now = new Map(rows.map((row) => [row.id, row]));
  return Object.entries(before)
    .filter(([id, verdict]) => verdict === 'confirmed' && wasMeasured(id))
    .flatMap(([id]) => {
      const row = now.get(id);
      if (row === undefined) return [`${id} was confirmed, and is no longer measured`];
      if (row.verdict === 'confirmed') return [];
      return [
        `${id} was confirmed, and is ${row.verdict}: expected ${row.expected}, measured ${row.measured}`,
      ];
    });
}

/**
 * Verdicts that the numbers behind them deny, one sentence each: a row is confirmed only if all that was
 * measured is allowed, with the whole confidence interval, and it is never refuted if all of it is.
 */
export function contradictions(rows: readonly Row[]): string[] {
  return rows.flatMap(({ id, verdict, interval, measured, tolerance }) => {
    if (interval === null) return [];
    const within = isWithin(interval);
    if (verdict === 'confirmed' && !within) {
      return [`${id} is confirmed, but its interval is not: measured ${measured} (${tolerance})`];
    }
    // Both bounds may have to be met, and not only kept.
    if (verdict === 'refuted' && within && !tolerance.includes('met')) {
      return [`${id} is refuted, but its interval is not: measured ${measured} (${tolerance})`];
    }
    return [];
  });
}
