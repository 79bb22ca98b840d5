/** Rounds of one fault: several groups at once, each with a team of its own, since a round mostly waits. */
import { setTimeout as sleep } from 'node:timers/promises';
import { clock, Team } from '../../dist/soak/team.js';

/** A round that takes longer than so many leases, and this time, is stuck. */
const STUCK_LEASES = 4;
const STUCK_MS = 20_000;

let groups = 0;

/**
 * Runs `round(team, members, number)` so often, in so many groups of `size` members.
 *
 * @returns what the rounds returned, and everything that was wrong
 */
export async function inRounds({ store, leaseMs, network, program }, settings, round) {
  const { rounds, size = 3, parallel = 4, wholeNetwork = false, placeMore } = settings;
  const { withinMs = STUCK_LEASES * leaseMs + STUCK_MS } = settings;
  const results = [];
  const wrong = [];
  let next = 0;
  const runGroup = async () => {
    const group = `faults ${process.pid} ${++groups}`;
    const index = groups;
    const team = new Team({ engine: store.url, leaseMs, group, program });
    const place = (self) => ({
      ...(network && wholeNetwork ? network.place(self) : {}),
      ...placeMore?.(self),
    });
    const start = (self) => team.start(self, place(self));
    try {
      const names = Array.from({ length: size }, (_, i) => `${'abcdefghij'[i]}${index}`);
      await Promise.all(names.map(start));
      while (next < rounds) {
        const number = next++;
        if (!(await team.together(withinMs))) throw new Error('the members are not together');
        const members = names.map((name) => team.members.get(name));
        const result = await atMost(withinMs, `round ${number}`, () =>
          round({ team, members, number, start }),
        );
        results.push(result);
      }
    } catch (error) {
      wrong.push(error.message);
    } finally {
      wrong.push(...team.judge.violations, ...team.failures);
      await team.close();
    }
  };
  await Promise.all(Array.from({ length: Math.min(parallel, rounds) }, runGroup));
  return { results, wrong };
}

/** Rejects if it takes longer. */
export async function atMost(ms, what, run) {
  const ending = new AbortController();
  const late = sleep(ms, undefined, { signal: ending.signal }).then(
    () => {
      throw new Error(`${what}: nothing within ${ms} ms`);
    },
    () => {},
  );
  try {
    return await Promise.race([run(), late]);
  } finally {
    ending.abort();
  }
}

/** Resolves with the time when it is so; rejects after so long. */
export async function until(isSo, withinMs, what) {
  const end = clock() + withinMs;
  while (!(await isSo())) {
    if (clock() > end) throw new Error(`${what}: not within ${withinMs} ms`);
    await sleep(5);
  }
  return clock();
}

export const median = (values) => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted.length === 0 ? null : sorted[Math.floor(sorted.length / 2)];
};
export const most = (values) => (values.length === 0 ? null : Math.max(...values));
export const least = (values) => (values.length === 0 ? null : Math.min(...values));
export const seconds = (ms) => (ms === null ? '–' : `${(ms / 1000).toFixed(2)} s`);
export { clock, sleep };
