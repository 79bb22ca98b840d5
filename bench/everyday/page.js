/** The everyday load as Markdown. */
import { table, write } from '../locks/numbers.js';

export function everydayPage({ rows, absent, turns }) {
  if (absent !== undefined) return `Not measured: ${absent}.`;
  const wanted = ({ atLeast, ratios }) =>
    atLeast === undefined ? '' : `${atLeast}: ${ratios.times >= atLeast ? 'yes' : '**no**'}`;
  const both = (field) => (row) => `${write(row.mine[field])} / ${write(row.theirs[field])}`;
  return `100,000 names, drawn uniformly or by Zipf's law; nothing is done inside, but where the row says so. 80
requests are under way in all processes together. Redis is a plain lock (SET NX PX, released by a script, through
ioredis; a busy one is tried again after 1 to 2 ms). Ours and Redis take turns: medians of ${turns} turns, and the
ratios are formed within a turn.

${table(
  [
    '',
    'ours, ops/s',
    'Redis, ops/s',
    'ratio',
    'wanted',
    'messages an op',
    'p50 ms, ours / Redis',
    'p99 ms, ours / Redis',
    'CPU µs an op in the processes, ours / Redis',
  ],
  rows.map((row) => [
    row.name,
    write(row.mine.perSecond),
    write(row.theirs.perSecond),
    row.ratios.times.toFixed(2),
    wanted(row),
    write(row.mine.messages),
    both('p50')(row),
    both('p99')(row),
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
