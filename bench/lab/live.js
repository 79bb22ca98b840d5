/** The live view: how soon a hand-over and a killed member are seen, and what watching costs. */
import { fork } from 'node:child_process';
import { get } from 'node:http';
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

/** Entries a second of all members together. */
async function throughput(children, seconds) {
  const answers = children.map(answer);
  for (const child of children) child.send({ type: 'contend', seconds });
  const all = await Promise.all(answers);
  return all.reduce((sum, { entries }) => sum + entries, 0) / seconds;
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

/** In turns, with a page and without one: the machine's noise is then in both. */
export async function cost(turns, seconds) {
  const { children, page } = await startGroup();
  await throughput(children, 1);
  const ratios = [];
  const alone = [];
  let bytes = 0;
  for (let turn = 0; turn < turns; turn++) {
    const without = await throughput(children, seconds);
    const stream = subscribe(page);
    await new Promise((resolve) => setTimeout(resolve, 200));
    const watched = await throughput(children, seconds);
    bytes += stream.bytes();
    stream.stop();
    await new Promise((resolve) => setTimeout(resolve, 100));
    alone.push(without);
    ratios.push(watched / without);
  }
  for (const child of children) child.disconnect();
  return {
    perSecond: median(alone),
    ratio: median(ratios),
    ratios,
    kilobytes: bytes / 1000 / turns / seconds,
  };
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
