import { available, connect, startRedis } from './redis.js';

let server;

export const contestant = {
  file: import.meta.url,
  name: 'Redis, BLPOP',
  note:
    'one server, in memory; whoever holds the only element of a list holds the lock, and waiters are ' +
    'served in order. A holder that dies keeps it for ever. No fence',
  processes: 5,
  available,
  async start() {
    server = await startRedis();
    return { port: server.port };
  },
  async open(place) {
    const redis = await connect(place);
    const known = new Set();
    const introduce = async (name) => {
      known.add(name);
      if ((await redis.set(`${name}:made`, '1', 'NX')) !== null) await redis.rpush(name, '1');
    };
    return {
      async request(name, callback) {
        if (!known.has(name)) await introduce(name);
        await redis.blpop(name, 0);
        callback();
        await redis.rpush(name, '1');
      },
    };
  },
  stop: () => server.stop(),
};
