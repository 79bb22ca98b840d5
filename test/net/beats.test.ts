import { expect, test } from 'vitest';
import { Beats } from '../../src/net/beats.ts';
import type { Clock } from '../../src/net/clock.ts';

const HEARTBEAT_MS = 1000;

/** Beats on a clock that tests move. `untilDueMs` is what the links say at each beat. */
function make() {
  let now = 0;
  let timers: { readonly due: number; readonly callback: () => void }[] = [];
  const clock: Clock = {
    now: () => now,
    later(ms, callback) {
      const timer = { due: now + ms, callback };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    soon: (callback) => callback(),
    afterReading: (callback) => callback(),
  };
  const links = { untilDueMs: 0 };
  const beaten: { at: number; hasPaused: boolean }[] = [];
  const beats = new Beats(clock, HEARTBEAT_MS, (at, hasPaused) => {
    beaten.push({ at, hasPaused });
    return links.untilDueMs;
  });
  /** Time passes; the process sleeps at first, if it does. */
  const pass = (ms: number, asleepMs = 0) => {
    const end = now + ms;
    now += asleepMs;
    for (;;) {
      const next = timers.reduce<(typeof timers)[number] | undefined>(
        (first, timer) => (first === undefined || timer.due < first.due ? timer : first),
        undefined,
      );
      if (next === undefined || next.due > end) break;
      timers = timers.filter((timer) => timer !== next);
      now = Math.max(now, next.due);
      next.callback();
    }
    now = end;
  };
  return { beats, links, beaten, pass, timers: () => timers.length };
}

test('links that are not idle have a beat every second', () => {
  const { beats, beaten, pass } = make();
  beats.start();
  pass(5000);
  expect(beaten.map(({ at }) => at)).toEqual([1000, 2000, 3000, 4000, 5000]);
});

test('while all links are idle, the process wakes when the first of them is due', () => {
  const { beats, links, beaten, pass } = make();
  beats.start();
  links.untilDueMs = 10_000;
  pass(31_000);
  expect(beaten.map(({ at }) => at)).toEqual([1000, 11_000, 21_000, 31_000]);
  expect(beaten.some(({ hasPaused }) => hasPaused)).toBe(false);
});

test('a message makes the beats come every second again, and is not taken for a pause', () => {
  const { beats, links, beaten, pass } = make();
  beats.start();
  links.untilDueMs = 10_000;
  pass(8000);
  links.untilDueMs = 0;
  beats.wake();
  pass(2000);
  expect(beaten).toEqual([
    { at: 1000, hasPaused: false },
    { at: 9000, hasPaused: false },
    { at: 10_000, hasPaused: false },
  ]);
});

test('a pause of the process is noticed at the next beat', () => {
  const { beats, beaten, pass } = make();
  beats.start();
  pass(1000);
  pass(5000, 4500);
  expect(beaten.map(({ hasPaused }) => hasPaused)).toEqual([false, true]);
  pass(1000);
  expect(beaten.at(-1)!.hasPaused).toBe(false);
});

test('after the end no message starts the timer again', () => {
  const { beats, links, pass, timers } = make();
  beats.start();
  links.untilDueMs = 10_000;
  pass(1000);
  beats.stop();
  beats.wake();
  expect(timers()).toBe(0);
});
