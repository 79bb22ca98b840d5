/**
 * One member of a group on a real store, as a process that a test can kill and stop. It runs what `npm run build` made,
 * takes commands from the process that started it, and reports what it sees. Settings come as JSON in argv[2].
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from '../../dist/index.js';

const { engine: kind, url, leaseMs, options, ...settings } = JSON.parse(process.argv[2]);
const { [kind]: engineOf } = await import(`../../dist/engines/${kind}.js`);
const log = process.env.STORE_MEMBER_LOG ? (entry) => console.log(settings.self, entry) : undefined;
const group = await join({
  listen: '127.0.0.1:0',
  ...settings,
  engine: engineOf(url, { ...options, leaseMs }),
  log,
});

const tell = (event, more = {}) => process.send({ event, ...more });
group.stopped.addEventListener('abort', () => {
  tell('stopped', { why: group.stopped.reason.message });
});

const held = new Map();
let acks = 0;
const waiting = new Map();
/** The test notes what is told, and answers. */
const confirmed = (event, more) =>
  new Promise((resolve) => {
    waiting.set(++acks, resolve);
    tell(event, { ...more, ack: acks });
  });

async function load(name) {
  let entries = 0;
  while (!isLeaving) {
    try {
      await group.locks.request(name, async (lock) => {
        const fence = String(lock.fence);
        await confirmed('in', { fence });
        await sleep(1);
        await confirmed('out', { fence });
        entries++;
      });
    } catch (error) {
      if (!isLeaving) tell('failed', { error: `${error.name}: ${error.message}` });
      await sleep(20);
    }
  }
  return entries;
}

let isLeaving = false;
let loading = Promise.resolve(0);
const commands = {
  members: () => group.members,
  status: () => group.memberStatus(),
  async acquire({ name }) {
    const handle = await group.locks.acquire(name);
    held.set(name, handle);
    handle.lost.addEventListener('abort', () => {
      tell('lost', { name, why: handle.lost.reason.message });
    });
    return String(handle.fence);
  },
  release({ name }) {
    held.get(name).release();
    held.delete(name);
  },
  load({ name }) {
    loading = load(name);
  },
  async leave() {
    isLeaving = true;
    const entries = await loading;
    await group.leave();
    return entries;
  },
};

process.on('message', async ({ id, ack, command, ...more }) => {
  if (ack !== undefined) {
    waiting.get(ack)();
    waiting.delete(ack);
    return;
  }
  try {
    process.send({ id, value: await commands[command](more) });
  } catch (error) {
    process.send({ id, error: `${error.name}: ${error.message}` });
  }
  if (command === 'leave') process.disconnect();
});
tell('ready', { self: group.id });
