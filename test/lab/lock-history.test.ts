/** The history of a lock in the live view: figures for each second, where there are more steps than the page keeps. */
import { expect, test } from 'vitest';
import { entriesOf, LockHistory, MOST_SECONDS } from '../../lab/live/lock-history.ts';
import type { LiveStep, LiveSteps } from '../../src/daemon/live-protocol.ts';

const step = (event: LiveStep['event'], at: number): LiveStep => ({
  ...{ at, site: 0, event, phase: 2, enters: event === 'request', tokens: 0, state: {} },
  ...{ sends: [], grants: [] },
});
const told = (member: string, entries: number, more: Partial<LiveSteps> = {}): LiveSteps => ({
  ...{ member, epoch: 1, left: { entries: 0 } },
  steps: Array.from({ length: entries }, () => step('request', 0)),
  ...more,
});
const pending = (name: string, forMs: number, permits = 0) => ({
  ...{ name, permits, mode: 'exclusive' as const, member: 'a', clientId: 'x', forMs },
});

test('entries count for their member and second', () => {
  const history = new LockHistory({ name: 'x', permits: 0 });
  history.hearSteps(told('a', 3), 10_100);
  history.hearSteps(told('b', 2, { left: { entries: 4 } }), 10_900);
  history.hearSteps(told('a', 1), 12_000);
  expect(history.seconds.map(({ number, entries }) => [number, ...entries])).toEqual([
    [10, ['a', 3], ['b', 6]],
    [11],
    [12, ['a', 1]],
  ]);
});

test('requests that a member counted beyond the limit belong to the second in which it reached the limit', () => {
  const history = new LockHistory({ name: 'x', permits: 0 });
  history.hearSteps(told('a', 5, { pausedAt: 10_040 }), 10_090);
  const resumed = { left: { entries: 900 }, steps: [step('start', 11_010)] };
  history.hearSteps(told('a', 0, resumed), 11_060);
  history.hearSteps(told('a', 0, { left: { entries: 2 } }), 11_200);
  expect(history.seconds.map(entriesOf)).toEqual([905, 2]);
  expect(history.seconds.map(({ counted }) => [...counted])).toEqual([['a'], []]);
});

test('a limit that is reached again right after a second began belongs to the new second', () => {
  const history = new LockHistory({ name: 'x', permits: 0 });
  history.hearSteps(told('a', 5, { pausedAt: 10_040 }), 10_090);
  const both = { left: { entries: 900 }, steps: [step('start', 11_010)], pausedAt: 11_030 };
  history.hearSteps(told('a', 0, both), 11_060);
  const resumed = { left: { entries: 700 }, steps: [step('start', 12_010)] };
  history.hearSteps(told('a', 0, resumed), 12_060);
  expect(history.seconds.map(entriesOf)).toEqual([905, 700, 0]);
});

test('a second has the longest wait for this lock, and says where the page was not connected', () => {
  const history = new LockHistory({ name: 'x', permits: 0 });
  const all = [
    pending('other', 9_000),
    pending('x', 8_000, 3),
    pending('x', 700),
    pending('x', 40),
  ];
  history.hearStatus({ pending: all }, 10_000);
  history.hearStatus({ pending: [] }, 10_500);
  history.hearStatus({ pending: [] }, 13_500);
  // Surveys come a little more than a second apart: one speaks for a second that has none.
  history.hearStatus({ pending: [pending('x', 90)] }, 15_100);
  expect(
    history.seconds.map(({ waiting, longestMs, isSurveyed }) => [waiting, longestMs, isSurveyed]),
  ).toEqual([
    [2, 700, true],
    [0, 0, false],
    [0, 0, false],
    [0, 0, true],
    [1, 90, true],
    [1, 90, true],
  ]);
});

test('ten minutes are kept, however much happens and however long the page was asleep', () => {
  const history = new LockHistory({ name: 'x', permits: 0 });
  for (let second = 0; second < MOST_SECONDS + 50; second++) {
    for (let i = 0; i < 20; i++) history.hearSteps(told('a', 100), 1000 * second + 50 * i);
  }
  expect(history.seconds).toHaveLength(600);
  expect([history.seconds[0]!.number, entriesOf(history.seconds[0]!)]).toEqual([50, 2_000]);
  history.hearSteps(told('a', 1), 1e9);
  expect([history.seconds.length, history.seconds.at(-1)!.number]).toEqual([600, 1_000_000]);
  // A clock that is set back makes no second of the past.
  history.hearSteps(told('a', 1), 1_000);
  expect(entriesOf(history.seconds.at(-1)!)).toBe(2);
});
