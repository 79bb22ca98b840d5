/** Latchkey itself: the processes are the group. */
import { freePorts } from '../locks/server.js';

const PROCESSES = 5;
const OURS = new URL('../../dist/', import.meta.url);
const idOf = (i) => String.fromCharCode('a'.charCodeAt(0) + i);

/** The addresses of the members, and the settings that they must agree on. */
export async function placeFor(size, rules = {}) {
  const ports = await freePorts(size);
  return { addresses: ports.map((port) => `127.0.0.1:${port}`), rules };
}

/** `dist`: the build to run, so that two versions can be compared in one run. */
export async function enter({ addresses, rules }, i, dist = OURS) {
  const { join } = await import(new URL('member/join.js', dist));
  const all = addresses.map((address, k) => [idOf(k), address]);
  const group = await join({
    self: idOf(i),
    listen: addresses[i],
    peers: Object.fromEntries(all.filter((_, k) => k !== i)),
    ...rules,
  });
  // This lock is granted once every member has joined.
  await group.locks.request('first', () => {});
  return group;
}

export const latchkey = (name, rules, dist = OURS) => ({
  file: import.meta.url,
  name,
  note:
    'no server: the five processes are the group. Nothing is on disk. While a process is down, locks ' +
    'that need it wait for it',
  processes: PROCESSES,
  available: () => true,
  start: () => placeFor(PROCESSES, rules),
  async open(place, i) {
    const group = await enter(place, i, dist);
    return {
      request: (lock, callback, permits) =>
        permits > 0
          ? group.semaphore(lock, permits).request(callback)
          : group.locks.request(lock, callback),
      stats: () => group.backend.stats,
    };
  },
  async stop() {},
});

export const contestant = latchkey('Latchkey', {});
