/** One thing of the engine wrong: the real run must find it, or it shows nothing when it finds nothing. */
import { cpSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { scratch } from '../locks/server.js';
import { clock, inRounds, sleep } from './rounds.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const MOST_ROUNDS = 10;

const mutants = [
  {
    id: 'mutant-entry',
    fault:
      'a build without the deadline checks at a step and at the start of a callback; the holder is stopped past its lease',
    edits: [
      ['group/node.js', 'this.viewStart !== null && this.lease.hasEnded(this)', 'false'],
      ['member/driver.js', 'if (node.lease.hasEnded(node))', 'if (false)'],
      [
        'engines/leased-own.js',
        "if (my.phase === 'member')\n        loseTenure(us, 'the lease was not renewed in time');",
        '',
      ],
    ],
    round: enterAfterStop,
  },
  {
    id: 'mutant-fence',
    fault:
      'a build that writes the view without the fencing step; the holder is cut off from the members, and 0.6 W later from the store',
    edits: [
      [
        'engines/leased-propose.js',
        "const call = beginCall(us, { kind: 'fence', sentAt: environment.monotonic });",
        'continue;',
      ],
      [
        'engines/leased-plan.js',
        'dropped.length === 0 && isChange',
        '(isChange || dropped.length > 0)',
      ],
    ],
    round: cutOffTwice,
    needs: 'network',
  },
];

/** The resumed member finds its state as it was: without the check it grants itself the lock that another member holds. */
async function enterAfterStop({ members, context: { leaseMs } }) {
  const [a, b] = members;
  await a.acquire('x');
  const waiting = b.acquire('x');
  a.signal('SIGSTOP');
  await waiting;
  const write = a.ask({ type: 'write', lock: 'x' });
  a.signal('SIGCONT');
  await write;
  await sleep(leaseMs);
}

/** Members that do not reach the holder leave it out; without the fence they do so while its lease still runs. */
async function cutOffTwice({ members, context: { network, leaseMs } }) {
  const [a, b, c] = members;
  await a.acquire('x');
  const waiting = b.acquire('x');
  for (const { self } of [b, c]) network.cutBoth(a.self, self);
  await sleep(0.6 * leaseMs);
  network.cutBoth(a.self, 'store');
  await waiting;
  await sleep(leaseMs);
  network.heal();
}

/** A copy of the program with these edits: each text stands there once. Returns its folder. */
function programWith(edits) {
  const folder = scratch();
  cpSync(join(ROOT, 'dist'), join(folder, 'dist'), { recursive: true });
  cpSync(join(ROOT, 'package.json'), join(folder, 'package.json'));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  for (const [name, text, becomes] of edits) {
    const file = join(folder, 'dist', name);
    const source = readFileSync(file, 'utf8');
    const count = source.split(text).length - 1;
    if (count !== 1) throw new Error(`expected "${text}" once in ${name}, found it ${count} times`);
    writeFileSync(
      file,
      source.replace(text, () => becomes),
    );
  }
  return folder;
}

export const mutantExperiments = mutants.map(({ id, fault, edits, round, needs }) => ({
  id,
  fault,
  needs,
  demand: () =>
    `the judge finds it within ${MOST_ROUNDS} rounds, and nothing with the same fault on the right build`,
  async run(context) {
    const settings = { rounds: 1, parallel: 1, wholeNetwork: needs === 'network' };
    const runWith = (program) =>
      inRounds({ ...context, program }, settings, (one) => round({ ...one, context }));
    const { wrong } = await runWith(undefined);
    const folder = programWith(edits);
    const mutant = join(folder, 'dist', 'soak', 'member.js');
    const began = clock();
    try {
      for (let tried = 1; tried <= MOST_ROUNDS; tried++) {
        const { wrong: findings } = await runWith(mutant);
        const found = findings.find((text) => /acts .* ms later|both have the fence/.test(text));
        if (found === undefined) continue;
        const took = ((clock() - began) / 1000).toFixed(0);
        const seen = `found in round ${tried}, after ${took} s: ${found}`;
        return { rounds: 1, good: 1, seen, wrong };
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
    return { rounds: 1, good: 0, seen: `not found in ${MOST_ROUNDS} rounds`, wrong };
  },
}));
