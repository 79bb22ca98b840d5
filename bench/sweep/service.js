/**
 * How far the lock service itself was searched: docs/checked-service.json, and the section of docs/checked.md
 * that is made from it. `node bench/sweep/service.js` runs all rows, which takes about an hour on one core;
 * with words, only the rows whose key contains one of them.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FILE = fileURLToPath(new URL('../../docs/checked-service.json', import.meta.url));

const BIN = fileURLToPath(new URL('../../bin/latchkey.js', import.meta.url));

const locks = ['directory-token', 'lending-token', 'naimi-trehel', 'carvalho-roucairol'];
const semaphores = ['lending-coordinator', 'srimani-reddy'];
const sizes = [
  { members: 2, requests: 1, crashes: 0 },
  { members: 2, requests: 2, crashes: 0 },
  { members: 2, requests: 1, crashes: 1 },
  { members: 2, callers: 2, requests: 1, crashes: 0 },
  { members: 3, requests: 1, crashes: 0 },
];

/** What is searched: each default, and what docs/locks.md recommends besides. */
export const serviceRows = [
  ...locks.flatMap((algorithm) => sizes.map((size) => ({ algorithm, permits: 0, ...size }))),
  ...semaphores.flatMap((algorithm) => sizes.map((size) => ({ algorithm, permits: 2, ...size }))),
  // Three members that forget have more than 80 million states.
  ...sizes
    .filter(({ members }) => members === 2)
    .map((size) => ({ algorithm: 'directory-token', permits: 0, forgets: true, ...size })),
].map((row) => ({ callers: 1, forgets: false, ...row }));

export const serviceKey = ({ algorithm, permits, members, callers, requests, crashes, forgets }) =>
  `${algorithm} permits=${permits} members=${members} callers=${callers} requests=${requests} ` +
  `crashes=${crashes}${forgets ? ' forgets' : ''}`;

/** With the engine `leased`: each row is the flags of its command. */
const leasedRows = [
  '',
  ' --stops 1',
  ' --entries 0 --expiries 1',
  ' --entries 0 --stops 1 --expiries 1',
  ' --entries 0 --stops 1 --expiries 1 --tick 3',
  ' --entries 0 --pauses 1',
  ' --pauses 1 --max-states 200000',
].map((flags) => `--engine leased --members 2${flags}`);

export const readServiceResults = () =>
  existsSync(FILE) ? JSON.parse(readFileSync(FILE, 'utf8')) : {};

const HEAD = ['| command | verdict | states | depth |', '|---|---|---|---|'];
const lineOf = (flags, { verdict, states, depth }) =>
  `| \`latchkey check service ${flags}\` | ${verdict} | ${states.toLocaleString('en-US')} | ${depth} |`;

/** The section of docs/checked.md. */
export function servicePage() {
  const results = readServiceResults();
  const lines = serviceRows
    .filter((row) => results[serviceKey(row)])
    .map((row) => {
      const flags = [
        `--algorithm ${row.algorithm}`,
        ...(row.permits > 0 ? [`--k ${row.permits}`] : []),
        `--members ${row.members}`,
        ...(row.callers > 1 ? [`--callers ${row.callers}`] : []),
        ...(row.requests > 1 ? [`--entries ${row.requests}`] : []),
        ...(row.crashes > 0 ? [`--crashes ${row.crashes}`] : []),
        ...(row.forgets ? ['--forget'] : []),
      ];
      return lineOf(flags.join(' '), results[serviceKey(row)]);
    });
  return [
    '',
    '## The lock service itself',
    '',
    'The members as they are deployed (`src/group`), with the engine `fixed`, one lock or one semaphore of two permits. Each',
    'caller asks in either mode, tries, steals, cancels and releases; members crash, restart and leave; messages are in',
    'flight across views; with `--forget`, members forget idle locks, and time passes, at any moment. The checker proves exclusion, that no caller waits for ever, that every outcome is told, that fences',
    'grow, that a try is decided and its refusal is true, and that nothing is left of a request once no caller wants the lock.',
    '',
    ...HEAD,
    ...lines,
    '',
    '### With the engine `leased`',
    '',
    'The engine as deployed, with the same members, on a register that the checker keeps as data. W is 2.5 ticks, with',
    '`--tick 3` 3.3 ticks; the clocks of the members advance in turn. Callers make exclusive requests, cancel and release. `--pauses`: a',
    'process takes no step for any time. `--stops`: it takes no step any more, and its right to act lasts until its deadline.',
    '`--expiries`: the calls that a step makes are lost, or unanswered, or late, or take effect later. The checker also',
    'judges that no member acts that the view leaves out (`left-out`), that none lets a caller in after its deadline',
    '(`late-entry`), that a holder is told of its loss (`lost-told`), and that views grow. `bounded`: nothing wrong was found in so many states.',
    '',
    ...HEAD,
    ...leasedRows.filter((flags) => results[flags]).map((flags) => lineOf(flags, results[flags])),
  ];
}

function keep(key, { verdict, states, transitions, depth }) {
  console.log(key, verdict, states);
  const results = { ...readServiceResults(), [key]: { verdict, states, transitions, depth } };
  writeFileSync(FILE, `${JSON.stringify(results, null, 1)}\n`);
  if (verdict === 'violated') process.exitCode = 1;
}

async function main(words) {
  const { checkService } = await import('latchkey/check');
  const { fixed } = await import('latchkey');
  const isWanted = (key) => words.length === 0 || words.some((word) => key.includes(word));
  for (const row of serviceRows) {
    if (isWanted(serviceKey(row)))
      keep(serviceKey(row), checkService({ ...row, makeEngine: fixed }));
  }
  for (const flags of leasedRows.filter(isWanted)) {
    const command = [BIN, 'check', 'service', ...flags.split(' '), '--json'];
    const stdio = ['ignore', 'pipe', 'inherit'];
    keep(flags, JSON.parse(execFileSync(process.execPath, command, { stdio, encoding: 'utf8' })));
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv.slice(2));
