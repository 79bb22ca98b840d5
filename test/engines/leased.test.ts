/** The engine `leased` in a simulated world: thousands of seeded runs with faults, and a judge. */
import { describe, expect, test } from 'vitest';
import { leased } from '../../src/engines/leased.ts';
import { LockModel } from '../support/leased-model.ts';
import { runScenario } from '../support/leased-scenario.ts';

const SEEDS = Number(process.env['SEEDS'] ?? 2000);
const FIRST = Number(process.env['SEED'] ?? 1);
/** One test runs so many: a busy machine takes its time. */
const CHUNK = 250;
const TIMEOUT_MS = 600_000;
const parts = { leased, LockModel };

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

describe('under seeded faults, no process acts that is left out, and all come together again', () => {
  for (let first = FIRST; first < FIRST + SEEDS; first += CHUNK) {
    const count = Math.min(CHUNK, FIRST + SEEDS - first);
    test(`seeds ${first} to ${first + count - 1}`, { timeout: TIMEOUT_MS }, () => {
      const { bad, entries } = runSeeds(first, count);
      expect(bad).toEqual([]);
      expect(entries).toBeGreaterThan(count);
    });
  }
});

test('no process acts that is left out, though messages from before a pause arrive after it', () => {
  for (let seed = 1; seed <= CHUNK; seed++) {
    const { violations } = runScenario(seed, { ...parts, linksStay: true });
    expect(violations, `seed ${seed}`).toEqual([]);
  }
});
