/**
 * A token that is passed around a ring of Node processes, without any lock. No hand-over between
 * processes with the same kind of connection can be faster than a hop. With two processes it is a
 * ping-pong.
 */
import { join } from 'node:path';
import { gather } from '../locks/team.js';

const MEMBER = new URL('./ring-member.js', import.meta.url);

/**
 * Over TCP or, given a folder, over Unix sockets. `hops()` measures once: hops per second, and the
 * times of a hop in microseconds.
 */
export async function ring(size, folder) {
  const team = await gather(MEMBER, [], size);
  const pathOf = (i) => (folder === undefined ? undefined : join(folder, `${i}.sock`));
  const all = Array.from({ length: size }, (_, i) => i);
  const places = await Promise.all(all.map((i) => team.ask(i, 'listen', pathOf(i))));
  await Promise.all(all.map((i) => team.ask(i, 'connect', places[(i + 1) % size])));
  return {
    async hops(seconds, warmUp = 0.2) {
      const { perSecond, p50, p99 } = await team.ask(0, 'run', { seconds, warmUp });
      return { perSecond: perSecond * size, p50: p50 / size, p99: p99 / size };
    },
    stop: () => team.stop(),
  };
}
