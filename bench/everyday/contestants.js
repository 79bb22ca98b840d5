/** Contestants of the everyday load: members of a group, clients of daemons, a plain lock in Redis, and a bare mesh. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { enter, placeFor } from '../contestants/latchkey.js';
import {
  connect as connectToRedis,
  available as redisIsThere,
  startRedis,
} from '../contestants/redis.js';
import { mesh } from '../limits/mesh.js';
import { sleep } from '../locks/clock.js';
import { scratch, start } from '../locks/server.js';

const PROGRAM = fileURLToPath(new URL('../../bin/latchkey.js', import.meta.url));
const DAEMONS = 3;
const GROUP = 'bench';

/** Every process is a member. */
const members = {
  name: 'members',
  available: () => true,
  start: (processes) => placeFor(processes),
  async open(place, i) {
    const group = await enter(place, i);
    return {
      request: (name, callback) => group.locks.request(name, callback),
      messages: () => group.backend.stats.messages,
    };
  },
  stop: async () => {},
};

let daemons;

/** Every process is a client of one of three daemons on this machine. */
const clients = {
  name: 'clients of 3 daemons',
  available: () => true,
  async start() {
    const folder = scratch();
    const up = [process.execPath, PROGRAM, 'up', '--nodes', String(DAEMONS), '--group', GROUP];
    daemons = start(['env', `XDG_RUNTIME_DIR=${folder}`, ...up]);
    const sockets = [0, 1, 2].map((i) => join(folder, 'latchkey', GROUP, `${'abc'[i]}.sock`));
    const { connect } = await import('../../dist/index.js');
    for (const socket of sockets) {
      for (let tries = 1; ; tries++) {
        try {
          await (await connect({ socket })).close();
          break;
        } catch (error) {
          if (tries === 200) throw error;
          await sleep(50);
        }
      }
    }
    return { sockets };
  },
  async open({ sockets }, i) {
    const { connect } = await import('../../dist/index.js');
    const { locks } = await connect({ socket: sockets[i % DAEMONS] });
    return { request: (name, callback) => locks.request(name, callback) };
  },
  async stop() {
    daemons.child.kill('SIGTERM');
    await daemons.ended;
  },
};

const LIFE_MS = 10_000;
const RELEASE = `if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0`;
let server;

/** The lock that most teams write themselves: SET NX PX with a random value, a script that deletes it. */
const redis = {
  name: 'Redis, SET NX PX',
  available: redisIsThere,
  async start() {
    server = await startRedis();
    return { port: server.port };
  },
  async open(place) {
    const redis = await connectToRedis(place);
    redis.defineCommand('release', { numberOfKeys: 1, lua: RELEASE });
    return {
      async request(name, callback) {
        const value = randomUUID();
        while ((await redis.set(name, value, 'PX', LIFE_MS, 'NX')) === null) {
          await sleep(1 + Math.random());
        }
        await callback();
        await redis.release(name, value);
      },
    };
  },
  stop: () => server.stop(),
};

export const contestants = { members, clients, mesh, redis };
