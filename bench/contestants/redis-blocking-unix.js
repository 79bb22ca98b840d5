import { redisBlocking } from './redis-blocking.js';

export const contestant = redisBlocking(
  import.meta.url,
  'Redis, BLPOP, Unix socket',
  ({ path }) => ({ path }),
);
