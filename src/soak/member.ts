/**
 * One member of the group that `soak` judges, as a process of its own. It takes orders from the process that started it,
 * proves its rights by stamps, writes with fences, and ends with that process.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { engineOf } from '../daemon/engine-url.ts';
import { LostError } from '../locks/errors.ts';
import type { Held } from '../locks/held.ts';
import type { Lock } from '../locks/lock.ts';
import { type Group, join } from '../member/join.ts';
import type {
  FromMember,
  LoadSettings,
  MemberSettings,
  MemberState,
  Order,
  Report,
  ToMember,
} from './protocol.ts';

/** A caller that holds a lock for long proves its right so often. */
const STAMP_MS = 10;
/** After an error a caller does not ask again at once. */
const RETRY_MS = 20;

let group: Group;
const held = new Map<string, Held>();
const stamping = new Map<string, NodeJS.Timeout>();
const writes = new Map<number, (isAccepted: boolean) => void>();
const callers: Promise<void>[] = [];
let lastWrite = 0;
let isLeaving = false;

// The parent may have died: then this process ends too.
const send = (message: FromMember) => process.send?.(message, undefined, undefined, () => {});
const tell = (report: Report) => send({ report });

/** On Linux all processes of a machine have this clock in common. */
let clock = (): number => Number(process.hrtime.bigint() / 1000n) / 1000;
const uptime = (): number => Number.parseFloat(readFileSync('/proc/uptime', 'utf8')) * 1000;
let stepMs = 0;
const UPTIME_STEP_MS = 10;

/** Reports that the lock is held now, unless it is lost. The clock is read first: see judge.ts. */
function stamp({ name, fence, lost }: Lock): boolean {
  const at = clock();
  group.backend.checkDeadline();
  if (lost.aborted) return false;
  tell({ type: 'held', lock: name, fence: `${fence}`, at, stepMs });
  return true;
}

const reportLoss = ({ name, fence, lost }: Lock) =>
  lost.addEventListener('abort', () => {
    tell({ type: 'lost', lock: name, fence: `${fence}`, at: clock(), stepMs });
  });

/** Whether what the lock protects has accepted the write. */
function write({ name, fence }: Lock): Promise<boolean> {
  const id = ++lastWrite;
  return new Promise((resolve) => {
    writes.set(id, resolve);
    tell({ type: 'write', id, lock: name, fence: `${fence}` });
  });
}

async function call(lock: string, { holdMs, thinkMs }: LoadSettings): Promise<void> {
  while (!isLeaving) {
    try {
      await group.locks.request(lock, async (granted) => {
        if (!stamp(granted)) return;
        reportLoss(granted);
        await write(granted);
        if (holdMs > 0) await sleep(holdMs);
        stamp(granted);
        // A program that never looks at `lost`: the fence alone protects what it writes to.
        await write(granted);
      });
      if (thinkMs > 0) await sleep(thinkMs);
    } catch (error) {
      // A loss is reported by its signal.
      if (!isLeaving && !(error instanceof LostError)) {
        tell({ type: 'failed', lock, error: textOf(error) });
      }
      await sleep(RETRY_MS);
    }
  }
}

async function begin(all: MemberSettings): Promise<void> {
  const { engine, leaseMs, coarseClock, ...settings } = all;
  if (coarseClock) {
    clock = uptime;
    stepMs = UPTIME_STEP_MS;
  }
  group = await join({ ...settings, insecure: true, engine: engineOf(engine, leaseMs) });
  group.stopped.addEventListener('abort', () => {
    if (!isLeaving) tell({ type: 'stopped', error: textOf(group.stopped.reason) });
  });
}

/** The fence with which the lock is held from now on. */
async function acquire(lock: string): Promise<string> {
  const handle = await group.locks.acquire(lock);
  held.set(lock, handle);
  reportLoss(handle);
  stamp(handle);
  const timer = setInterval(() => {
    if (!stamp(handle)) clearInterval(timer);
  }, STAMP_MS);
  stamping.set(lock, timer);
  return `${handle.fence}`;
}

function release(lock: string): void {
  clearInterval(stamping.get(lock));
  held.get(lock)?.release();
  held.delete(lock);
}

async function leave(): Promise<void> {
  isLeaving = true;
  for (const lock of held.keys()) release(lock);
  await Promise.all(callers);
  await group.leave();
}

const state = (): MemberState => ({
  members: group.memberStatus().view?.members.map(({ id }) => id) ?? [],
  leaseLeftMs: group.backend.leaseLeftMs() ?? 0,
});

async function obey(order: Order): Promise<unknown> {
  switch (order.type) {
    case 'join':
      return begin(order.settings);
    case 'load':
      for (const lock of order.load.locks) {
        for (let i = 0; i < order.load.callers; i++) callers.push(call(lock, order.load));
      }
      return undefined;
    case 'acquire':
      return acquire(order.lock);
    case 'release':
      return release(order.lock);
    case 'write':
      return write(held.get(order.lock)!);
    case 'status':
      return state();
    case 'leave':
      return leave();
  }
}

const textOf = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : `${error}`;

process.on('message', async (message: ToMember) => {
  if ('written' in message) {
    writes.get(message.written)?.(message.isAccepted);
    writes.delete(message.written);
    return;
  }
  const { id, order } = message;
  try {
    send({ id, value: await obey(order) });
  } catch (error) {
    send({ id, error: textOf(error) });
  }
  if (order.type === 'leave') process.disconnect();
});
process.on('disconnect', () => process.exit());
// A terminal sends Ctrl-C to all its processes. The parent process decides when this process ends.
process.on('SIGINT', () => {});
