/** docs/faults.json keeps the last result of each experiment on each store; docs/faults.md shows them. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const DATA = new URL('../../docs/faults.json', import.meta.url);
const PAGE = new URL('../../docs/faults.md', import.meta.url);
const TITLES = {
  postgres: 'Postgres, one primary',
  etcd: 'etcd, three nodes',
  nats: 'NATS JetStream, one server',
};

export const readResults = () => (existsSync(DATA) ? JSON.parse(readFileSync(DATA, 'utf8')) : []);

/** Replaces the results of the same experiments, and makes the page again. */
export function addResults(experiments, added) {
  const keyOf = ({ store, id }) => `${store}/${id}`;
  const all = new Map([...readResults(), ...added].map((one) => [keyOf(one), one]));
  const order = experiments.map(({ id }) => id);
  const stores = Object.keys(TITLES);
  const rows = [...all.values()].sort(
    (a, b) =>
      stores.indexOf(a.store) - stores.indexOf(b.store) ||
      order.indexOf(a.id) - order.indexOf(b.id),
  );
  writeFileSync(DATA, `[\n${rows.map((row) => JSON.stringify(row)).join(',\n')}\n]\n`);
  writeFileSync(PAGE, faultsPage(rows));
}

export function faultsPage(rows) {
  const sections = Object.entries(TITLES).flatMap(([store, title]) => {
    const own = rows.filter((row) => row.store === store);
    return own.length === 0 ? [] : [`## ${title}`, '', ...tableOf(own), ''];
  });
  return [INTRODUCTION, ...sections, LIMITS].join('\n');
}

const cell = (text) => text.replace(/\|/g, '\\|').replace(/\n/g, ' ');

function tableOf(rows) {
  const lines = rows.map(({ fault, demand, rounds, good, seen, wrong, leaseMs, at }) => {
    const errors = wrong.length === 0 ? '' : `; **${wrong.length} wrong: ${wrong[0]}**`;
    const verdict =
      good === rounds && wrong.length === 0 ? `${good} of ${rounds}` : `**${good} of ${rounds}**`;
    return `| ${[fault, demand, verdict, `${seen}${errors}`, `${leaseMs / 1000} s`, at].map(String).map(cell).join(' | ')} |`;
  });
  return ['| fault | demand | met | seen | W | run |', '|---|---|---|---|---|---|', ...lines];
}

const INTRODUCTION = `# Real faults: what was injected, and what was seen

Members are processes of one machine, on real servers. \`node bench/faults.js\` injects the faults and makes this page from
[faults.json](faults.json), which has the last run of each row. \`npm run bench -- faults --engine all --minutes 10\` runs
all of them. It needs root for the faults of links and disks.

A judge hears of every hold of every lock. A *stamp* is a proof of a right: a holder reads the clock, and then
finds that its lock is not lost. All processes of a machine have that clock in common. Of two holds of one lock, the last
stamp of the lower fence must come before the first stamp of the higher one. So the judge sees exclusion by the fence
and by the deadline, and a process that was paused between the two does not deceive it.

What a lock protects is a register that refuses a write with a lower fence than the highest that it has seen. "Late
writes" are those that it refused. "lost" counts holders that were told that they lost their lock.

"Stopped" means SIGSTOP: the process, or all processes of the store, stand still and their connections stay open. Links
are cut by dropping packets in the network namespace of a member.

Without root, \`latchkey soak --engine URL --minutes M\` kills and stops its own processes on your store, with the same judge.
[safety.md](safety.md) has the argument and the limits.
`;

const LIMITS = `## What these runs do not show

- All members run on the kernel of one machine. Rates of clocks are bent by faketime in one row; the simulated runs
  (\`test/engines/leased.test.ts\`) bend them in every seed.
- An asynchronous standby may lack the last commits of the primary. Members notice the promotion by the timeline, are
  all suspended, and begin again with a higher epoch. If the old primary still runs and some processes reach only it, there
  are two groups: fence the old primary, or use a synchronous standby.
- NATS was version 2.9.10, which the engine refuses unless \`allowUnsafe\` is set: it acknowledges writes before they are on
  disk. The rows show the protocol, and no durability.
- A right to act lasts for 0.8 W after the last renewal, which is up to 0.1 W old when the store dies. So a store that does not
  serve again within 0.6 W may cost locks. One was lost so at a restart of Postgres, while a renewal after an outage still
  waited for the next beat; now it follows the first answer (\`leased-directed.test.ts\`: a store that is frozen or dead for …).
  The rows in which a store is killed say for how long it was away: until \`pg_isready\`, etcd's \`/health\` or JetStream
  answered, which is later than the first TCP connection.
- A run that finds nothing proves nothing. The rows about a *build without* a check show that the judge can find something.
`;
