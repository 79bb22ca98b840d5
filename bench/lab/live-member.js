/** A member with a page, which takes one lock again and again when told to: `live-member.js NAME PORTS`. */
import { pino } from 'pino';
import { Daemon } from '../../dist/daemon/daemon.js';
import { EventLog } from '../../dist/daemon/event-log.js';
import { join } from '../../dist/member/join.js';

const [self, text] = process.argv.slice(2);
/** By member, the port where it listens and the port of its page. */
const ports = JSON.parse(text);
const others = Object.keys(ports).filter((name) => name !== self);
const group = await join({
  self,
  listen: `127.0.0.1:${ports[self][0]}`,
  peers: Object.fromEntries(others.map((name) => [name, `127.0.0.1:${ports[name][0]}`])),
});
const daemon = await Daemon.start({
  group,
  eventLog: new EventLog(pino({ level: 'silent' })),
  dashboard: `127.0.0.1:${ports[self][1]}`,
  pages: Object.fromEntries(others.map((name) => [name, `http://127.0.0.1:${ports[name][1]}/`])),
});

/** Entries within so many seconds, and the processor time that this process took. */
async function within(seconds, callers, pauseMs, name = 'contended') {
  const until = performance.now() + 1000 * seconds;
  const before = process.cpuUsage();
  let entries = 0;
  const loop = async () => {
    while (performance.now() < until) {
      await group.locks.request(name, () => void entries++);
      if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  };
  await Promise.all(Array.from({ length: callers }, loop));
  const { user, system } = process.cpuUsage(before);
  return { entries, cpuMs: (user + system) / 1000 };
}

process.on('message', async (order) => {
  if (order.type === 'contend') process.send(await within(order.seconds, 4, 0));
  if (order.type === 'elsewhere') process.send(await within(order.seconds, 4, 0, `own/${self}`));
  if (order.type === 'pace') process.send(await within(order.seconds, 2, 4));
  if (order.type === 'acquire') {
    const held = await group.locks.acquire('handed');
    process.send({ at: Date.now() });
    setTimeout(() => held.release(), order.holdMs);
  }
});
process.on('disconnect', () => void daemon.close().then(() => process.exit()));
await group.locks.request('begin', () => {});
process.send({ ready: true });
