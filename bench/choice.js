/**
 * Measures every algorithm of the catalogue in a live group, uncontended and contended, and writes
 * docs/choice.md. It takes about nine minutes, and needs a build.
 *
 *     node bench/choice.js [--algorithms a,b] [--dry]
 *
 * `--dry` prints, and writes nothing.
 */
import { writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { catalogue, find } from '../dist/algorithms/catalogue.js';
import { measureLock, measureSemaphore } from './choice/measure.js';
import { choicePage } from './choice/page.js';
import { ring } from './limits/ring.js';
import { write } from './locks/numbers.js';

const SIZES = [3, 5];
const PERMITS = [2, 4];

const { values } = parseArgs({
  options: { algorithms: { type: 'string' }, dry: { type: 'boolean', default: false } },
});
const algorithms = values.algorithms?.split(',').map(find) ?? catalogue;
const progress = (text) => process.stderr.write(`${text}\n`);

const load = loadavg()[0];
const locks = [];
const semaphores = [];
for (const size of SIZES) {
  const reference = await ring(size);
  await reference.hops(1, 1);
  for (const { id, modes, k } of algorithms) {
    const result = await measureLock(id, size, reference);
    locks.push({ id, modes, size, ...result });
    progress(`${id}, ${size} members: ${write(result.contest.changes)} hand-overs/s`);
    for (const permits of k ? PERMITS : []) {
      const permitted = await measureSemaphore(id, size, permits);
      semaphores.push({ id, size, permits, ...permitted });
      progress(`  ${permits} permits: ${write(permitted.contest.entries)} entries/s`);
    }
  }
  await reference.stop();
}
const page = choicePage({ locks, semaphores, load });
if (values.dry) process.stdout.write(page);
else writeFileSync(new URL('../docs/choice.md', import.meta.url), page);
