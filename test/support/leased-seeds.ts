/** Seeded runs of the simulated world of `leased`, as tests. Two files share them, so that two cores do. */
import { describe, expect, test } from 'vitest';
import { leased } from '../../src/engines/leased.ts';
import { LockModel } from './leased-model.ts';
import { runScenario } from './leased-scenario.ts';

const SEEDS = Number(process.env['SEEDS'] ?? 5000);
const FIRST = Number(process.env['SEED'] ?? 1);
const HALF = Math.ceil(SEEDS / 2);
/** One test runs so many: a busy machine takes its time. */
export const CHUNK = 250;
const TIMEOUT_MS = 600_000;
export const parts = { leased, LockModel };

/** What went wrong with these seeds; SEEDS=1 SEED=n prints the whole run of one. */
function runSeeds(first: number, count: number): { bad: string[]; entries: number } {
  const bad: string[] = [];
  let entries = 0;
  for (let seed = first; seed < first + count && bad.length < 5; seed++) {
    const { violations, disagreement, world } = runScenario(seed, parts);
    entries += world.entries;
    const [what = disagreement] = violations;
    if (what !== null) bad.push(`seed ${seed}: ${what}`);
    if (SEEDS === 1) console.log(world.log.join('\n'));
  }
  return { bad, entries };
}

/** The first or the second half of the seeds. */
export function seededRuns(half: 0 | 1): void {
  const from = FIRST + half * HALF;
  const end = half === 0 ? FIRST + HALF : FIRST + SEEDS;
  describe('under seeded faults, no process acts that is left out, and all come together again', () => {
    for (let first = from; first < end; first += CHUNK) {
      const count = Math.min(CHUNK, end - first);
      test(`seeds ${first} to ${first + count - 1}`, { timeout: TIMEOUT_MS }, () => {
        const { bad, entries } = runSeeds(first, count);
        expect(bad).toEqual([]);
        expect(entries).toBeGreaterThan(count);
      });
    }
  });
}
