/**
 * Measures our locks beside other lock services, and beside the limits of the machine, in one run.
 *
 *     node bench/locks.js [--rounds 3] [--slices 5] [--only NAME]...
 *
 * Prints the results. NAME is part of a contestant's name; ours is always measured. With LATCHKEY_BEFORE, the
 * `dist` folder of another build, that build takes part.
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
import { canKeepAwake, keepAwake } from './locks/awake.js';
import { contended, open, uncontended } from './locks/measure.js';
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
// Long enough for rarely used code to be compiled: a service runs for longer.
const WARM_UP = { seconds: 0.5, warmUp: 8 };
// A process that was idle for a while has returned memory to the system, and page faults slow its
// first entries.
const AGAIN = { seconds: 0.5, warmUp: 3 };
const SLICE = { seconds: 1, warmUp: 0.3 };

async function alone(contestant, place, round) {
  const team = await open(contestant, place);
  try {
    return await uncontended(team, round, ALONE);
  } finally {
    await team.stop();
  }
}

/**
 * Pairs our lock with each of the others: a second of the ring, of ours and of the other, repeated.
 * The speed of the machine changes from minute to minute, but hardly within such a turn, and ratios
 * are formed only within a turn. Everything is measured twice, on the machine as it is and with its
 * CPUs kept awake (awake.js).
 */
async function contest(contenders, places, reference, slices, progress) {
  const teams = new Map();
  const [ours, ...others] = contenders;
  const awake = canKeepAwake();
  if (awake !== true) progress(`  contended: to keep the CPUs awake ${awake}: left out`);
  const conditions = awake === true ? ['quiet', 'awake'] : ['quiet'];
  const noneYet = () => Object.fromEntries(conditions.map((condition) => [condition, []]));
  const ring = noneYet();
  const results = new Map(contenders.map((contestant) => [contestant, noneYet()]));
  const run = (contestant, how) => contended(teams.get(contestant), 'contended', how);

  async function turn(condition, other) {
    const hops = await reference.hops(1);
    ring[condition].push({ changes: hops.perSecond, handOver50: hops.p50, handOver99: hops.p99 });
    const both = [];
    for (const contestant of [ours, other]) {
      const { p50, p99, ...rest } = await run(contestant, SLICE);
      const ofRing = rest.changes / hops.perSecond;
      both.push({ ...rest, handOver50: p50, handOver99: p99, ofRing });
    }
    const times = both[0].changes / both[1].changes;
    results.get(ours)[condition].push({ ...both[0], ours: 1 });
    results.get(other)[condition].push({ ...both[1], ours: times });
    const [mine, theirs] = both.map(inShort);
    progress(`  ${condition}: ${mine}; ${other.name}: ${theirs}; ${times.toFixed(2)} times`);
  }

  let stopLoops = () => {};
  try {
    for (const contestant of contenders) {
      teams.set(contestant, await open(contestant, places.get(contestant)));
      await run(contestant, WARM_UP);
      progress(`  contended: ${contestant.name} is warm`);
    }
    for (const other of others) {
      for (const condition of conditions) {
        if (condition === 'awake') stopLoops = keepAwake();
        for (const contestant of [ours, other]) await run(contestant, AGAIN);
        for (let slice = 1; slice <= slices; slice++) await turn(condition, other);
        stopLoops();
      }
    }
  } finally {
    stopLoops();
    for (const team of teams.values()) await team.stop();
  }
  const mediansOf = (measured) =>
    Object.fromEntries(conditions.map((condition) => [condition, medians(measured[condition])]));
  return {
    ring: mediansOf(ring),
    of: (contestant) => (results.has(contestant) ? mediansOf(results.get(contestant)) : {}),
  };
}

/**
 * Measures every contestant in every round; each figure is a median. A contestant that cannot take
 * part is named, with the reason.
 */
export async function locksBench({ rounds = 3, slices = 5, only = [], progress = () => {} } = {}) {
  const isNamed = ({ name }) =>
    only.some((part) => name.toLowerCase().includes(part.toLowerCase()));
  const wanted = CONTESTANTS.filter((c) => c === latchkey || only.length === 0 || isNamed(c));
  const present = wanted.filter((contestant) => contestant.available() === true);
  const absent = wanted.filter((contestant) => !present.includes(contestant));
  const results = new Map(present.map((contestant) => [contestant, []]));
  const contenders = present.filter(({ processes }) => processes > 1);
  let contests;
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
    }
    contests = await contest(contenders, places, reference, slices, progress);
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
      ...contests.of(contestant),
    })),
    ring: contests.ring,
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

function inShort({ changes, ofRing, jain }) {
  return `${write(changes)} hand-overs/s, ${ofRing.toFixed(2)} of the ring, Jain ${jain.toFixed(3)}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '3' },
      slices: { type: 'string', default: '5' },
      only: { type: 'string', multiple: true },
    },
  });
  const settings = { ...values, rounds: Number(values.rounds), slices: Number(values.slices) };
  const results = await locksBench({ ...settings, progress: (text) => console.error(text) });
  console.log(locksPage(results));
}
