/**
 * A token that is passed around a ring of Node processes over TCP, and nothing else: no hand-over between
 * processes can be faster than a hop. With two processes it is a ping-pong.
 */
import { gather } from '../locks/team.js';

const MEMBER = new URL('./ring-member.js', import.meta.url);

/** `hops()` measures once: hops a second, and the times of a hop in microseconds. */
export async function ring(size) {
  const team = await gather(MEMBER, [], size);
  const ports = await team.all('listen');
  await Promise.all(ports.map((_, i) => team.ask(i, 'connect', ports[(i + 1) % size])));
  return {
    async hops(seconds, warmUp = 0.2) {
      const { perSecond, p50, p99 } = await team.ask(0, 'run', { seconds, warmUp });
      return { perSecond: perSecond * size, p50: p50 / size, p99: p99 / size };
    },
    stop: () => team.dismiss(),
  };
}
