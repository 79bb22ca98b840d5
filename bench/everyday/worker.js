/** One process of the everyday load: `worker.js CONTESTANT INDEX`. */
import { now, sleep } from '../locks/clock.js';
import { serveOrders } from '../locks/team.js';
import { contestants } from './contestants.js';
import { namesFrom } from './names.js';

const [kind, index] = process.argv.slice(2);
let client;

serveOrders({
  async open(place) {
    client = await contestants[kind].open(place, Number(index));
  },

  /**
   * Requests names at random, so many at once, until the time is over. Returns how long each request took from
   * asking to the release, in nanoseconds, and what all of them cost.
   */
  async load({ names, distribution, holdMs, atOnce, from, until, round }) {
    const draw = namesFrom(distribution, names, Number(index) + 1000 * round);
    const hold = holdMs > 0 ? () => sleep(holdMs) : () => {};
    const times = [];
    let before;
    const begin = () => {
      before = { cpu: process.cpuUsage(), messages: client.messages?.() };
    };
    setTimeout(begin, Math.max(0, (from - now()) / 1e6));
    const loop = async () => {
      for (let asked = now(); asked < until; ) {
        await client.request(draw(), hold);
        const done = now();
        if (asked >= from && done < until) times.push(done - asked);
        asked = done;
      }
    };
    await Promise.all(Array.from({ length: atOnce }, loop));
    const { user, system } = process.cpuUsage(before.cpu);
    return {
      times: Float64Array.from(times),
      cpuUs: user + system,
      messages: before.messages === undefined ? undefined : client.messages() - before.messages,
    };
  },
});
