/**
 * Checks every algorithm of the catalogue, in every form, with as many sites as fit. Writes the results to
 * docs/checked.json and, from that, docs/checked.md. About 20 minutes on two cores; needs a build.
 * The exit code is 1 if an algorithm fails where it claims not to.
 *
 * node bench/sweep.js [ID…] [--missing] [--minutes M] [--max-states 2000000] [--max-seconds 60]
 *   ID             only these algorithms; all other rows stay as they are
 *   --missing      only rows without a result: continues a sweep that was interrupted
 *   --minutes M    begins no row after M minutes
 *   --max-states, --max-seconds   the limits for one number of sites
 */
import { fork } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { catalogue, find, printed } from 'latchkey/algorithms';
import { checkedPage } from './sweep/page.js';
import { keyOf, planOf } from './sweep/plan.js';
import { readResults, writeResults } from './sweep/results.js';
import { brokenClaims, outcomeOf } from './sweep/verdicts.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    missing: { type: 'boolean', default: false },
    minutes: { type: 'string', default: 'Infinity' },
    'max-states': { type: 'string', default: '2000000' },
    'max-seconds': { type: 'string', default: '60' },
  },
});
const limits = {
  maxStates: Number(values['max-states']),
  maxSeconds: Number(values['max-seconds']),
};
const ids = positionals.map((id) => find(id).id);
const plan = planOf(catalogue, printed);
const results = readResults();
const queue = plan
  .filter(({ id }) => ids.length === 0 || ids.includes(id))
  .map(keyOf)
  .filter((key) => !values.missing || !results.has(key));

const all = queue.length;
const end = Date.now() + Number(values.minutes) * 60_000;
let done = 0;
const keep = (key, found) => {
  results.set(key, found);
  writeResults(plan, results);
  process.stderr.write(`${++done}/${all} ${key}: ${outcomeOf(found)}\n`);
};

/** Searches rows from the queue until it is empty. */
const work = () =>
  new Promise((resolve, reject) => {
    const worker = fork(fileURLToPath(new URL('./sweep/worker.js', import.meta.url)));
    let current;
    const next = () => {
      current = Date.now() < end ? queue.shift() : undefined;
      if (current !== undefined) return worker.send({ key: current, limits });
      worker.disconnect();
      resolve();
    };
    worker.on('message', ({ key, found }) => {
      keep(key, found);
      next();
    });
    worker.on('exit', (code) => {
      if (code !== 0) reject(new Error(`${current}: its process ended with ${code}`));
    });
    next();
  });

await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, work));
writeFileSync(
  new URL('../docs/checked.md', import.meta.url),
  checkedPage(catalogue, plan, results),
);
const broken = brokenClaims(plan, results);
for (const { key, property, why } of broken)
  process.stderr.write(`broken: ${key}: ${property}: ${why}\n`);
process.exitCode = broken.length > 0 ? 1 : 0;
