import { available, connect, startRedis } from './redis.js';

/** `reach` turns a server's description into the address to connect to. */
export const redisBlocking = (file, name, reach) => ({
  file,
  name,
  note:
    'one server, in memory; the client that holds the only element of a list holds the lock, and waiters are ' +
    'served in order. A holder that dies keeps it for ever. No fence',
  processes: 5,
  available,
  async start() {
    this.server = await startRedis();
    return reach(this.server);
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
  stop() {
    return this.server.stop();
  },
});

export const contestant = redisBlocking(import.meta.url, 'Redis, BLPOP', ({ port }) => ({ port }));
