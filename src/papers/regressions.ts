import { ledger } from './ledger.ts';
import type { PaperId, Row, Verdict } from './row.ts';

/**
 * What was confirmed before and no longer is, one sentence each: of the rows of these papers, those whose
 * verdict fell, and those that are gone.
 */
export function regressions(
  rows: readonly Row[],
  papers: readonly PaperId[],
  before: { readonly [id: string]: Verdict } = ledger,
): string[] {
  const now = new Map(rows.map((row) => [row.id, row]));
  return Object.entries(before)
    .filter(([id, verdict]) => verdict === 'confirmed' && papers.includes(paperOf(id)))
    .flatMap(([id]) => {
      const row = now.get(id);
      if (row === undefined) return [`${id} was confirmed, and is no longer measured`];
      if (row.verdict === 'confirmed') return [];
      return [
        `${id} was confirmed, and is ${row.verdict}: expected ${row.expected}, measured ${row.measured}`,
      ];
    });
}

const paperOf = (id: string): PaperId => id.slice(0, id.indexOf('/')) as PaperId;
