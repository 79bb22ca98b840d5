/** docs/choice.md. */
import { availableParallelism } from 'node:os';
import { DEFAULT_RULES } from '../../dist/group/lock-algorithm.js';
import { titleOf } from '../locks/live.js';
import { table, write } from '../locks/numbers.js';

const COLUMNS = [
  'new name, µs',
  'messages',
  're-acquired, a second',
  'messages',
  'contended: entries/s',
  'holder changes/s',
  'messages',
  'Jain',
];

const cells = ({ anew, reacquired, contest }) => [
  write(anew.p50),
  anew.messages.toFixed(1),
  write(reacquired.perSecond),
  reacquired.messages.toFixed(1),
  write(contest.entries),
  write(contest.changes),
  contest.messages.toFixed(2),
  contest.jain.toFixed(3),
];

/** A run with at least this index counts as fair. */
const FAIR = 0.95;

const distinct = (rows, field) => [...new Set(rows.map((row) => row[field]))];
const quickestFirst = (rows, field) => rows.toSorted((a, b) => b.contest[field] - a.contest[field]);

function locksTable(rows, size) {
  const lines = quickestFirst(rows, 'changes').map((row) => [
    `\`${titleOf(row.id)}\``,
    row.modes.includes('shared') ? 'yes' : '',
    ...cells(row),
    row.contest.ofRing.toFixed(2),
  ]);
  return `### ${size} members

${table(['', 'shared', ...COLUMNS, 'of the ring'], lines)}`;
}

function semaphoresTable(rows, size, permits) {
  // Several hold a permit at once: how often the latest holder changes says nothing.
  const isShown = (_, i) => COLUMNS[i] !== 'holder changes/s';
  const lines = quickestFirst(rows, 'entries').map((row) => [
    `\`${row.id}\``,
    ...cells(row).filter(isShown),
  ]);
  return `### ${permits} permits, ${size} members

${table(['', ...COLUMNS.filter(isShown)], lines)}`;
}

/** The fastest of these rows in the largest group. */
function quickest(rows, field) {
  const largest = Math.max(...distinct(rows, 'size'));
  const [first] = quickestFirst(
    rows.filter(({ size }) => size === largest),
    field,
  );
  return first === undefined ? 'none' : `\`${first.id}\``;
}

export function choicePage({ locks, semaphores, load }) {
  const cores = availableParallelism();
  const sizes = distinct(locks, 'size');
  const permits = distinct(semaphores, 'permits');
  const keeping = locks.filter((row) => row.reacquired.messages < 0.01 && row.contest.jain >= FAIR);
  const sharing = keeping.filter(({ modes }) => modes.includes('shared'));
  const [lockRule] = DEFAULT_RULES.locks;
  const [semaphoreRule] = DEFAULT_RULES.semaphores;
  const bestOf = (k) =>
    `\`k = ${k}\`: ${quickest(
      semaphores.filter((row) => row.permits === k && row.contest.jain >= FAIR),
      'entries',
    )}`;
  return `# Which algorithm for which lock

Written by \`node bench/choice.js\`: every algorithm of the catalogue, live, among processes on one machine
of ${cores} cores, over TCP, with Node ${process.version}. The load of the machine was ${load.toFixed(1)} when it began: what
goes beyond its cores is the work of others, and noise here. Compare rows of one table only, and only
large differences.

A lock runs \`${lockRule.algorithm}\` and a semaphore \`${semaphoreRule.algorithm}\`, unless a rule says otherwise (\`locks\` and
\`semaphores\` of \`join\`). What a default has to do, in this order:

1. **Both modes.** \`mode: 'shared'\` is part of the API: the default for locks must have it.
2. **Nothing to send** for a lock that this process had last: it keeps a token, or permissions.
3. **Hand over quickly** when all want it: few messages, one after the other, between two holders.
4. **Fairly**: all members get the same share.
5. **At the same cost in a large group**: few messages for a free lock that another process had last, at any number of
   members ([figure](figures/growth.svg), \`latchkey papers beyond/lock-alone\`).

In this run, in the larger group, of those that were fair and send nothing for a lock that they keep, the one
that hands over most often is ${quickest(keeping, 'changes')}; of those that can also share, ${quickest(sharing, 'changes')}. The semaphore that lets
most in, of the fair ones: ${permits.map(bestOf).join(', ')}.

## Locks

*New name*: one member alone takes locks that no member had before, one after the other; the median time.
*Re-acquired*: it takes the same lock again and again. *Contended*: all members want one lock all the time, with
nothing to do inside; the ring is a bare token passed around as many processes. *Messages* are for one
entry, of all members together.

${sizes
  .map((size) => {
    const rows = locks.filter((row) => row.size === size);
    return locksTable(rows, size);
  })
  .join('\n\n')}

## Semaphores

In each member as many callers want a permit as there are permits.

${permits
  .flatMap((k) =>
    sizes.map((size) => {
      const rows = semaphores.filter((row) => row.size === size && row.permits === k);
      return semaphoresTable(rows, size, k);
    }),
  )
  .join('\n\n')}
`;
}
