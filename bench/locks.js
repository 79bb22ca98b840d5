/**
 * Measures our locks beside other lock services, and beside the limits of the machine, in one run.
 *
 *     node bench/locks.js [--rounds 3] [--slices 2] [--only NAME]...
 *
 * Prints the results. In each round all processes are new, and ours has so many turns (slices) with each of the
 * others. NAME is part of a contestant's name; ours is always measured. With LATCHKEY_BEFORE, the `dist` folder of
 * another build, that build takes part.
 */
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { contestant as asyncMutex } from './contestants/async-mutex.js';
import { contestant as etcd } from './contestants/etcd.js';
import { contestant as latchkey } from './contestants/latchkey.js';
import { contestant as latchkeyBefore } from './contestants/latchkey-before.js';
import { contestant as latchkeyOnPostgres } from './contestants/latchkey-postgres.js';
import { contestant as latchkeyByTcp } from './contestants/latchkey-tcp.js';
import { contestant as naimiTrehel } from './contestants/naimi-trehel.js';
import { contestant as navigatorLocks } from './contestants/navigator-locks.js';
import { contestant as postgres } from './contestants/postgres.js';
import { contestant as redisBlocking } from './contestants/redis-blocking.js';
import { contestant as redisByUnix } from './contestants/redis-blocking-unix.js';
import { contestant as redlock } from './contestants/redlock.js';
import { contestant as zookeeper } from './contestants/zookeeper.js';
import { ring } from './limits/ring.js';
import { Contest } from './locks/contest.js';
import { open, uncontended } from './locks/measure.js';
import { idleBytes } from './locks/memory.js';
import { medians, write } from './locks/numbers.js';
import { locksPage } from './locks/page.js';
import { scratch } from './locks/server.js';

/** The order of measurements and tables. Ours comes first. */
const CONTESTANTS = [
  latchkey,
  ...(process.env.LATCHKEY_BEFORE ? [latchkeyBefore] : []),
  latchkeyOnPostgres,
  latchkeyByTcp,
  naimiTrehel,
  redlock,
  redisBlocking,
  redisByUnix,
  postgres,
  zookeeper,
  etcd,
  navigatorLocks,
  asyncMutex,
];
const ALONE = { seconds: 1, warmUp: 1 };

async function alone(contestant, place, round) {
  const team = await open(contestant, place);
  try {
    return await uncontended(team, round, ALONE);
  } finally {
    await team.stop();
  }
}

/**
 * Measures every contestant in every round; each figure is a median. A contestant that cannot take
 * part is named, with the reason.
 */
export async function locksBench({ rounds = 3, slices = 2, only = [], progress = () => {} } = {}) {
  const isNamed = ({ name }) =>
    only.some((part) => name.toLowerCase().includes(part.toLowerCase()));
  const wanted = CONTESTANTS.filter((c) => c === latchkey || only.length === 0 || isNamed(c));
  const present = wanted.filter((contestant) => contestant.available() === true);
  const absent = wanted.filter((contestant) => !present.includes(contestant));
  const results = new Map(present.map((contestant) => [contestant, []]));
  const contest = new Contest(
    present.filter(({ processes }) => processes > 1),
    progress,
  );
  const limits = { ring: [], unixRing: [], pingPong: [] };

  progress('  the servers start …');
  const places = new Map();
  const reference = await ring(5);
  const byUnix = await ring(5, scratch());
  const pair = await ring(2);
  try {
    for (const contestant of present) places.set(contestant, await contestant.start());
    await reference.hops(1, 2);
    await byUnix.hops(1, 2);
    for (let round = 1; round <= rounds; round++) {
      limits.pingPong.push(await pair.hops(1, 1));
      limits.ring.push(await reference.hops(1));
      limits.unixRing.push(await byUnix.hops(1));
      for (const contestant of present) {
        const result = await alone(contestant, places.get(contestant), round);
        results.get(contestant).push(result);
        const rate = write(result.perSecond);
        progress(`  round ${round} of ${rounds}: ${contestant.name}: alone ${rate}/s`);
      }
      await contest.round(places, reference, slices);
    }
  } finally {
    await reference.stop();
    await byUnix.stop();
    await pair.stop();
    for (const contestant of places.keys()) await contestant.stop();
  }
  progress('  what an idle lock costs …');
  return {
    rows: present.map((contestant) => ({
      ...contestant,
      ...medians(results.get(contestant)),
      ...contest.of(contestant),
    })),
    ring: contest.ofRing(),
    absent: absent.map((contestant) => ({ name: contestant.name, why: contestant.available() })),
    limits: {
      ring: medians(limits.ring),
      unixRing: medians(limits.unixRing),
      pingPong: medians(limits.pingPong),
    },
    idle: await idleBytes(),
    rounds,
    slices,
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '3' },
      slices: { type: 'string', default: '2' },
      only: { type: 'string', multiple: true },
    },
  });
  const settings = { ...values, rounds: Number(values.rounds), slices: Number(values.slices) };
  const results = await locksBench({ ...settings, progress: (text) => console.error(text) });
  console.log(locksPage(results));
}
