/**
 * `npm run bench -- overload`, or `node bench/overload.js`: a group under more load than it can serve.
 * Every member has many callers. Each acquires a new name with a short timeout, again and again.
 *
 *     node bench/overload.js [--members 4] [--callers 3000] [--timeout 200] [--seconds 120] [--step 3] [--rounds 5]
 *                            [--loads 25,50,...] [--faults] [--json]
 *
 * First it looks for the number of callers with the best goodput (grants per second of the whole group), and for the
 * smallest number that saturates the group. Then three loads take turns: the best one, three times the saturating one,
 * and the overload. Machines are noisy, so only loads that took turns are compared. Then the overload lasts
 * for `--seconds`, and at the end the bench measures how soon the group is as before. With `--faults` one member is dead
 * and another is stopped (SIGSTOP) from the first to the last quarter of that time. The exit code is 1 if the group
 * misses a target.
 */
import { fork } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { placeFor } from './contestants/latchkey.js';

const MEMBER = fileURLToPath(new URL('./overload/member.js', import.meta.url));
/** A load saturates the group if its goodput is this part of the best. */
const SATURATES = 0.9;
/** What the group must keep of its best goodput, and how fast it must be as before. */
const TARGET = 0.7;
const RECOVERY_MS = 5000;
/** After the load has changed, the first second does not count. */
const WARM_UP_MS = 1000;
/** A lone request is as fast as before if it takes no longer than this. */
const CALM_MS = 100;
/** The last messages are acknowledged by the next heartbeat only. */
const CALM_BYTES = 16_384;

const { values } = parseArgs({
  options: {
    members: { type: 'string', default: '4' },
    callers: { type: 'string', default: '3000' },
    timeout: { type: 'string', default: '200' },
    seconds: { type: 'string', default: '120' },
    step: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '5' },
    loads: { type: 'string', default: '25,50,100,200,400,800' },
    dist: { type: 'string', default: new URL('../dist/', import.meta.url).href },
    faults: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});
const size = Number(values.members);
const timeoutMs = Number(values.timeout);
const say = (text) => values.json || console.log(text);
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const place = await placeFor(size);

class Member {
  reports = [];
  ended = [];
  #index;
  #child;
  #orders = 0;
  #asked = new Map();

  constructor(index) {
    this.#index = index;
    this.start();
  }

  /** The first process of the member, or the next one after it was killed. */
  start() {
    this.#child = fork(MEMBER, [values.dist, String(this.#index)]);
    this.#child.on('message', ({ id, answer, error, report, ended }) => {
      if (report !== undefined) this.reports.push(report);
      else if (ended !== undefined) this.ended.push(ended);
      else {
        const { resolve, reject } = this.#asked.get(id);
        this.#asked.delete(id);
        if (error === undefined) resolve(answer);
        else reject(new Error(error));
      }
    });
    this.#child.on('exit', (code, signal) => {
      this.reports = [];
      if (signal !== 'SIGKILL') this.ended.push(`exit ${code ?? signal}`);
    });
  }

  ask(order, what) {
    const id = ++this.#orders;
    return new Promise((resolve, reject) => {
      this.#asked.set(id, { resolve, reject });
      this.#child.send({ id, order, what });
    });
  }

  kill(signal) {
    this.#child.kill(signal);
  }

  /** The process ends when it is told that nobody listens to it; a process that hangs is killed. */
  async stop() {
    const exited = new Promise((resolve) => this.#child.once('exit', resolve));
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), 5000);
    this.#child.disconnect();
    await exited;
    clearTimeout(timer);
  }

  get last() {
    return this.reports.at(-1);
  }
}

const MIB = 2 ** 20;
const members = Array.from({ length: size }, (_, i) => new Member(i));
process.on('exit', () => {
  for (const member of members) member.kill('SIGKILL');
});

const load = (callers, of = members) =>
  Promise.all(of.map((member) => member.ask('load', { callers, timeoutMs })));

/** Watches for some seconds, prints each of them, and returns the goodput and the peaks of the time. */
async function watch(seconds, label, atSecond = () => {}) {
  const sums = { granted: 0, cpu: 0, messages: 0, lateMs: 0 };
  const peak = { rss: 0, outbox: 0 };
  const rssAt = [];
  const errors = {};
  const begin = performance.now();
  for (let second = 1; second <= seconds; second++) {
    for (const member of members) member.reports = [];
    await atSecond(second);
    await sleep(begin + second * 1000 - performance.now());
    const reports = members.flatMap(({ reports: all }) => all);
    const sum = (what) => reports.reduce((total, report) => total + report[what], 0);
    const rss = Math.max(0, ...reports.map((report) => report.rss));
    const outbox = Math.max(0, ...reports.map((report) => report.outbox));
    for (const what in sums) sums[what] += sum(what);
    peak.rss = Math.max(peak.rss, rss);
    rssAt.push(rss);
    peak.outbox = Math.max(peak.outbox, outbox);
    for (const [name, count] of reports.flatMap((report) => Object.entries(report.errors))) {
      errors[name] = (errors[name] ?? 0) + count;
    }
    const all = `${label} ${String(second).padStart(4)} s: ${sum('granted')} granted, ${(rss / MIB).toFixed()} MiB, `;
    say(`${all}outbox ${(outbox / 1024).toFixed()} KiB, ${JSON.stringify(errors)}`);
  }
  const { granted, cpu, messages, lateMs } = sums;
  return {
    goodput: granted / ((performance.now() - begin) / 1000),
    perCpuSecond: granted / (cpu / 1e6),
    messagesPerGrant: messages / granted,
    lateMs: lateMs / (errors.TimeoutError ?? 1),
    peakRss: peak.rss,
    rssAt,
    peakOutbox: peak.outbox,
    errors,
  };
}

/** The goodput of each load, when they take turns. */
async function takeTurns(loads, rounds) {
  const rows = loads.map((callers) => ({ callers, turns: [] }));
  for (let round = 0; round < rounds; round++) {
    for (const { callers, turns } of rows) {
      await load(callers);
      await sleep(WARM_UP_MS);
      turns.push(await watch(Number(values.step), `${callers} callers`));
    }
  }
  const mean = (turns, what) => turns.reduce((sum, turn) => sum + turn[what], 0) / turns.length;
  return rows.map(({ callers, turns }) => ({
    callers,
    goodput: mean(turns, 'goodput'),
    perCpuSecond: mean(turns, 'perCpuSecond'),
    messagesPerGrant: mean(turns, 'messagesPerGrant'),
  }));
}

/** The load with the best goodput, and the smallest load that saturates the group. */
async function calibrate() {
  const rows = await takeTurns(values.loads.split(',').map(Number), 2);
  const best = rows.reduce((one, other) => (other.goodput > one.goodput ? other : one));
  const saturating = rows.find(({ goodput }) => goodput >= SATURATES * best.goodput);
  return { best: best.callers, saturating: saturating.callers, rows };
}

/** How long it takes until nearly all messages are acknowledged and a request at each member is fast again. */
async function recover() {
  const begin = performance.now();
  isLoaded = false;
  await load(0);
  await rejoined;
  for (;;) {
    const times = await Promise.all(members.map((member) => member.ask('probe')));
    const isSent = members.every(({ last }) => last?.callers === 0 && last.outbox <= CALM_BYTES);
    if (isSent && times.every((ms) => ms <= CALM_MS)) return performance.now() - begin;
    if (performance.now() - begin > 60_000) return Number.POSITIVE_INFINITY;
    await sleep(100);
  }
}

let isLoaded = true;
let rejoined = Promise.resolve();

/** Kills the last member and stops the one before it, and brings both back. */
async function fault(second, seconds) {
  const [stopped, killed] = members.slice(-2);
  if (second === Math.ceil(seconds / 4)) {
    killed.kill('SIGKILL');
    stopped.kill('SIGSTOP');
  } else if (second === Math.ceil((3 * seconds) / 4)) {
    stopped.kill('SIGCONT');
    killed.start();
    // It joins when all members answer again, which the overload may delay.
    rejoined = killed.ask('join', place);
    void rejoined.then(() => isLoaded && load(Number(values.callers), [killed]));
  }
}

await Promise.all(members.map((member) => member.ask('join', place)));
const { best, saturating, rows } = await calibrate();
say(`${saturating} callers saturate the group, ${best} callers have the best goodput`);
const turns = await takeTurns([best, 3 * saturating, Number(values.callers)], values.rounds);
await load(Number(values.callers));
const seconds = Number(values.seconds);
const overload = await watch(seconds, `${values.callers} callers`, (second) =>
  values.faults ? fault(second, seconds) : undefined,
);
const recoveredMs = await recover();
const ended = members.flatMap((member) => member.ended);
await Promise.all(members.map((member) => member.stop()));

const kept = turns.map(({ goodput }) => goodput / turns[0].goodput);
const result = { saturating, turns, kept, overload, recoveredMs, ended, rows };
if (values.json) process.stdout.write(`${JSON.stringify(result)}\n`);
else {
  const { rssAt, peakRss, peakOutbox, errors, lateMs } = overload;
  const mib = (bytes) => `${(bytes / MIB).toFixed()} MiB`;
  const quarters = [1, 2, 3, 4].map((quarter) =>
    mib(rssAt[Math.ceil((quarter * seconds) / 4) - 1]),
  );
  const rowOf = ({ callers, goodput, perCpuSecond, messagesPerGrant }, i) =>
    `${String(callers).padStart(5)} callers each   ${goodput.toFixed()} grants a second, ${(100 * kept[i]).toFixed()} %; ` +
    `${perCpuSecond.toFixed()} for each second of processor time; ${messagesPerGrant.toFixed(1)} messages a grant`;
  console.log(`
${saturating} callers at each member saturate the group. In turns, ${values.rounds} times ${values.step} s:
${turns.map(rowOf).join('\n')}
${values.callers} callers each for ${seconds} s${values.faults ? ', one member dead and one stopped for half of it' : ''}:
granted             ${overload.goodput.toFixed()} a second; errors ${JSON.stringify(errors)}
time-outs           ${lateMs.toFixed()} ms late on average
largest member      ${quarters.join(', ')} after each quarter, at most ${mib(peakRss)}
unacknowledged      at most ${(peakOutbox / 1024).toFixed()} KiB at a member
as before after     ${(recoveredMs / 1000).toFixed(1)} s
members that ended  ${ended.length === 0 ? 'none' : ended.join('; ')}`);
}
const isWell = Math.min(...kept) >= TARGET && recoveredMs <= RECOVERY_MS && ended.length === 0;
process.exitCode = isWell ? 0 : 1;
