/**
 * Locks, measured beside others and beside what is possible, in one run on one machine.
 *
 * node bench/locks.js [--rounds 3] [--slices 12] [--only NAME]...   prints; NAME is part of a contestant's
 * name, and ours is always among them
 */
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { contestant as asyncMutex } from './contestants/async-mutex.js';
import { contestant as etcd } from './contestants/etcd.js';
import { contestant as latchkey } from './contestants/latchkey.js';
import { contestant as latchkeyByTcp } from './contestants/latchkey-tcp.js';
import { contestant as naimiTrehel } from './contestants/naimi-trehel.js';
import { contestant as navigatorLocks } from './contestants/navigator-locks.js';
import { contestant as postgres } from './contestants/postgres.js';
import { contestant as redisBlocking } from './contestants/redis-blocking.js';
import { contestant as redisByUnix } from './contestants/redis-blocking-unix.js';
import { contestant as redlock } from './contestants/redlock.js';
import { contestant as zookeeper } from './contestants/zookeeper.js';
import { ring } from './limits/ring.js';
import { contended, open, uncontended } from './locks/measure.js';
import { idleBytes } from './locks/memory.js';
import { medians, write } from './locks/numbers.js';
import { locksPage } from './locks/page.js';
import { scratch } from './locks/server.js';

/** Ours is first; in this order they are measured and shown. */
const CONTESTANTS = [
  latchkey,
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
// Until what is run seldom is compiled, too: a service runs for longer.
const WARM_UP = { seconds: 0.5, warmUp: 8 };
const SLICE = { seconds: 1, warmUp: 0.3 };

async function alone(contestant, place, round) {
  const team = await open(contestant, place);
  try {
    return await uncontended(team, round, ALONE);
  } finally {
    await team.dismiss();
  }
}

/**
 * All contenders one after the other, a second each, again and again, and the ring with them: how fast the
 * machine is changes from minute to minute, and so it changes for all. Ratios are those within a turn.
 */
async function contest(contenders, places, reference, slices, progress) {
  const teams = [];
  const results = new Map(contenders.map((contestant) => [contestant, []]));
  try {
    for (const contestant of contenders) {
      const team = await open(contestant, places.get(contestant));
      teams.push({ contestant, team });
      await contended(team, 'contended', WARM_UP);
      progress(`  contended: ${contestant.name} is warm`);
    }
    for (let slice = 1; slice <= slices; slice++) {
      const { perSecond: hops } = await reference.hops(1);
      let ours;
      for (const { contestant, team } of teams) {
        const { p50, p99, ...rest } = await contended(team, 'contended', SLICE);
        ours ??= rest.changes;
        const ratios = { ofRing: rest.changes / hops, ours: ours / rest.changes };
        results.get(contestant).push({ ...rest, handOver50: p50, handOver99: p99, ...ratios });
        progress(`  turn ${slice} of ${slices}: ${contestant.name}: ${inShort(rest, ratios)}`);
      }
    }
  } finally {
    for (const { team } of teams) await team.dismiss();
  }
  return results;
}

/**
 * Every contestant in every round; of each figure the median counts. Whoever cannot take part is named,
 * with the reason.
 */
export async function locksBench({ rounds = 3, slices = 12, only = [], progress = () => {} } = {}) {
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
      ...medians(contests.get(contestant) ?? []),
    })),
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

function inShort({ changes, jain }, { ofRing }) {
  const share = `${ofRing.toFixed(2)} of the ring`;
  return `${write(changes)} hand-overs/s, ${share}, Jain ${jain.toFixed(3)}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '3' },
      slices: { type: 'string', default: '12' },
      only: { type: 'string', multiple: true },
    },
  });
  const settings = { ...values, rounds: Number(values.rounds), slices: Number(values.slices) };
  const results = await locksBench({ ...settings, progress: (text) => console.error(text) });
  console.log(locksPage(results));
}
