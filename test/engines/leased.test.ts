/** The engine `leased` in a simulated world: thousands of seeded runs with faults, and a judge. */
import { expect, test } from 'vitest';
import { runScenario } from '../support/leased-scenario.ts';
import { CHUNK, parts, seededRuns } from '../support/leased-seeds.ts';

seededRuns(0);

test('no process acts that is left out, though messages from before a pause arrive after it', () => {
  for (let seed = 1; seed <= CHUNK; seed++) {
    const { violations } = runScenario(seed, { ...parts, linksStay: true });
    expect(violations, `seed ${seed}`).toEqual([]);
  }
});
