/** Section 5, Raynal's prime numbers and the survey's own modification. */
import { firstX, isMissing, nextX } from '../../algorithms/raynal-primes/numbers.ts';
import type { Experiment } from '../experiment.ts';
import { atMost, exactly, same } from '../judge.ts';
import { isProved, isViolated } from '../report.ts';

const unit = { delay: 'constant:1', cs: 1 } as const;
const SIZES = [3, 5, 8];

export const primes: Experiment = {
  id: 'survey/primes',
  paper: 'survey',
  measure: (using) => {
    const raynal = (nodes: number, ...options: string[]) => ({
      algorithm: 'raynal-primes',
      nodes,
      options,
    });
    const always = { entries: Number.POSITIVE_INFINITY };
    const owner = using.run(raynal(5), { ...unit, workload: 'script', script: '0 request 0' });
    const patient = using.run(raynal(2), {
      ...{ ...unit, workload: 'script', script: '0 request 0 stay 100\n5 request 1' },
    });
    const stuck = using.check(raynal(3), { entries: [0, 1, 0] });
    const informed = using.check(raynal(3, 'inform'), always);
    const printed = using.checkPrinted('raynal-primes', 'survey');
    const whole = using.checkCharitably('raynal-primes', 'survey');
    const farthest = SIZES.map((n) => {
      const trial = using.watch(raynal(n, 'inform'), {
        ...{ ...unit, workload: 'script', script: `0 request ${n - 1}` },
      });
      const entry = trial.steps.findIndex(({ enters }) => enters);
      const sent = trial.steps.slice(0, entry).flatMap(({ sends }) => sends);
      return { ...trial, sent: sent.length };
    });
    const exact = [[], ['inform']].map((form) =>
      [[], ['primes']].map((numbers) =>
        using.run(raynal(5, ...form, ...numbers), { workload: 'saturated', entries: 200 }),
      ),
    );
    const turns = walkOf(5, 40);
    return {
      claims: [
        {
          ...{ id: 'raynal-turn', where: 'section 5', from: [{ how: turns.how, seeds: [] }] },
          claim:
            'Raynal: T equals Q/A of one node, and of the next round the ring after each exit.',
          judged: same(turns.ring, turns.found),
        },
        {
          ...{ id: 'raynal-parity', where: 'section 5', from: exact.flat() },
          claim:
            'Raynal: with the numbers themselves, or with their exponents modulo 2, it is the same run.',
          judged: exactly(
            'messages, polling and informing',
            exact.map(([parities]) => parities!.results[0]!.messages),
            exact.map(([, numbers]) => numbers!.results[0]!.messages),
          ),
        },
        {
          ...{ id: 'raynal-poll', where: 'section 5', from: [owner] },
          claim: 'Raynal: the owner of the permission asks all and is answered by all, 2(N−1).',
          judged: exactly('2(N−1)', 8, owner.results[0]!.messages),
        },
        {
          ...{ id: 'raynal-bound', where: 'table 2, section 5', from: [patient] },
          claim: 'Raynal: at most 2(N−1)² messages.',
          judged: atMost('2(N−1)² for each of two entries, N = 2', 4, [
            patient.results[0]!.messages,
          ]),
          because:
            'A node that is not the owner polls until it is, as often as that takes: longer stays, more polls.',
        },
        {
          ...{ id: 'raynal-deadlock', where: 'section 5', from: [stuck] },
          claim:
            'Raynal’s algorithm can suffer from deadlock if the next node in the ring does not ' +
            'want to enter.',
          judged: isViolated('starvation-freedom', stuck),
          note: 'A node that wants to enter polls for ever.',
        },
        {
          ...{ id: 'raynal-modified', where: 'section 5', from: [informed] },
          claim: 'The survey’s modification, in which nodes inform each other, avoids deadlocks.',
          judged: isProved(informed),
        },
        {
          ...{ id: 'raynal-modified-bound', where: 'section 5', from: farthest },
          claim:
            'The modification takes (N−1)² messages in the worst case, when the farthest node wants in.',
          judged: exactly(
            '(N−1)² until it enters, N = 3, 5, 8',
            SIZES.map((n) => (n - 1) * (n - 1)),
            farthest.map(({ sent }) => sent),
          ),
          note: 'And N−1 more when it leaves.',
        },
        {
          ...{ id: 'raynal-product', where: 'section 5', from: [printed, whole] },
          claim: 'Raynal: T is the product of all values received.',
          judged: isProved(printed),
          only: {
            condition: 'if the node’s own value is one of them',
            judged: isProved(whole),
          },
          because:
            'Without its own value the first owner passes the test for ever, and no other node does.',
        },
      ],
    };
  },
};

/** The right walks round the ring: whose turn the numbers say it is, exit after exit. */
function walkOf(n: number, exits: number) {
  const values = Array.from({ length: n }, (_, i) => firstX(i));
  const found: string[] = [];
  for (let exit = 0; exit < exits; exit++) {
    const owners = values.flatMap((_, i) => (isMissing(values, i) ? [i] : []));
    found.push(owners.join(' and '));
    const owner = exit % n;
    values[owner] = nextX(values[owner]!, owner, n);
  }
  const ring = Array.from({ length: exits }, (_, exit) => exit % n).join(', ');
  return {
    ...{ ring, found: found.join(', ') },
    how: `raynal-primes, the numbers of ${n} sites over ${exits} exits`,
  };
}
