/**
 * Measures the speed and the memory of the simulator. Each line is a process of its own, so that
 * none profits from code that another has compiled.
 *
 *     node bench/sim.js [DIST]      all lines; DIST is a build of src, by default `dist` beside this folder
 *     node bench/sim.js DIST NAME   one line, as JSON
 */
import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const complete = (n) => ({ n, k: 1, topology: { kind: 'complete' }, options: {} });

/** Site i's parent is (i − 1) / 2. */
function binary(n) {
  const parent = Array.from({ length: n }, (_, i) => (i === 0 ? 0 : (i - 1) >> 1));
  const neighbours = parent.map((p, i) => (i === 0 ? [] : [p]));
  for (let i = 1; i < n; i++) neighbours[parent[i]].push(i);
  const options = { piggyback: false, greedy: false };
  return { n, k: 1, topology: { kind: 'tree', parent, neighbours }, options };
}

const lines = {
  // 100 sites, delay 5, critical section 10.
  'ricart-agrawala, 75 % load': {
    id: 'ricart-agrawala',
    world: () => complete(100),
    settings: { workload: 'poisson', rate: 0.0005, entries: 100_000 },
  },
  'ricart-agrawala, saturated': {
    id: 'ricart-agrawala',
    world: () => complete(100),
    settings: { workload: 'saturated', entries: 100_000 },
  },
  'ricart-agrawala, uniform delay': {
    id: 'ricart-agrawala',
    world: () => complete(100),
    settings: { workload: 'poisson', rate: 0.0005, entries: 50_000, delay: 'uniform:1,9' },
  },
  'ricart-agrawala, uniform delay, fifo': {
    id: 'ricart-agrawala',
    world: () => complete(100),
    settings: {
      workload: 'poisson',
      rate: 0.0005,
      entries: 50_000,
      delay: 'uniform:1,9',
      links: 'fifo',
    },
  },
  'raymond, 1000 sites, saturated': {
    id: 'raymond',
    world: () => binary(1000),
    settings: { workload: 'saturated', entries: 2_000_000 },
  },
  'raymond, 1,000,000 sites, once': {
    id: 'raymond',
    world: () => binary(1_000_000),
    settings: { workload: 'once' },
  },
  'raymond, 1,000,000 sites, solo': {
    id: 'raymond',
    world: () => binary(1_000_000),
    settings: { workload: 'solo', entries: 100_000 },
  },
  'raymond, 1,000,000 sites, poisson': {
    id: 'raymond',
    world: () => binary(1_000_000),
    settings: { workload: 'poisson', rate: 1e-8, entries: 100_000 },
  },
};

async function measure(dist, name) {
  const from = (path) => import(pathToFileURL(resolve(dist, path)).href);
  const { simulate } = await from('sim/index.js');
  const { id, world, settings } = lines[name];
  const algorithm = Object.values(await from(`algorithms/${id}.js`)).find((a) => a.id === id);
  const made = world();
  const clock = () => performance.now() / 1000;
  const before = process.cpuUsage();
  const { events, entries, wallSeconds, violations } = simulate(algorithm, made, {
    ...settings,
    clock,
  });
  const { user, system } = process.cpuUsage(before);
  const cpuSeconds = (user + system) / 1e6;
  const peakMiB = Math.round(process.resourceUsage().maxRSS / 1024);
  return { name, entries, events, wallSeconds, cpuSeconds, peakMiB, violations };
}

const [dist = fileURLToPath(new URL('../dist', import.meta.url)), only] = process.argv.slice(2);
if (only !== undefined) {
  console.log(JSON.stringify(await measure(dist, only)));
} else {
  for (const name of Object.keys(lines)) {
    const self = fileURLToPath(import.meta.url);
    const line = execFileSync(process.execPath, [self, dist, name], { encoding: 'utf8' });
    const { events, wallSeconds, cpuSeconds, peakMiB } = JSON.parse(line);
    const rate = (seconds) => (events / seconds / 1e6).toFixed(1).padStart(5);
    const speed = `${rate(wallSeconds)} M events/s, ${rate(cpuSeconds)} per CPU second`;
    console.log(`${name.padEnd(38)}${speed}, peak ${peakMiB} MiB`);
  }
}
