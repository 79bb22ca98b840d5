/** The measurements of one contestant. */
import { now } from './clock.js';
import { jain, percentiles } from './numbers.js';
import { gather } from './team.js';

const WORKER = new URL('./worker.js', import.meta.url);
export const AT_ONCE = 64;

/** Starts the processes of a contestant and connects them. */
export async function open(contestant, place, size = contestant.processes) {
  const { file, execPath = process.execPath } = contestant;
  const team = await gather(WORKER, [file], size, { execPath, execArgv: ['--expose-gc'] });
  await team.all('open', place);
  return team;
}

/** One process of the team locks; the others are idle. */
export async function uncontended(team, round, { seconds, warmUp }) {
  const { perSecond, p50, p99 } = await team.ask(0, 'alone', {
    name: `alone/${round}`,
    seconds,
    warmUp,
  });
  const how = { seconds, warmUp: seconds / 2, atOnce: AT_ONCE };
  const atOnce = await team.ask(0, 'atOnce', { name: `at once/${round}`, ...how });
  const anew = await team.ask(0, 'anew', how);
  return { perSecond, p50, p99, atOnce, anew };
}

/** All processes request the same lock and do nothing inside. */
export async function contended(team, name, { seconds, warmUp, ...how }) {
  const from = now() + warmUp * 1e9;
  const until = from + seconds * 1e9;
  const entries = await team.all('contend', { name, from, until, ...how });
  return { ...handOvers(entries, seconds), jain: jain(entries.map(({ length }) => length)) };
}

/** Computes hand-overs from the times at which each process entered. */
function handOvers(entries, seconds) {
  const all = entries.flatMap((times, index) => Array.from(times, (at) => ({ at, index })));
  all.sort((a, b) => a.at - b.at);
  const between = [];
  for (let i = 1; i < all.length; i++) {
    if (all[i].index !== all[i - 1].index) between.push(all[i].at - all[i - 1].at);
  }
  return {
    entries: all.length / seconds,
    changes: between.length / seconds,
    ...percentiles(between),
  };
}
