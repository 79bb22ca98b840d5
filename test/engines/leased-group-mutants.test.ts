/**
 * One check of the deployed group wrong, and the simulated group on `leased` must find it. `leased-mutants.test.ts` has
 * the mutants of the engine itself.
 */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Change, copiesWithSupport } from '../support/mutated-source.ts';

interface Mutant {
  readonly name: string;
  readonly changes: readonly Change[];
  /** What the judge says. */
  readonly finds: RegExp;
}

const atStep: Change = {
  file: 'src/group/node.ts',
  line: 'if (this.viewStart !== null && this.lease.hasEnded(this)) this.engine.deadlinePassed();',
  becomes: '',
};
const atGrant: Change = {
  file: 'src/group/node.ts',
  line: 'return !this.lease.hasEnded(this);',
  becomes: 'return true;',
};
const atCallback: Change = {
  file: 'src/member/driver.ts',
  line: "if (node.lease.hasEnded(node)) this.step({ type: 'clock' });",
  becomes: '',
};

const mutants: readonly Mutant[] = [
  {
    name: 'no deadline check at a step and at the start of a callback',
    changes: [atStep, atCallback],
    finds: /a lock is granted only before the deadline of its member/,
  },
  {
    name: 'no deadline check at a step and at a grant',
    changes: [atStep, atGrant],
    finds: /enters 0 . while . \(visit \d+\) is inside/,
  },
  {
    name: 'no deadline check at the start of a callback',
    changes: [atCallback],
    finds: /the callback of . \(visit \d+\) starts after its right has ended/,
  },
  {
    name: 'no epoch check on received messages',
    changes: [
      {
        file: 'src/group/node.ts',
        line: 'return this.viewStart !== null && epoch === this.epoch;',
        becomes: 'return this.viewStart !== null;',
      },
    ],
    finds: /is inside|ended: |wait for ever/,
  },
];

/** So many runs at most until a mutant is found. */
const MOST_RUNS = 1000;
const copyOf = copiesWithSupport('leased-group');

describe('the simulated group finds', () => {
  test.each(mutants.map((mutant) => [mutant.name, mutant] as const))('%s', async (name, mutant) => {
    const { changes, finds } = mutant;
    const { runGroup, faultsOf }: typeof import('../support/leased-group-scenario.ts') =
      await import(join(copyOf(changes), 'test/support/leased-group-scenario.ts'));
    const look = (seed: number): string[] => {
      try {
        return faultsOf(runGroup(seed));
      } catch (error) {
        // An assertion of the code under test ends the run.
        return [(error as Error).message];
      }
    };
    let found: string | undefined;
    let seed = 0;
    while (found === undefined && seed < MOST_RUNS) {
      found = look(++seed).find((fault) => finds.test(fault));
    }
    expect(found ?? 'nothing', `after ${seed} runs`).toMatch(finds);
    // For people: SHOW_SEEDS=1 prints which seed finds which mutant.
    if (process.env['SHOW_SEEDS']) console.log(`${name}: seed ${seed}: ${found}`);
  });
});
