/**
 * One process that locks: `worker.js CONTESTANT INDEX`, where CONTESTANT is a file of
 * ../contestants.
 */
import { now } from './clock.js';
import { percentiles } from './numbers.js';
import { serveOrders } from './team.js';

const [file, index] = process.argv.slice(2);
const { contestant } = await import(file);
const nothing = () => {};
let client;
let names = 0;

/** Requests per second, with `atOnce` requests in parallel, after a warm-up. */
async function rate({ seconds, warmUp, atOnce }, request) {
  await repeat(warmUp, atOnce, request);
  return repeat(seconds, atOnce, request);
}

async function repeat(seconds, atOnce, request) {
  const begin = now();
  let count = 0;
  let isOver = false;
  const loop = async (k) => {
    while (!isOver) {
      await request(k);
      // Reading the clock for each request would cost as much as some locks do.
      if (++count % 16 === 0) isOver = now() - begin > seconds * 1e9;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, (_, k) => loop(k)));
  return count / ((now() - begin) / 1e9);
}

async function timed(seconds, request) {
  const times = [];
  for (let before = now(), until = before + seconds * 1e9; before < until; before = now()) {
    await request();
    times.push(now() - before);
  }
  return percentiles(times);
}

serveOrders({
  async open(place) {
    client = await contestant.open(place, Number(index));
  },

  /** One request after another: for the same lock, or for a new name each time. */
  async alone({ name, seconds, warmUp = seconds, permits = 0 }) {
    const nameOf = () => name ?? `new/${index}/${names++}`;
    const request = () => client.request(nameOf(), nothing, permits);
    const perSecond = await rate({ seconds, warmUp, atOnce: 1 }, request);
    return { perSecond, ...(await timed(seconds, request)) };
  },

  /** Different locks in parallel, each requested repeatedly. */
  atOnce: ({ name, ...how }) => rate(how, (k) => client.request(`${name}/${k}`, nothing)),

  /** Different locks in parallel, each requested once. */
  anew: (how) => rate(how, () => client.request(`new/${index}/${names++}`, nothing)),

  /** One lock or semaphore that all processes request: the times at which this process entered. */
  async contend({ name, from, until, loops = 1, permits = 0 }) {
    const entries = [];
    const enter = () => {
      const at = now();
      if (at >= from && at < until) entries.push(at);
    };
    const loop = async () => {
      while (now() < until) await client.request(name, enter, permits);
    };
    await Promise.all(Array.from({ length: loops }, loop));
    return Float64Array.from(entries);
  },

  /** Uses each of `count` locks once. */
  async touch(count) {
    for (let i = 0; i < count; i += 1000) {
      const some = Array.from({ length: 1000 }, (_, k) => client.request(`idle/${i + k}`, nothing));
      await Promise.all(some);
    }
  },

  /** Bytes of heap in use; needs --expose-gc. */
  heap() {
    for (let i = 0; i < 3; i++) globalThis.gc();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  },

  stats: () => client.stats(),
});
