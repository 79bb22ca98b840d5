/** Latchkey whose views Postgres decides: what the leases cost that make it survive crashes. */
import { freePorts } from '../locks/server.js';
import { isThere, startPostgres } from './postgres.js';

const DIST = new URL('../../dist/', import.meta.url);
const MEMBERS = 5;
let server;

export const contestant = {
  file: import.meta.url,
  name: 'Latchkey on Postgres',
  note:
    'the five processes are the group, and Postgres decides who is in it: a process that dies delays its locks for the ' +
    'length of a lease. No lock asks Postgres',
  processes: MEMBERS,
  available: isThere,
  async start() {
    server = await startPostgres();
    const ports = await freePorts(MEMBERS);
    const url = `postgres://bench@127.0.0.1:${server.port}/postgres`;
    return { url, listens: ports.map((own) => `127.0.0.1:${own}`) };
  },
  async open({ url, listens }, i) {
    const { join } = await import(new URL('member/join.js', DIST));
    const { postgres } = await import(new URL('engines/postgres.js', DIST));
    const group = await join({ self: `m${i}`, listen: listens[i], engine: postgres(url) });
    while (group.memberStatus().view?.members.length !== MEMBERS) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return {
      request: (lock, callback, permits) =>
        permits > 0
          ? group.semaphore(lock, permits).request(callback)
          : group.locks.request(lock, callback),
      stats: () => group.backend.stats,
    };
  },
  stop: () => server.stop(),
};
