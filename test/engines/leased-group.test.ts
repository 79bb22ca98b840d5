/**
 * The engine `leased` under the group as it is deployed: real members, locks and callers in simulated time, over a store
 * in memory. `leased.test.ts` has more faults, bent clocks among them, and a small model in place of the locks.
 *
 * More of them: `SEEDS=20000 npx vitest run test/engines/leased-group.test.ts --testTimeout=0`
 */
import { describe, expect, test } from 'vitest';
import { engineSuite } from '../support/engine-suite.ts';
import { faultsOf, make, runGroup, store } from '../support/leased-group-scenario.ts';

const SEEDS = Number(process.env['SEEDS'] ?? 150);

engineSuite('leased', { make, store, recoverMs: 10_000 }, 60);

describe('locks of a group on a store', () => {
  test(`${SEEDS} seeds: no two holders at a time, fences that grow, and no caller is forgotten`, () => {
    let served = 0;
    let lost = 0;
    for (let seed = 1; seed <= SEEDS; seed++) {
      const story = runGroup(seed);
      served += story.judge.served;
      lost += story.judge.lost;
      expect(faultsOf(story), `seed ${seed}`).toEqual([]);
    }
    // Not vacuous: most callers are served, and some lose what they hold.
    expect(served / SEEDS).toBeGreaterThan(20);
    expect(lost).toBeGreaterThan(SEEDS / 4);
  });
});
