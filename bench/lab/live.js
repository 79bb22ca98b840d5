/** The live view: how soon a hand-over and a killed member are seen, and what watching costs. */
import { fork } from 'node:child_process';
import { get } from 'node:http';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { freePorts } from '../locks/server.js';

const MEMBER = fileURLToPath(new URL('live-member.js', import.meta.url));
const NAMES = ['a', 'b', 'c'];

async function startGroup() {
  const free = await freePorts(2 * NAMES.length);
  const ports = Object.fromEntries(NAMES.map((name, i) => [name, [free[2 * i], free[2 * i + 1]]]));
  const children = NAMES.map((name) => fork(MEMBER, [name, JSON.stringify(ports)]));
  await Promise.all(children.map(answer));
  return { children, page: `http://127.0.0.1:${ports.a[1]}/` };
}

const answer = (child) => new Promise((resolve) => child.once('message', resolve));
const median = (all) => [...all].sort((x, y) => x - y)[Math.floor(all.length / 2)];

/** Of all members together, per second: entries, and milliseconds of processor time. */
async function measure(children, type, seconds) {
  const answers = children.map(answer);
  for (const child of children) child.send({ type, seconds });
  const all = await Promise.all(answers);
  const sum = (of) => all.reduce((total, one) => total + of(one), 0) / seconds;
  return { entries: sum(({ entries }) => entries), cpuMs: sum(({ cpuMs }) => cpuMs) };
}

/** Reads the stream of the contended lock, and throws it away: a browser is another program's time. */
function subscribe(page) {
  let bytes = 0;
  const request = get(`${page}live?lock=contended`, (response) =>
    response.on('data', (chunk) => {
      bytes += chunk.length;
    }),
  );
  request.on('error', () => {});
  return { stop: () => request.destroy(), bytes: () => bytes };
}

/** In turns, with a page and without one, and each first every other time: the machine's noise is then in both. */
async function inTurns(children, page, type, turns, seconds) {
  const pairs = [];
  let bytes = 0;
  for (let turn = 0; turn < turns; turn++) {
    const pair = {};
    for (const name of turn % 2 === 0 ? ['alone', 'watched'] : ['watched', 'alone']) {
      const stream = name === 'watched' ? subscribe(page) : undefined;
      await new Promise((resolve) => setTimeout(resolve, 150));
      pair[name] = await measure(children, type, seconds);
      bytes += stream?.bytes() ?? 0;
      stream?.stop();
    }
    pairs.push(pair);
  }
  return { pairs, kilobytes: bytes / 1000 / turns / seconds };
}

/**
 * What watching costs. At full load, entries a second with a page over entries a second without: of the lock that is
 * watched, and of other locks, each of which one member takes again and again. These ratios have the noise of the load
 * in them. So the members also work at a steady rate that leaves them idle, and the processor time that watching adds is
 * set against all the time that the machine has: a group that uses all of it loses that share.
 */
export async function cost(turns, seconds) {
  const { children, page } = await startGroup();
  for (const type of ['contend', 'elsewhere']) await measure(children, type, 1);
  const full = await inTurns(children, page, 'contend', turns, seconds);
  const others = await inTurns(children, page, 'elsewhere', turns / 2, seconds);
  const paced = await inTurns(children, page, 'pace', turns / 2, seconds);
  for (const child of children) child.disconnect();
  const machineMs = 1000 * availableParallelism();
  return {
    watched: throughputOf(full),
    others: throughputOf(others),
    cpu: summaryOf(paced, ({ alone, watched }) => (watched.cpuMs - alone.cpuMs) / machineMs),
    kilobytes: full.kilobytes,
  };
}

const throughputOf = (measured) => ({
  perSecond: median(measured.pairs.map(({ alone }) => alone.entries)),
  ...summaryOf(measured, ({ alone, watched }) => watched.entries / alone.entries),
});

function summaryOf({ pairs }, of) {
  const values = pairs.map(of);
  return { median: median(values), interval: intervalOf(values) };
}

/** Where the median is, with a confidence of at least 90 %: between two order statistics, by the binomial distribution. */
function intervalOf(values) {
  const sorted = [...values].sort((x, y) => x - y);
  const n = sorted.length;
  let probability = 0.5 ** n;
  let below = probability;
  let rank = 0;
  while (below + (probability * (n - rank)) / (rank + 1) <= 0.05) {
    probability *= (n - rank) / (rank + 1);
    below += probability;
    rank++;
  }
  return [sorted[rank], sorted[n - 1 - rank]];
}

/** Milliseconds from the moment that a caller has the lock, or that a member dies, until the page shows it. */
export async function delays(openLab, handOvers) {
  const { children, page } = await startGroup();
  const lab = await openLab(`${page}lab/`);
  const view = await lab.open('#v=1&view=live&lock=0,handed');
  await lab.until(view, 'lab.live.seen.value !== null');
  const shown = [];
  for (let i = 0; i < handOvers; i++) {
    const name = NAMES[i % NAMES.length];
    const seen = view.evaluate(`new Promise((done) => {
      const look = () => {
        const now = lab.live.seen.value;
        const site = now.picture.loaded.names.indexOf('${name}');
        if (now.moment.phases[site] === 'inside') done(Date.now());
        else requestAnimationFrame(look);
      };
      look();
    })`);
    const child = children[i % children.length];
    const granted = answer(child);
    child.send({ type: 'acquire', holdMs: 1000 });
    shown.push((await seen) - (await granted).at);
    await new Promise((resolve) => setTimeout(resolve, 1200));
  }
  const away = view.evaluate(`new Promise((done) => {
    const look = () =>
      lab.live.seen.value.moment.phases.includes('down') ? done(Date.now()) : requestAnimationFrame(look);
    look();
  })`);
  const killedAt = Date.now();
  children[2].kill('SIGKILL');
  const killed = (await away) - killedAt;
  await lab.close();
  for (const child of children) if (child.connected) child.disconnect();
  return { handOver: median(shown), slowest: Math.max(...shown), killed };
}
