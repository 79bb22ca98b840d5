/**
 * Very many names, each used once, by three members: does memory follow the names in use, or the names ever used?
 *
 *     node bench/names.js [--names 20000000]
 *
 * The exit code is 1 if a member takes more memory than it should, or if the group becomes slower.
 */
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { placeFor } from './contestants/latchkey.js';
import { now } from './locks/clock.js';
import { table, write } from './locks/numbers.js';
import { gather } from './locks/team.js';

const WORKER = new URL('./names/worker.js', import.meta.url);
const MEMBERS = 3;
/** The names are used in so many parts, without a pause between them. */
const PARTS = 10;
const MOST_BYTES = 400e6;
/** The machine is not equally fast at all times, so the later half is compared with the earlier one. */
const LEAST_RATIO = 0.9;

const mean = (numbers) => numbers.reduce((sum, each) => sum + each, 0) / numbers.length;

export async function namesBench({ names = 20_000_000, progress = () => {} } = {}) {
  const place = await placeFor(MEMBERS);
  const team = await gather(WORKER, [], MEMBERS);
  const parts = [];
  try {
    await team.all('open', place);
    const each = Math.ceil(names / PARTS / MEMBERS);
    for (let part = 0; part < PARTS; part++) {
      const began = now();
      const members = await team.all('use', { from: part * each, count: each });
      const perSecond = (MEMBERS * each) / ((now() - began) / 1e9);
      const used = (part + 1) * MEMBERS * each;
      const resident = Math.max(...members.map((member) => member.resident));
      const known = Math.max(...members.map((member) => member.known));
      parts.push({ used, perSecond, resident, known });
      progress(`  ${write(used)} names: ${write(perSecond)}/s, ${write(resident / 1e6)} MB`);
    }
  } finally {
    await team.stop();
  }
  const rates = parts.map(({ perSecond }) => perSecond);
  const ratio = mean(rates.slice(PARTS / 2)) / mean(rates.slice(0, PARTS / 2));
  const most = Math.max(...parts.map(({ resident }) => resident));
  return { parts, ratio, most, isGood: most < MOST_BYTES && ratio >= LEAST_RATIO };
}

export function namesPage({ parts, ratio, most }) {
  return `Three members lock names that no process has used before, each once, 16 requests at a time each. Where a member knows more than
100,000 names, idle locks return to their initial state and are forgotten. The largest member took ${write(most / 1e6)} MB of
resident memory (limit: 400 MB). The later half of the names was used at ${ratio.toFixed(2)} times the rate of the earlier half.

${table(
  [
    'names used',
    'names a second',
    'most names known to a member',
    'resident memory of the largest member, MB',
  ],
  parts.map(({ used, perSecond, known, resident }) => [
    write(used),
    write(perSecond),
    write(known),
    write(resident / 1e6),
  ]),
)}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { names: { type: 'string', default: '20000000' } } });
  const names = Number(values.names);
  const results = await namesBench({ names, progress: (text) => console.error(text) });
  console.log(namesPage(results));
  process.exitCode = results.isGood ? 0 : 1;
}
