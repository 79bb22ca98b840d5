/**
 * How far the lock service itself was searched: docs/checked-service.json, and the section of docs/checked.md
 * that is made from it. `node bench/sweep/service.js` runs all rows, which takes about an hour on one core;
 * with words, only the rows whose key contains one of them.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FILE = fileURLToPath(new URL('../../docs/checked-service.json', import.meta.url));

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

export const readServiceResults = () =>
  existsSync(FILE) ? JSON.parse(readFileSync(FILE, 'utf8')) : {};

/** The section of docs/checked.md. */
export function servicePage() {
  const results = readServiceResults();
  const lines = serviceRows
    .filter((row) => results[serviceKey(row)])
    .map((row) => {
      const { verdict, states, depth } = results[serviceKey(row)];
      const flags = [
        `--algorithm ${row.algorithm}`,
        ...(row.permits > 0 ? [`--k ${row.permits}`] : []),
        `--members ${row.members}`,
        ...(row.callers > 1 ? [`--callers ${row.callers}`] : []),
        ...(row.requests > 1 ? [`--entries ${row.requests}`] : []),
        ...(row.crashes > 0 ? [`--crashes ${row.crashes}`] : []),
        ...(row.forgets ? ['--forget'] : []),
      ];
      return `| \`latchkey check service ${flags.join(' ')}\` | ${verdict} | ${states.toLocaleString('en-US')} | ${depth} |`;
    });
  return [
    '',
    '## The lock service itself',
    '',
    'The members as they are deployed (`src/group`), with the engine `fixed`, one lock or one semaphore of two permits. Each',
    'caller asks in either mode, tries, steals, cancels and releases; members crash, restart and leave; messages are in',
    'flight across views; with `--forget`, members forget idle locks at any moment. The checker proves exclusion, that nobody waits for ever, that every outcome is told, that fences',
    'grow, that a try is decided and its refusal is true, and that nothing is left of a request once nobody wants the lock.',
    '',
    '| command | verdict | states | depth |',
    '|---|---|---|---|',
    ...lines,
  ];
}

async function main(words) {
  const { checkService } = await import('latchkey/check');
  const { fixed } = await import('latchkey');
  for (const row of serviceRows) {
    const key = serviceKey(row);
    if (words.length > 0 && !words.some((word) => key.includes(word))) continue;
    const report = checkService({ ...row, makeEngine: fixed });
    const { verdict, states, transitions, depth } = report;
    console.log(key, verdict, states);
    const results = { ...readServiceResults(), [key]: { verdict, states, transitions, depth } };
    writeFileSync(FILE, `${JSON.stringify(results, null, 1)}\n`);
    if (verdict === 'violated') process.exitCode = 1;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv.slice(2));
