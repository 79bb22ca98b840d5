import { describe, expect, test } from 'vitest';
import { rangarajanSetiaTripathi as rst } from '../../../src/algorithms/rangarajan-setia-tripathi.ts';
import { check } from '../../../src/check/check.ts';
import type { Groups } from '../../../src/core/topology.ts';
import { simulate } from '../../../src/sim/simulate.ts';
import { makeWorld } from '../../../src/topologies/world.ts';
import { forGood, subsets, withDead, withFalseSuspicion } from '../../support/detectors.ts';

const world = (nodes: number, topology: string, ...options: string[]) =>
  makeWorld(rst, { nodes, topology, options });
const script = (...lines: string[]) => ({ workload: 'script', script: lines.join('\n') }) as const;
const faults = (...list: object[]) => JSON.stringify(list);

describe('what an entry costs', () => {
  // The quorum is "(G+1)/2 · √(N/G)" in size, "where G is the subgroup size" (relative consensus
  // voting, section 1, its formula put in order): about, as √ stands for the size of the coterie.
  test.each([
    ['fpp:3', 21, 3 * 2],
    ['fpp:1', 7, 3 * 1],
    ['fpp:5', 35, 3 * 3],
    ['grid:3', 12, 3 * 2],
  ])(
    '%s, %i sites: a majority in each of three groups, %i sites, ourselves among them',
    (topology, nodes, size) => {
      for (let i = 0; i < nodes; i += 4) {
        const { messages } = simulate(rst, world(nodes, topology), script(`0 request ${i}`));
        expect(messages).toBe(3 * (size - 1));
      }
    },
  );
  test('groups of one on the plane are Maekawa’s quorums: all seven at once cost 42', () => {
    const settings = { workload: 'once', delay: 'constant:1' } as const;
    expect(simulate(rst, world(7, 'fpp:1'), settings).messages).toBe(42);
  });
  test('one group is a majority of all: all five at once cost 30', () => {
    const settings = { workload: 'once', delay: 'constant:1' } as const;
    expect(simulate(rst, world(5, 'grid:5'), settings).messages).toBe(30);
  });
});

describe('crashes of sites that do not want in', () => {
  test('all that leave a majority of each group in some quorum of groups, and no others', () => {
    const nine = world(9, 'majority:3');
    const { groups, groupQuorum } = nine.topology as Groups;
    let survived = 0;
    for (const down of subsets(9).filter((set) => !set.includes(0))) {
      const isUp = groups.map((group) => group.filter((j) => !down.includes(j)).length >= 2);
      const expected = groupQuorum.some((quorum) => quorum.every((g) => isUp[g])) ? 1 : 0;
      const { entries, violations } = simulate(rst, nine, {
        ...script('100 request 0'),
        faults: faults(...down.map((crash) => ({ at: 0, crash }))),
      });
      expect({ down, entries }).toEqual({ down, entries: expected });
      if (entries === 0) expect(violations[0]!.property).toBe('deadlock-freedom');
      survived += entries;
    }
    expect(survived).toBe(160); // of 256
  });
  // On the plane of seven, 6 is on the lines that 4, 5 and 6 prefer.
  test('with groups of one nothing can be lost of a line, but another line will do', () => {
    for (const site of [0, 1, 2, 3, 4, 5]) {
      const { entries, messages } = simulate(rst, world(7, 'fpp:1'), {
        ...script(`100 request ${site}`),
        faults: faults({ at: 0, crash: 6 }),
      });
      // Theirs lack the site itself, which then asks three others instead of two.
      expect([site, entries, messages]).toEqual([site, 1, site >= 4 ? 9 : 6]);
    }
  });
  test('one of three is dead, the others learn of it at any moment: proved', () => {
    const report = check(withDead(rst, [0]), world(3, 'grid:3'), { entries: [0, 2, 2] });
    expect(report.verdict).toBe('proved');
  });
});

describe('crashes of sites that wait or are inside', () => {
  const whileInside = script('0 request 0 stay 100', '20 request 4');
  const nine = world(9, 'grid:3');
  test('a site that comes back gives back what it had: any crash of one of three, at any moment', () => {
    const report = check(rst, world(3, 'grid:3'), { entries: [1, 1, 0], crashes: 1 });
    expect(report.violation).toBeNull();
    expect([report.verdict, report.states]).toEqual(['proved', 63_310]);
  });
  test('two crashes of nine, at random', () => {
    const settings = { entries: 1, crashes: 2, random: { schedules: 100, seed: 5 } };
    expect(check(rst, nine, settings).violation).toBeNull();
  });
  test('a site that does not come back keeps its votes for ever', () => {
    const crash = faults({ at: 50, crash: 0 });
    const { violations } = simulate(rst, nine, { ...whileInside, faults: crash });
    expect(violations[0]!.property).toBe('deadlock-freedom');
  });
  test('in a run: the next site goes in when the site that was inside is back', () => {
    const comesBack = faults({ at: 50, crash: 0 }, { at: 500, restart: 0 });
    const result = simulate(rst, nine, { ...whileInside, faults: comesBack });
    expect([result.entries, result.violations]).toEqual([2, []]);
    expect(result.time).toBeGreaterThan(500);
  });
  test('with fail-stop it loses them, so that the others go on', () => {
    const crash = faults({ at: 50, crash: 0 });
    const failStop = world(9, 'grid:3', 'fail-stop');
    const result = simulate(rst, failStop, { ...whileInside, faults: crash });
    expect([result.entries, result.violations]).toEqual([2, []]);
    const one = { entries: 1, crashes: 1, random: { schedules: 100, seed: 5 } };
    expect(check(forGood(rst), failStop, one).violation).toBeNull();
    // Two of one group are a group: which the grid of three groups cannot spare, but a majority can.
    const two = { ...one, crashes: 2 };
    const lost = check(forGood(rst), failStop, two);
    expect(lost.violation?.property).toBe('deadlock-freedom');
    const spare = world(9, 'majority:3', 'fail-stop');
    expect(check(forGood(rst), spare, two).violation).toBeNull();
  });
});

describe('a failure detector that is wrong', () => {
  test('is survived: 0 is suspected at any moment, and trusted again', () => {
    const suspicious = withFalseSuspicion(rst, [0]);
    const report = check(suspicious, world(3, 'grid:3'), { entries: 1 });
    expect(report.violation).toBeNull();
    expect(report.verdict).toBe('proved');
  });
  test('is survived at random, whichever site is suspected', () => {
    const suspicious = withFalseSuspicion(rst, [0, 1, 2, 3]);
    const settings = { entries: 1, random: { schedules: 50, seed: 5 } };
    expect(check(suspicious, world(9, 'grid:3'), settings).violation).toBeNull();
  });
  test('is not survived with fail-stop, which believes it', () => {
    const suspicious = { ...withFalseSuspicion(rst, [0]), invariants: {} };
    const report = check(suspicious, world(3, 'grid:3', 'fail-stop'), { entries: 1 });
    expect(report.violation?.property).toBe('mutual-exclusion');
  });
});

test('an arbiter that forgets its vote in a crash lets two in', () => {
  const forgetful: typeof rst = { ...rst, invariants: {}, stable: ['highest'] };
  const report = check(forgetful, world(3, 'grid:3'), { entries: [1, 1, 0], crashes: 1 });
  expect(report.violation?.property).toBe('mutual-exclusion');
});
