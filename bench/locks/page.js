/** The measurements of locks as Markdown. */
import { AT_ONCE } from './measure.js';
import { table, write } from './numbers.js';
import { targets } from './targets.js';

const timesOf = (value) => (value === undefined ? '' : `${write(value)} ×`);

const CONDITIONS = [
  [
    'awake',
    `**CPUs kept awake** by loops that give way to everything else. An idle virtual CPU halts, and waking it takes
time, in every contestant's hand-over.`,
  ],
  [
    'quiet',
    '**CPUs that may halt**, on this machine as it is. How soon one is woken depends on what else its host ' +
      'does: another run\nmay well have other ratios.',
  ],
];

/** The contestants that were measured under contention. */
const contendersOf = (rows) => rows.filter(({ quiet }) => quiet?.changes !== undefined);

function contendedTable({ rows, ring }, condition) {
  const { changes, handOver50, handOver99 } = ring[condition];
  const limit = ['*a bare token ring, TCP*', '', write(changes), '', write(handOver50)];
  return table(
    [
      '',
      'entries/s',
      'holder changes/s',
      'of the ring',
      'hand-over p50 µs',
      'p99 µs',
      'Jain',
      `${rows[0].name} : this`,
    ],
    [
      ...contendersOf(rows).map(({ name, [condition]: measured }) => [
        name,
        write(measured.entries),
        write(measured.changes),
        measured.ofRing.toFixed(3),
        write(measured.handOver50),
        write(measured.handOver99),
        measured.jain.toFixed(4),
        timesOf(measured.ours),
      ]),
      [...limit, write(handOver99), '', ''],
    ],
  );
}

/** The whole section of RESULTS.md. */
export function locksPage(results) {
  const { rows, absent, limits, idle, rounds, slices } = results;
  const [ours] = rows;
  return `Five processes on this machine, over loopback; each figure is the median of ${rounds} rounds, in which
all took their turns. **These are not like for like.** ZooKeeper and etcd write every lock to disk; Redis
and Postgres are one server, and with it goes the lock; Latchkey keeps nothing on disk and has no server,
and with its embedded engine a lock whose algorithm needs a member that is down waits for that member.
What each gives for its time is below.

### Alone

One process locks and unlocks, with an empty critical section; no other process requests the lock. Latchkey sends
nothing for a lock that this process had last; for a name that is new to it, it asks the group.

${table(
  [
    '',
    'a second',
    'p50 µs',
    'p99 µs',
    `${AT_ONCE} locks at once, a second`,
    `${AT_ONCE} new names at once, a second`,
    `${ours.name} : this, alone`,
    'at once',
    'new names',
  ],
  rows.map((row) => [
    row.name,
    write(row.perSecond),
    write(row.p50),
    write(row.p99),
    write(row.atOnce),
    write(row.anew),
    timesOf(ours.perSecond / row.perSecond),
    timesOf(ours.atOnce / row.atOnce),
    timesOf(ours.anew / row.anew),
  ]),
)}

### Contended

Five processes want one lock all the time. A hand-over is an entry by another process than the last; its
time runs from one entry to the next. The ring is a token passed around five bare Node processes over TCP:
over TCP, no lock can hand over more often than it hops. In each of the ${rounds} rounds all processes are new, and have
run for eight seconds before; then ours meets each of the others: a second of the ring, of ours and of the
other, ${slices} times. Ratios are medians of those within such a turn, for the machine is not as fast in the next; figures
are medians, ours of all turns.
Members of Latchkey that are on one machine talk over Unix sockets unless they are told not to, where a
ring hops more often; Redis is measured by both.

${CONDITIONS.filter(([condition]) => ours[condition] !== undefined)
  .map(([condition, text]) => `${text}\n\n${contendedTable(results, condition)}`)
  .join('\n\n')}

### Limits

${table(
  ['', 'a second', 'p50 µs', 'p99 µs'],
  [
    ['token ring of 5 Node processes over TCP, hops', ...limitCells(limits.ring)],
    ['the same over Unix sockets', ...limitCells(limits.unixRing)],
    ['ping-pong of 2 Node processes over TCP, one way', ...limitCells(limits.pingPong)],
  ],
)}

### What we want

${table(['', 'wanted', 'measured', 'so?'], targets(results))}

An idle name costs ${write(idle.user)} bytes at the member that used it, ${write(idle.others)} at the others.

### What each is

${rows.map(({ name, note }) => `- **${name}**: ${note}.`).join('\n')}
${absent.map(({ name, why }) => `- **${name}** was not measured: it ${why}.`).join('\n')}`.trimEnd();
}

const limitCells = ({ perSecond, p50, p99 }) => [write(perSecond), write(p50), write(p99)];

/** A summary for the README. */
export function locksInShort({ rows, ring }) {
  const best = rows[0].awake === undefined ? 'quiet' : 'awake';
  const lines = contendersOf(rows).map(({ name, perSecond, atOnce, quiet, [best]: measured }) => [
    name,
    write(perSecond),
    write(atOnce),
    write(measured.changes),
    write(measured.handOver50),
    write(quiet.changes),
  ]);
  const { changes, handOver50 } = ring[best];
  return table(
    [
      '',
      'lock again alone, a second',
      `${AT_ONCE} locks at once`,
      'contended by 5: holder changes/s',
      'hand-over p50 µs',
      'holder changes/s where CPUs halt',
    ],
    [
      ...lines,
      ['*a bare token ring*', '', '', write(changes), write(handOver50), write(ring.quiet.changes)],
    ],
  );
}
