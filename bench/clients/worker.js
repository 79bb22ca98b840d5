/** One process with many clients: `worker.js INDEX`. */
import { connect } from '../../dist/index.js';
import { now, sleep } from '../locks/clock.js';
import { serveOrders } from '../locks/team.js';

const index = Number(process.argv[2]);
const clients = [];

serveOrders({
  /** Connects until there are so many clients, all at once. */
  async connect({ sockets, count }) {
    const missing = count - clients.length;
    const all = Array.from({ length: missing }, (_, i) =>
      connect({ socket: sockets[(index + i) % sockets.length] }),
    );
    clients.push(...(await Promise.all(all)));
  },

  /** Requests so many names a second at fixed times. Returns when each was due, and how long it took, in nanoseconds. */
  async load({ rate, names, from, until }) {
    const dues = [];
    const times = [];
    const pending = new Set();
    const apart = 1e9 / rate;
    const pick = (list) => list[Math.floor(Math.random() * list.length)];
    for (let due = from; due < until; ) {
      const waitMs = (due - now()) / 1e6;
      if (waitMs > 0) await sleep(waitMs);
      // A timer is late by a millisecond or more: what became due meanwhile is asked for now.
      for (const time = now(); due <= time && due < until; due += apart) {
        const asked = due;
        const { locks } = pick(clients);
        const request = locks
          .request(`user/${Math.floor(Math.random() * names)}`, () => {})
          .then(() => {
            dues.push(asked);
            times.push(now() - asked);
            pending.delete(request);
          });
        pending.add(request);
      }
    }
    await Promise.all(pending);
    return { due: Float64Array.from(dues), took: Float64Array.from(times) };
  },
});
