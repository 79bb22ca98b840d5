/**
 * One member of the overload: `member.js DIST INDEX`. It has as many callers as the parent orders. Each
 * acquires a new name, releases it, and asks for the next one. Every second it reports to the parent.
 */
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { enter } from '../contestants/latchkey.js';

const [dist, index] = process.argv.slice(2);
const REPORT_MS = 1000;
let group;
let timeoutMs = 200;
let wanted = 0;
let callers = 0;
let names = 0;
let granted = 0;
let errors = {};
/** By how much all time-outs were late. */
let lateMs = 0;
let cpuBefore = 0;
let messagesBefore = 0;

async function call() {
  callers++;
  while (callers <= wanted) {
    const begin = performance.now();
    try {
      const held = await group.locks.acquire(`new/${process.pid}/${names++}`, { timeoutMs });
      held.release();
      granted++;
    } catch ({ name }) {
      errors[name] = (errors[name] ?? 0) + 1;
      if (name === 'TimeoutError') lateMs += performance.now() - begin - timeoutMs;
      // As docs/locks.md tells callers to do.
      if (name === 'OverloadedError') await sleep(timeoutMs);
    }
  }
  callers--;
}

/** How long one request takes when the member has nothing else to do. */
async function probe() {
  const begin = performance.now();
  const held = await group.locks.acquire(`probe/${process.pid}/${names++}`);
  held.release();
  return performance.now() - begin;
}

function report() {
  const peers = group.memberStatus().peers;
  const outbox = peers.reduce((sum, { queuedBytes }) => sum + queuedBytes, 0);
  const rss = process.memoryUsage.rss();
  const { user, system } = process.cpuUsage();
  const cpu = user + system - cpuBefore;
  cpuBefore += cpu;
  const messages = group.backend.stats.messages - messagesBefore;
  messagesBefore += messages;
  process.send({ report: { granted, errors, lateMs, outbox, rss, callers, cpu, messages } });
  granted = 0;
  lateMs = 0;
  errors = {};
}

const orders = {
  async join(place) {
    group = await enter(place, Number(index), dist);
    group.stopped.addEventListener('abort', () =>
      process.send({ ended: String(group.stopped.reason) }),
    );
    setInterval(report, REPORT_MS);
  },
  async load(what) {
    timeoutMs = what.timeoutMs;
    wanted = what.callers;
    for (let i = callers; i < wanted; i++) void call();
  },
  probe,
};

process.on('disconnect', () => process.exit());
process.on('message', async ({ id, order, what }) => {
  try {
    process.send({ id, answer: await orders[order](what) });
  } catch (error) {
    process.send({ id, error: error.stack });
  }
});
