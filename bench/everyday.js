/**
 * The everyday load: very many names, each wanted rarely, by whichever process gets the request. Ours and a plain
 * lock in Redis take turns; ratios are formed within a turn. A bare mesh of sockets shows the limit of the machine.
 *
 *     node bench/everyday.js [--turns 5] [--seconds 2] [--only TEXT]...
 *
 * TEXT is part of a row's name, as "20 members" or "clients".
 */
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { contestants } from './everyday/contestants.js';
import { everydayPage } from './everyday/page.js';
import { now } from './locks/clock.js';
import { medians, percentiles } from './locks/numbers.js';
import { gather } from './locks/team.js';

const WORKER = new URL('./everyday/worker.js', import.meta.url);
/** Requests under way in all processes together. */
const IN_FLIGHT = 80;
const MANY = 100_000;
/** Of each slice. */
const WARM_UP_S = 0.5;
/**
 * Of each team, for each of its processes: with twenty processes on two cores, each runs its code rarely, and most of a
 * short run would measure the compiler. A service runs for longer.
 */
const COMPILE_S = 1;

const uniform = { names: MANY, distribution: 'uniform', holdMs: 0 };

/** What is measured. `atLeast`: the ratio to Redis that we want; `hasLimit`: a bare mesh takes part. */
export const ROWS = [
  ...[
    [3, undefined],
    [5, 1.5],
    [10, 1],
    [20, 0.8],
  ].map(([processes, atLeast]) => ({
    name: `${processes} members`,
    ours: 'members',
    processes,
    atLeast,
    hasLimit: true,
    ...uniform,
  })),
  ...[6, 18].map((processes) => ({
    name: `${processes} clients of 3 daemons`,
    ours: 'clients',
    processes,
    atLeast: 0.8,
    ...uniform,
  })),
  {
    name: '5 members, Zipf 1',
    ours: 'members',
    processes: 5,
    names: MANY,
    distribution: 'zipf',
    holdMs: 0,
  },
  {
    name: '5 members, 16 names, 1 ms inside',
    ours: 'members',
    processes: 5,
    names: 16,
    distribution: 'uniform',
    holdMs: 1,
  },
];

async function teamOf(kind, processes) {
  const contestant = contestants[kind];
  const place = await contestant.start(processes);
  const team = await gather(WORKER, [kind], processes);
  try {
    await team.all('open', place);
  } catch (error) {
    await team.stop();
    await contestant.stop();
    throw error;
  }
  return {
    all: team.all,
    stop: async () => {
      await team.stop();
      await contestant.stop();
    },
  };
}

/** What a team does in so many seconds. */
async function slice(team, row, seconds, round) {
  const { names, distribution, holdMs, processes } = row;
  const from = now() + WARM_UP_S * 1e9;
  const until = from + seconds * 1e9;
  const atOnce = Math.max(1, Math.round(IN_FLIGHT / processes));
  const parts = await team.all('load', {
    names,
    distribution,
    holdMs,
    atOnce,
    from,
    until,
    round,
  });
  const times = parts.flatMap((part) => Array.from(part.times));
  const { p50, p99 } = percentiles(times);
  const sum = (of) => parts.reduce((total, part) => total + of(part), 0);
  const messages = sum((part) => part.messages ?? Number.NaN) / times.length;
  return {
    perSecond: times.length / seconds,
    p50: p50 / 1000,
    p99: p99 / 1000,
    cpuUs: sum((part) => part.cpuUs) / times.length,
    messages,
  };
}

async function measure(row, { turns, seconds, progress }) {
  const results = { ours: [], redis: [], ratios: [] };
  const teams = [];
  try {
    for (const kind of [row.ours, 'redis']) teams.push(await teamOf(kind, row.processes));
    for (const team of teams) await slice(team, row, COMPILE_S * row.processes, 0);
    for (let turn = 1; turn <= turns; turn++) {
      const [ours, redis] = teams;
      const mine = await slice(ours, row, seconds, turn);
      const theirs = await slice(redis, row, seconds, turn);
      results.ours.push(mine);
      results.redis.push(theirs);
      results.ratios.push({
        times: mine.perSecond / theirs.perSecond,
        p99: mine.p99 / theirs.p99,
        cpu: mine.cpuUs / theirs.cpuUs,
      });
      const [a, b] = [mine, theirs].map(({ perSecond }) => Math.round(perSecond));
      progress(`  ${row.name}: ${a} ops/s, Redis ${b}, ${(a / b).toFixed(2)} times`);
    }
  } finally {
    for (const team of teams) await team.stop();
  }
  const [mine, theirs, ratios] = [results.ours, results.redis, results.ratios].map(medians);
  const mesh = row.hasLimit ? await limitOf(row, { turns, seconds }) : undefined;
  return { ...row, mine, theirs, ratios, mesh };
}

/** Of a bare mesh, once the others have ended: with a third team, each would be idle for longer between its turns. */
async function limitOf(row, { turns, seconds }) {
  const mesh = await teamOf('mesh', row.processes);
  try {
    const slices = [];
    for (let turn = 0; turn <= turns; turn++) slices.push(await slice(mesh, row, seconds, turn));
    return medians(slices.slice(1));
  } finally {
    await mesh.stop();
  }
}

export async function everydayBench({
  turns = 5,
  seconds = 2,
  only = [],
  progress = () => {},
} = {}) {
  const isThere = contestants.redis.available();
  if (isThere !== true) return { rows: [], absent: isThere, turns };
  const rows = [];
  for (const row of ROWS) {
    if (only.length > 0 && !only.some((text) => row.name.includes(text))) continue;
    rows.push(await measure(row, { turns, seconds, progress }));
  }
  return { rows, turns };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      turns: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '2' },
      only: { type: 'string', multiple: true },
    },
  });
  const settings = { ...values, turns: Number(values.turns), seconds: Number(values.seconds) };
  const results = await everydayBench({ ...settings, progress: (text) => console.error(text) });
  console.log(everydayPage(results));
}
