/** The everyday load as Markdown. */
import { table, write } from '../locks/numbers.js';

export function everydayPage({ rows, absent, turns }) {
  if (absent !== undefined) return `Not measured: ${absent}.`;
  const wanted = ({ atLeast, ratios }) =>
    atLeast === undefined ? '' : `${atLeast}: ${ratios.times >= atLeast ? 'yes' : '**no**'}`;
  const both = (field) => (row) => `${write(row.mine[field])} / ${write(row.theirs[field])}`;
  const all = (field) => (row) =>
    row.mesh === undefined ? both(field)(row) : `${both(field)(row)} / ${write(row.mesh[field])}`;
  return `100,000 names, drawn uniformly or by Zipf's law; nothing is done inside, but where the row says so. 80
requests are under way in all processes together. Redis is a plain lock (SET NX PX, released by a script, through
ioredis; a busy one is tried again after 1 to 2 ms). Ours and Redis take turns: medians of ${turns} turns, and the
ratios are formed within a turn.

The bare mesh is the limit of this machine for a group without a server: the same processes, connected in the same way, and a
request is one round trip of 8 bytes to the process that the name hashes to. There is no lock.

${table(
  [
    '',
    'ours, ops/s',
    'Redis, ops/s',
    'mesh, ops/s',
    'ratio',
    'wanted',
    'messages an op',
    'p50 ms, ours / Redis / mesh',
    'p99 ms, ours / Redis / mesh',
    'CPU µs an op in the processes, ours / Redis',
  ],
  rows.map((row) => [
    row.name,
    write(row.mine.perSecond),
    write(row.theirs.perSecond),
    row.mesh === undefined ? '' : write(row.mesh.perSecond),
    row.ratios.times.toFixed(2),
    wanted(row),
    write(row.mine.messages),
    all('p50')(row),
    all('p99')(row),
    both('cpuUs')(row),
  ]),
)}`;
}

/** The ratios in one sentence each, for the README. */
export function everydayInShort({ rows }) {
  return table(
    ['100,000 names, rarely wanted by two', 'times Redis', 'messages an entry'],
    rows.map((row) => [row.name, row.ratios.times.toFixed(2), write(row.mine.messages)]),
  );
}
