/**
 * One line of `leased` wrong, and the simulated world must find it. Each mutant is a change of the source, or of the
 * stand-in for the group where the line belongs to the group; if the line changes, so must the mutant.
 */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Parts } from '../support/leased-world.ts';
import { type Change, copiesWithSupport } from '../support/mutated-source.ts';

interface Mutant extends Change {
  readonly name: string;
  /** What the judge says. */
  readonly finds: RegExp;
}

const LEFT_OUT = /may act, and is not in/;
const TWO_INSIDE = /enters while . is inside/;

const mutants: readonly Mutant[] = [
  {
    name: 'no deadline check at entry',
    file: 'test/support/leased-model.ts',
    line: 'if (!this.#outside.mayAct()) return;',
    becomes: '',
    finds: TWO_INSIDE,
  },
  {
    name: 'the view is written without the fencing step',
    file: 'src/engines/leased-plan.ts',
    line: "return { is: readAt - at >= RIGHT * leaseMs ? 'stale' : 'live' };",
    becomes: "return readAt - at >= RIGHT * leaseMs ? fencedUntil(at + leaseMs) : { is: 'live' };",
    finds: LEFT_OUT,
  },
  {
    name: 'no epoch check on received messages',
    file: 'test/support/leased-model.ts',
    line: 'if (message.epoch !== this.view?.epoch) return;',
    becomes: 'if (this.view === null) return;',
    finds: TWO_INSIDE,
  },
  {
    name: 'the deadline counts from the answer instead of the request',
    file: 'src/engines/leased-own.ts',
    line: 'const deadline = attempt.at + RIGHT * settings.leaseMs - slept;',
    becomes: 'const deadline = monotonic + RIGHT * settings.leaseMs - slept;',
    finds: LEFT_OUT,
  },
  {
    name: 'an unknown outcome counts as renewed',
    file: 'src/engines/leased-own.ts',
    line: "if (outcome !== 'done') {",
    becomes: "if (outcome === 'unknown') confirm(us, call.nonce);\n  if (outcome !== 'done') {",
    finds: LEFT_OUT,
  },
  {
    name: 'the wait after a fence is as long as the right to act, as if all clocks ran alike',
    file: 'src/engines/leased-plan.ts',
    line: "if (record.state === 'fenced') return fencedUntil(at + leaseMs);",
    becomes: "if (record.state === 'fenced') return fencedUntil(at + RIGHT * leaseMs);",
    finds: LEFT_OUT,
  },
  {
    name: 'a store that rolled back its data is trusted',
    file: 'src/engines/leased-sight.ts',
    line: 'if (my.identity === identity) return;',
    becomes: 'if (my.identity !== null) return;',
    finds: /may act, and is not in|appears again|does not grow/,
  },
];

/** So many runs at most until a mutant is found. */
const MOST_RUNS = 1000;
const copyOf = copiesWithSupport('leased');

/** A copy of the sources that take part, with one change in it. */
async function mutate(mutant: Mutant) {
  const copy = copyOf([mutant]);
  const engine: Pick<Parts, 'leased'> = await import(join(copy, 'src/engines/leased.ts'));
  const model: Pick<Parts, 'LockModel'> = await import(join(copy, 'test/support/leased-model.ts'));
  const scenario: typeof import('../support/leased-scenario.ts') = await import(
    join(copy, 'test/support/leased-scenario.ts')
  );
  return { parts: { ...engine, ...model, linksStay: true }, runScenario: scenario.runScenario };
}

describe('the simulated world finds', () => {
  test.each(mutants.map((mutant) => [mutant.name, mutant] as const))('%s', async (_, mutant) => {
    const { parts, runScenario } = await mutate(mutant);
    let found = '';
    let seed = 0;
    while (found === '' && seed < MOST_RUNS) {
      const { violations } = runScenario(++seed, parts);
      found = violations.find((violation) => mutant.finds.test(violation)) ?? '';
    }
    expect(found, `after ${seed} runs`).toMatch(mutant.finds);
    // For people: SHOW_SEEDS=1 prints which seed finds which mutant.
    if (process.env['SHOW_SEEDS']) console.log(`${mutant.name}: seed ${seed}: ${found}`);
  });
});
