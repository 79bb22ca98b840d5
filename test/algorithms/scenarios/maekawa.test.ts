import { describe, expect, test } from 'vitest';
import { maekawa, rules } from '../../../src/algorithms/maekawa.ts';
import { original } from '../../../src/algorithms/printed/maekawa.ts';
import { arbitration } from '../../../src/algorithms/shared/arbiter.ts';
import { check } from '../../../src/check/check.ts';
import { simulate } from '../../../src/sim/simulate.ts';
import { makeWorld } from '../../../src/topologies/world.ts';

const plane = makeWorld(maekawa, { nodes: 7, topology: 'fpp' });
/** The first so many sites ask at once; a message takes one unit of time. */
const atOnce = (entries: number) => ({ workload: 'once', delay: 'constant:1', entries }) as const;

describe('on the plane of seven points, where K is 3', () => {
  // "The total number of messages exchanged in a mutual exclusion invocation is C * SQRT(N), where C is
  // a constant between 3 and 5" (survey, section 5); without those to oneself, 3(K−1) for one alone.
  test('one alone costs 3(K−1) = 6', () => {
    const { messages, byType } = simulate(maekawa, plane, atOnce(1));
    expect(messages).toBe(6);
    expect(byType).toEqual({ REQUEST: 2, GRANT: 2, RELEASE: 2 });
  });
  test('0 and 1 at once cost 12: they meet in arbiter 1, which has heard of 1 first', () => {
    const { messages, entries } = simulate(maekawa, plane, atOnce(2));
    expect({ messages, entries }).toEqual({ messages: 12, entries: 2 });
  });
  test('all seven at once cost 50', () => {
    const { messages, byType, violations } = simulate(maekawa, plane, atOnce(7));
    expect(violations).toEqual([]);
    expect(messages).toBe(50);
    expect(byType).toEqual({ REQUEST: 14, GRANT: 14, RELEASE: 14, FAILED: 8 });
  });
  test('all seven at once cost 42 if sites yield without being told that they failed', () => {
    const { on } = arbitration({ ...rules, fails: () => 'nobody' });
    const yielding: typeof maekawa = { ...maekawa, on };
    const { messages, byType, violations } = simulate(yielding, plane, atOnce(7));
    expect(violations).toEqual([]);
    expect(messages).toBe(42);
    expect(byType).toEqual({ REQUEST: 14, GRANT: 14, RELEASE: 14 });
  });
});

describe('the deadlock of the original', () => {
  test('is also on the plane, where one of the first schedules at random shows it', () => {
    const settings = { entries: 1, links: 'fifo', random: { schedules: 500, seed: 1 } } as const;
    const { violation, schedules } = check(original.algorithm, plane, settings);
    expect(violation?.property).toBe('deadlock-freedom');
    expect(schedules).toBe(76);
    expect(check(maekawa, plane, settings).violation).toBeNull();
  });
});

describe('links that do not keep order', () => {
  // The paper asks for links that do. Without them an INQUIRE may come before the GRANT it is about.
  const { INQUIRE } = maekawa.on;
  const forgetful: typeof maekawa = {
    ...maekawa,
    on: {
      ...maekawa.on,
      INQUIRE(my, site, from, message) {
        if (my.votes.find(({ of }) => of === from)?.answer !== 'granted') return;
        INQUIRE(my, site, from, message);
      },
    },
  };
  const world = makeWorld(maekawa, { nodes: 3, topology: 'all' });
  test('an INQUIRE that is forgotten when it comes too early leads to a deadlock', () => {
    const report = check(forgetful, world, { entries: 1, links: 'any' });
    expect(report.violation?.property).toBe('deadlock-freedom');
  });
  test('with links that keep order it need not be remembered', () => {
    expect(check(forgetful, world, { entries: 1, links: 'fifo' }).verdict).toBe('proved');
  });
  test('remembered, it does no harm in any order', () => {
    expect(check(maekawa, world, { entries: 1, links: 'any' }).verdict).toBe('proved');
  });
});

describe('failures', () => {
  const world = makeWorld(maekawa, { nodes: 3, topology: 'majority' });
  test('messages may arrive twice: the tags tell', () => {
    expect(check(maekawa, world, { entries: 1, duplications: 2 }).verdict).toBe('proved');
  });
  test('a lost message is not survived', () => {
    const report = check(maekawa, world, { entries: 1, losses: 1 });
    expect(report.violation?.property).toBe('deadlock-freedom');
  });
  test('nor is the crash of an arbiter', () => {
    const report = check(maekawa, world, { entries: 1, crashes: 1 });
    expect(report.violation?.property).toBe('deadlock-freedom');
  });
});
