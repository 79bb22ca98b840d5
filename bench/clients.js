/**
 * Thousands of clients of three daemons on one machine, mostly idle: the time to connect all, the memory that each
 * costs its daemon, and the latency of requests at a fixed rate. And one client that takes one lock again and again, with
 * lending and without.
 *
 *     node bench/clients.js [--clients 2000] [--rate 5000] [--seconds 10]
 */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { contestants } from './everyday/contestants.js';
import { now, sleep } from './locks/clock.js';
import { median, percentiles, table, write } from './locks/numbers.js';
import { gather } from './locks/team.js';

const WORKER = new URL('./clients/worker.js', import.meta.url);
/** Processes that the clients are in. Their own memory is not measured. */
const PROCESSES = 4;
const NAMES = 100_000;
/** How long the daemons are left alone before their memory is looked at. */
const REST_MS = 1_000;
/** Before it is measured, the load runs for so long: the code of seven processes is compiled on few cores. */
const WARM_UP_S = 6;

/** Resident memory of a process, in bytes. */
const residentOf = (pid) =>
  1024 * Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }));

async function daemonsAt(sockets) {
  const { connect } = await import('../dist/index.js');
  const pids = [];
  for (const socket of sockets) {
    const client = await connect({ socket });
    pids.push((await client.status()).pid);
    await client.close();
  }
  return { resident: () => pids.reduce((sum, pid) => sum + residentOf(pid), 0) };
}

/** The p99 of each second, in milliseconds, ascending. */
function bySecond(requests) {
  const seconds = [];
  for (const { at, took } of requests) {
    const second = Math.floor(at / 1e9);
    seconds[second] ??= [];
    seconds[second].push(took);
  }
  const p99s = seconds.map((times) => percentiles(times).p99 / 1000);
  return p99s.sort((a, b) => a - b);
}

/** How often one client takes a free lock of its own in a second, one request after the other. */
async function reacquireRates(socket, turns = 3, seconds = 1) {
  const { connect } = await import('../dist/index.js');
  const rates = { lent: [], asked: [] };
  for (let turn = 0; turn < turns; turn++) {
    for (const [rate, lend] of [
      [rates.lent, true],
      [rates.asked, false],
    ]) {
      const { locks, close } = await connect({ socket, lend });
      let entries = 0;
      const from = now();
      for (const until = from + seconds * 1e9; now() < until; entries++) {
        await locks.request('reacquired', () => {});
      }
      rate.push(entries / seconds);
      await close();
    }
  }
  return { lent: median(rates.lent), asked: median(rates.asked) };
}

export async function clientsBench({ clients = 2000, rate = 5000, seconds = 10 } = {}) {
  const place = await contestants.clients.start();
  const team = await gather(WORKER, [], PROCESSES);
  try {
    const daemons = await daemonsAt(place.sockets);
    // The code of the daemons is compiled before their memory is looked at.
    await team.all('connect', { ...place, count: 10 });
    await team.all('load', { rate: 500, names: NAMES, from: now(), until: now() + 2e9 });
    await sleep(REST_MS);
    const before = daemons.resident();
    const began = now();
    await team.all('connect', { ...place, count: clients / PROCESSES });
    const connectMs = (now() - began) / 1e6;
    await sleep(REST_MS);
    const bytesEach = (daemons.resident() - before) / clients;
    const loadFor = async (loadSeconds) => {
      const from = now() + 5e8;
      const until = from + loadSeconds * 1e9;
      const load = { rate: rate / PROCESSES, names: NAMES, from, until };
      const parts = await team.all('load', load);
      return parts.flatMap(({ due, took }) =>
        Array.from(due, (each, i) => ({ at: each - from, took: took[i] })),
      );
    };
    await loadFor(WARM_UP_S);
    const requests = await loadFor(seconds);
    const { p50, p99 } = percentiles(requests.map(({ took }) => took));
    return {
      clients,
      rate,
      connectMs,
      bytesEach,
      perSecond: requests.length / seconds,
      p50Ms: p50 / 1000,
      p99Ms: p99 / 1000,
      p99MsBySecond: bySecond(requests),
      reacquired: await reacquireRates(place.sockets[0]),
    };
  } finally {
    await team.stop();
    await contestants.clients.stop();
  }
}

export function clientsPage(result) {
  const { clients, rate, connectMs, bytesEach, perSecond, p50Ms, p99Ms, p99MsBySecond } = result;
  const { lent, asked } = result.reacquired;
  return `${write(clients)} clients of three daemons over Unix sockets, in ${PROCESSES} processes of the same machine. ${write(rate)} requests a
second in all, each of a random client for one of 100,000 names, at fixed times: the latency runs from the time at which a
request was due to its release. It is measured after ${WARM_UP_S} seconds of the same load. Memory is the growth of the daemons'
resident memory, which varies by some KiB a client from run to run.

${table(
  [
    'clients',
    'to connect all, ms',
    'memory of a client at its daemon, KiB',
    'requests a second',
    'p50 ms',
    'p99 ms',
    'p99 of a second ms: median, worst',
  ],
  [
    [
      ...[clients, connectMs, bytesEach / 1024, perSecond, p50Ms, p99Ms].map(write),
      `${write(median(p99MsBySecond))}, ${write(p99MsBySecond.at(-1))}`,
    ],
  ],
)}

One client that takes one free lock again and again, beside the idle ones: ${write(lent)} entries a second where the daemon lends the
lock, ${write(asked)} where the client asks each time (\`lend: false\`); medians of 3 turns.`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      clients: { type: 'string', default: '2000' },
      rate: { type: 'string', default: '5000' },
      seconds: { type: 'string', default: '10' },
    },
  });
  const settings = Object.fromEntries(Object.entries(values).map(([k, v]) => [k, Number(v)]));
  console.log(clientsPage(await clientsBench(settings)));
}
