import { describe, expect, test } from 'vitest';
import { agrawalElAbbadi } from '../../../src/algorithms/agrawal-el-abbadi.ts';
import { check } from '../../../src/check/check.ts';
import { simulate } from '../../../src/sim/simulate.ts';
import { treeQuorum } from '../../../src/topologies/tree-quorum.ts';
import { makeWorld } from '../../../src/topologies/world.ts';
import { forGood, subsets, withDead, withFalseSuspicion } from '../../support/detectors.ts';

const world = (nodes: number, ...options: string[]) =>
  makeWorld(agrawalElAbbadi, { nodes, options });
const script = (...lines: string[]) => ({ workload: 'script', script: lines.join('\n') }) as const;
const faults = (...list: object[]) => JSON.stringify(list);
/** Site 3 asks when it is known that these are down. */
const aloneWithout = (...down: number[]) =>
  simulate(agrawalElAbbadi, world(7), {
    ...script('100 request 3'),
    faults: faults(...down.map((crash) => ({ at: 0, crash }))),
  });

describe('what an entry costs, of seven sites', () => {
  // "All nodes in the binary tree that form a path from the root to a leaf define a tree quorum."
  test('each site that asks alone asks a path: three sites, 6 messages', () => {
    for (let i = 0; i < 7; i++) {
      const { messages } = simulate(agrawalElAbbadi, world(7), script(`0 request ${i}`));
      expect(messages).toBe(6);
    }
  });
  test('all at once: 42, as no site is told that it failed', () => {
    const settings = { workload: 'once', delay: 'constant:1' } as const;
    const { messages, byType } = simulate(agrawalElAbbadi, world(7), settings);
    expect(messages).toBe(42);
    expect(byType).toEqual({ REQUEST: 14, GRANT: 14, RELEASE: 14 });
  });
  // "If some node on the path fails, it is replaced by two paths starting from the children of the
  // failed node and terminating with the leaves."
  test('without the root: two paths, four sites, 9 messages', () => {
    expect(aloneWithout(0).messages).toBe(9);
  });
  test('without an inner site: the root and two leaves, 6 messages', () => {
    expect(aloneWithout(1).messages).toBe(6);
  });
  // "it requires (N+1)/2 messages when some failures occur": that is the largest quorum, not its cost.
  test('at worst a quorum has (N+1)/2 sites, the leaves: 9 messages', () => {
    expect(treeQuorum(7, 3, (i) => i >= 3)).toEqual([3, 4, 5, 6]);
    expect(aloneWithout(0, 1, 2).messages).toBe(9);
  });
});

// "The algorithm … can be generalized to arbitrary trees."
describe('other trees', () => {
  const on = (topology: string, nodes: number) => makeWorld(agrawalElAbbadi, { nodes, topology });
  test('a star: the root and a leaf, 3 messages; without the root all leaves, 9 of four', () => {
    const alone = (list = '[]') =>
      simulate(agrawalElAbbadi, on('star', 5), { ...script('100 request 3'), faults: list });
    expect(alone().messages).toBe(3);
    expect(alone(faults({ at: 0, crash: 0 })).messages).toBe(9);
  });
  test('a line has one path: every site is asked', () => {
    expect(simulate(agrawalElAbbadi, on('line', 5), script('0 request 3')).messages).toBe(12);
  });
  test.each([
    ['line', 3, [1, 1, 1]],
    ['star', 3, [2, 2, 2]],
    ['star', 4, [1, 1, 1, 1]],
    ['radiating:3', 5, [1, 0, 1, 1, 0]],
  ])('%s of %i sites that ask %j times: proved', (topology, nodes, entries) => {
    expect(check(agrawalElAbbadi, on(topology, nodes), { entries }).verdict).toBe('proved');
  });
  test('a star of three, one site crashes at any moment and is back: proved', () => {
    const report = check(agrawalElAbbadi, on('star', 3), { entries: [0, 1, 1], crashes: 1 });
    expect(report.verdict).toBe('proved');
  });
});

describe('crashes of sites that do not want in', () => {
  // "If a leaf node on a path has failed, then a quorum cannot be formed." Not on this path.
  test('all that leave a tree quorum of seven are survived, and no others', () => {
    let survived = 0;
    for (const down of subsets(7).filter((set) => !set.includes(3))) {
      const isUp = (i: number) => !down.includes(i);
      const expected = treeQuorum(7, 3, isUp) === undefined ? 0 : 1;
      const { entries, violations } = aloneWithout(...down);
      expect({ down, entries }).toEqual({ down, entries: expected });
      if (entries === 0) expect(violations[0]!.property).toBe('deadlock-freedom');
      survived += entries;
    }
    expect(survived).toBe(40); // of 64
  });
  // "The algorithm may not be able to form a tree quorum in some cases after the failure of log N
  // nodes": three of seven.
  test('any two of seven may be down, but not any three: the path of a leaf is fatal', () => {
    for (const down of subsets(7).filter((set) => set.length <= 2)) {
      expect(treeQuorum(7, 3, (i) => !down.includes(i))).toBeDefined();
    }
    expect(treeQuorum(7, 3, (i) => ![0, 2, 5].includes(i))).toBeUndefined();
  });
  test('the root crashes while it is asked: the request goes on with its children', () => {
    const { byType, violations } = simulate(agrawalElAbbadi, world(7), {
      ...script('0 request 3'),
      faults: faults({ at: 3, crash: 0 }),
    });
    expect(violations).toEqual([]);
    // 0 and 1 were asked, then 2 and 5; all are told at the end, 0 as soon as it is not needed.
    expect(byType).toEqual({ REQUEST: 4, GRANT: 3, RELEASE: 4 });
  });
  test.each([
    [0, [0, 2, 2]],
    [1, [2, 0, 2]],
  ])('of three, %i is dead, the others learn of it at any moment: proved', (dead, entries) => {
    const report = check(withDead(agrawalElAbbadi, [dead]), world(3), { entries });
    expect(report.verdict).toBe('proved');
  });
  test('of three, both leaves are dead: the root waits', () => {
    const report = check(withDead(agrawalElAbbadi, [1, 2]), world(3), { entries: [1, 0, 0] });
    expect(report.violation?.property).toBe('deadlock-freedom');
  });
});

describe('crashes of sites that wait or are inside', () => {
  const whileInside = script('0 request 3 stay 100', '20 request 4');
  test('a site that comes back gives back what it had: any crash of one of three, at any moment', () => {
    const report = check(agrawalElAbbadi, world(3), { entries: [1, 1, 0], crashes: 1 });
    expect(report.violation).toBeNull();
    expect([report.verdict, report.states]).toEqual(['proved', 57_791]);
  });
  test('two crashes of seven, at random', () => {
    const settings = { entries: 1, crashes: 2, random: { schedules: 200, seed: 5 } };
    expect(check(agrawalElAbbadi, world(7), settings).violation).toBeNull();
  });
  test('a site that does not come back keeps its votes for ever', () => {
    const report = check(forGood(agrawalElAbbadi), world(3), { entries: 1, crashes: 1 });
    expect(report.violation?.property).toBe('deadlock-freedom');
    const crash = faults({ at: 50, crash: 3 });
    const { violations } = simulate(agrawalElAbbadi, world(7), { ...whileInside, faults: crash });
    expect(violations[0]!.property).toBe('deadlock-freedom');
  });
  test('in a run: the next site goes in when the site that was inside is back', () => {
    const comesBack = faults({ at: 50, crash: 3 }, { at: 500, restart: 3 });
    const settings = { ...whileInside, faults: comesBack };
    const { entries, violations, time } = simulate(agrawalElAbbadi, world(7), settings);
    expect([entries, violations]).toEqual([2, []]);
    expect(time).toBeGreaterThan(500);
  });
  test('with fail-stop it loses them: any failures that leave a tree quorum', () => {
    const crash = faults({ at: 50, crash: 3 });
    const settings = { ...whileInside, faults: crash };
    const { entries, violations } = simulate(agrawalElAbbadi, world(7, 'fail-stop'), settings);
    expect([entries, violations]).toEqual([2, []]);
    const dying = forGood(agrawalElAbbadi);
    const report = check(dying, world(3, 'fail-stop'), { entries: 1, crashes: 1 });
    expect([report.verdict, report.states]).toEqual(['proved', 4_749]);
    const two = { entries: 1, crashes: 2, random: { schedules: 500, seed: 5 } };
    expect(check(dying, world(7, 'fail-stop'), two).violation).toBeNull();
  });
});

describe('a failure detector that is wrong', () => {
  // "all tree quorums intersect": whatever each of their users took to be down.
  test('cannot make two quorums that do not meet', () => {
    const quorums = subsets(7).flatMap((down) =>
      [3, 4, 5, 6].flatMap((me) => [treeQuorum(7, me, (i) => !down.includes(i)) ?? []]),
    );
    const distinct = new Set(quorums.filter((q) => q.length > 0).map((q) => q.join()));
    const sets = [...distinct].map((text) => text.split(','));
    for (const a of sets) for (const b of sets) expect(a.some((i) => b.includes(i))).toBe(true);
    expect(sets.length).toBe(15);
  });
  test.each([
    [0, [1, 1, 0]],
    [0, [0, 1, 1]],
    [1, [1, 1, 1]],
  ])(
    'is survived: %i is suspected at any moment, and trusted again; entries %j',
    (site, entries) => {
      const report = check(withFalseSuspicion(agrawalElAbbadi, [site]), world(3), { entries });
      expect(report.violation).toBeNull();
      expect(report.verdict).toBe('proved');
    },
  );
  test('is not survived with fail-stop, which believes it', () => {
    const suspicious = { ...withFalseSuspicion(agrawalElAbbadi, [1]), invariants: {} };
    const report = check(suspicious, world(3, 'fail-stop'), { entries: 1 });
    expect(report.violation?.property).toBe('mutual-exclusion');
  });
});

test('an arbiter that forgets its vote in a crash lets two in', () => {
  const forgetful: typeof agrawalElAbbadi = {
    ...agrawalElAbbadi,
    invariants: {},
    stable: ['highest'],
  };
  const report = check(forgetful, world(3), { entries: [0, 1, 1], crashes: 1 });
  expect(report.violation?.property).toBe('mutual-exclusion');
});

test('messages may arrive twice', () => {
  expect(check(agrawalElAbbadi, world(3), { entries: 1, duplications: 2 }).verdict).toBe('proved');
});

test('a message that is lost is not survived', () => {
  const { violation } = check(agrawalElAbbadi, world(3), { entries: 1, losses: 1 });
  expect(violation?.property).toBe('deadlock-freedom');
});

test('a tree of more levels than a quorum can use is refused', () => {
  expect(() => makeWorld(agrawalElAbbadi, { nodes: 1001, topology: 'line' })).toThrow(
    'agrawal-el-abbadi takes trees of at most 1000 levels',
  );
});
