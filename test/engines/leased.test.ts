/** The engine `leased` in a simulated world: thousands of seeded runs with faults, and a judge. */
import { describe, expect, test } from 'vitest';
import { leased } from '../../src/engines/leased.ts';
import { LockModel } from '../support/leased-model.ts';
import { runScenario } from '../support/leased-scenario.ts';

const SEEDS = Number(process.env['SEEDS'] ?? 2000);
const FIRST = Number(process.env['SEED'] ?? 1);
const parts = { leased, LockModel };

describe('leased, under seeded faults', () => {
  test(`in ${SEEDS} runs nothing is violated, and all come together again`, () => {
    const bad: string[] = [];
    let entries = 0;
    for (let seed = FIRST; seed < FIRST + SEEDS && bad.length < 5; seed++) {
      const { violations, disagreement, world } = runScenario(seed, parts);
      entries += world.entries;
      if (violations.length > 0) bad.push(`seed ${seed}: ${violations[0]}`);
      else if (disagreement !== null) bad.push(`seed ${seed}: ${disagreement}`);
      if (SEEDS === 1) for (const line of world.log) console.log(line);
    }
    expect(bad).toEqual([]);
    expect(entries).toBeGreaterThan(SEEDS);
  });
});
