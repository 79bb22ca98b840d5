/**
 * `npm run soak`: real processes enter one lock over TCP, with every algorithm of the catalogue. A
 * shared file shows whether two processes were ever inside at once, and whether a fence did not
 * grow.
 *
 *     node bench/soak.js [--entries 200000] [--members 5] [--algorithms a,b] [--json] [--shortcut] [--unlocked]
 *
 * `--shortcut` also allows Unix sockets, as members on one machine use by default. `--unlocked`
 * enters without the lock, so that the file must show overlaps. The exit code is 1 if it shows any.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { catalogue, find } from '../dist/algorithms/catalogue.js';
import { placeFor } from './contestants/latchkey.js';
import { circulates, ruleFor, titleOf } from './locks/live.js';
import { scratch } from './locks/server.js';
import { gather } from './locks/team.js';
import { Witness } from './soak/witness.js';

const MEMBER = new URL('./soak/member.js', import.meta.url);

const { values } = parseArgs({
  options: {
    entries: { type: 'string', default: '200000' },
    members: { type: 'string', default: '5' },
    algorithms: { type: 'string' },
    json: { type: 'boolean', default: false },
    shortcut: { type: 'boolean', default: false },
    unlocked: { type: 'boolean', default: false },
  },
});
const members = Number(values.members);
const each = Math.ceil(Number(values.entries) / members);
const ids = values.algorithms?.split(',') ?? catalogue.map(({ id }) => id);
for (const id of ids) find(id);

/** One group serves all algorithms: the name of a lock selects its algorithm. */
async function gatherAll() {
  const locks = ids.map((id) => ruleFor(id, `${id}/*`));
  const team = await gather(MEMBER, [], members);
  await team.all('join', await placeFor(members, { locks, shortcut: values.shortcut }));
  return team;
}

async function soak(team, id) {
  const path = join(scratch(), 'witness');
  Witness.prepare(path);
  const began = performance.now();
  const order = { name: `${id}/lock`, entries: each, path, isUnlocked: values.unlocked };
  const results = await team.all('enter', order);
  const seconds = (performance.now() - began) / 1000;
  const sum = (field) => results.reduce((total, result) => total + result[field], 0);
  const entries = each * members;
  return {
    algorithm: id,
    entries,
    seconds,
    messagesPerEntry: sum('messages') / entries,
    overlaps: sum('overlaps'),
    disorders: sum('disorders'),
    // A process that overwrites another's count has not seen it, so entries are missing.
    missing: entries - Math.max(...results.map(({ count }) => count)),
  };
}

const columns = (cells) => cells.map((cell, i) => (i === 0 ? cell.padEnd(28) : cell.padStart(11)));
const print = (cells) => values.json || console.log(columns(cells).join(''));
const isWell = ({ overlaps, disorders, missing }) => overlaps + disorders + missing === 0;

print(['algorithm', 'entries', 'seconds', 'entries/s', 'messages', 'overlaps', 'disorders']);
const rows = [];
let team = await gatherAll();
for (const id of ids) {
  try {
    const row = await soak(team, id);
    rows.push(row);
    const { entries, seconds, messagesPerEntry, overlaps, disorders, missing } = row;
    print([
      titleOf(id),
      entries.toLocaleString('en-US'),
      seconds.toFixed(1),
      Math.round(entries / seconds).toLocaleString('en-US'),
      messagesPerEntry.toFixed(2),
      String(overlaps + missing),
      String(disorders),
    ]);
  } catch (error) {
    rows.push({ algorithm: id, error: error.message });
    print([titleOf(id), `failed: ${error.message}`]);
  }
  if (rows.at(-1).error === undefined && !circulates(id)) continue;
  await team.stop();
  team = await gatherAll();
}
await team.stop();

if (values.json) console.log(JSON.stringify(rows));
else {
  const well = rows.filter((row) => row.error === undefined && isWell(row)).length;
  console.log(
    `${well} of ${rows.length} algorithms: no two processes were inside at once, and all fences grew`,
  );
}
process.exitCode = rows.every((row) => row.error === undefined && isWell(row)) ? 0 : 1;
