import Redlock from 'redlock';
import { available, connect, startRedis } from './redis.js';

const LIFE_MS = 5000;
let server;

export const contestant = {
  file: import.meta.url,
  name: 'redlock 5 on Redis',
  note:
    'one server, in memory: if it is lost, so is the lock. Retries after 1 ms (by default 200 ms: then ' +
    'hardly any client but the last holder gets in). No fence, no order',
  processes: 5,
  available,
  async start() {
    server = await startRedis();
    return { port: server.port };
  },
  async open(place) {
    const redis = await connect(place);
    const redlock = new Redlock([redis], { retryCount: 20, retryDelay: 1, retryJitter: 1 });
    redlock.on('error', () => {});
    const obtain = async (name) => {
      for (;;) {
        const lock = await redlock.acquire([name], LIFE_MS).catch(() => undefined);
        if (lock !== undefined) return lock;
      }
    };
    return {
      async request(name, callback) {
        const lock = await obtain(name);
        callback();
        await lock.release();
      },
    };
  },
  stop: () => server.stop(),
};
