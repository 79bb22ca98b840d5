/** Section 4.1: messages, from all concurrent to all serial. */
import type { Experiment } from '../experiment.ts';
import type { LineFigure, Series } from '../figure.ts';
import type { Watched } from '../instruments.ts';
import { between, exactly } from '../judge.ts';

const unit = { delay: 'constant:1', cs: 10 } as const;
const SIZES = [3, 4, 5, 6, 8, 10, 15, 20];
const N = 10;
const WHERE = 'section 4.1';

/** What each site's request took: its REQUESTs, the REPLYs to it, and the FLUSH it sends when it leaves. */
function costs({ steps, world }: Watched): number[] {
  const cost = Array<number>(world.n).fill(0);
  for (const { site, sends } of steps) {
    for (const { to, message } of sends) cost[message.type === 'REPLY' ? to : site]! += 1;
  }
  return cost;
}

/** 2N − |CSet|, and one less for the request that is last in the set. */
const sectionFour = (n: number, together: number): number =>
  together === 1
    ? 2 * (n - 1)
    : ((together - 1) * (2 * n - together) + (2 * n - 1 - together)) / together;
/** 2(N−1) − x, x being the other requests made at the same time. */
const sectionOneSays = (n: number, together: number): number => 2 * (n - 1) - (together - 1);

export const messages: Experiment = {
  id: 'lodha-kshemkalyani/messages',
  paper: 'lodha-kshemkalyani',
  measure: (using) => {
    const lk = (nodes: number) => ({ algorithm: 'lodha-kshemkalyani', nodes });
    const atOnce = SIZES.map((n) => using.watch(lk(n), { ...unit, workload: 'once' }));
    const serial = SIZES.map((n) => using.run(lk(n), { ...unit, workload: 'solo', entries: 50 }));
    const ricart = SIZES.map((nodes) =>
      using.run({ algorithm: 'ricart-agrawala', nodes }, { ...unit, workload: 'once' }),
    );
    const some = Array.from({ length: N }, (_, i) => i + 1);
    const concurrent = some.map((entries) =>
      using.run(lk(N), { ...unit, workload: 'once', entries }),
    );
    const schedules = using.check(lk(3), { entries: 1, reportMessages: true });
    const perEntry = (trials: readonly { results: readonly { messagesPerEntry: number }[] }[]) =>
      trials.map(({ results }) => results[0]!.messagesPerEntry);
    const together = perEntry(concurrent);
    const curve = (name: string, xs: readonly number[], ys: readonly number[]): Series => ({
      ...{ name, points: xs.map((x, i) => ({ x, y: ys[i]! })) },
    });
    const concurrentCosts = atOnce.map(({ result }) => result.messagesPerEntry);
    const { totalMessages = [] } = schedules;
    return {
      claims: [
        {
          ...{ id: 'all-concurrent', where: WHERE, from: atOnce },
          claim: 'When all requests are concurrent each takes N messages, and the last one N−1.',
          judged: exactly(
            'N²−1 in all',
            SIZES.map((n) => n * n - 1),
            atOnce.map(({ result }) => result.messages),
          ),
        },
        {
          ...{ id: 'each-concurrent', where: `${WHERE}, cases 1a and 1b`, from: [atOnce[4]!] },
          claim: 'Of eight concurrent requests seven take N messages each, the last N−1.',
          judged: exactly('N, …, N, N−1', [8, 8, 8, 8, 8, 8, 8, 7], costs(atOnce[4]!)),
        },
        {
          ...{ id: 'all-serial', where: `${WHERE}, case 2`, from: serial },
          claim: 'When all are serialized each takes 2(N−1) messages.',
          judged: exactly(
            '2(N−1)',
            SIZES.map((n) => 2 * (n - 1)),
            perEntry(serial),
          ),
        },
        {
          ...{ id: 'section-4-1', where: WHERE, from: concurrent },
          claim:
            'Between all serial and all concurrent it is 2N−|CSet|, and 2N−1−|CSet| for the last of the set.',
          judged: exactly(
            'mean, of 1 to 10 concurrent among ten',
            some.map((m) => sectionFour(N, m)),
            together,
          ),
        },
        {
          ...{ id: 'exact-number', where: 'sections 1 and 5', from: concurrent },
          claim: 'The exact number is 2(N−1)−x, x being the other requests made concurrently.',
          judged: exactly(
            '2(N−1)−x, of 1 to 10 concurrent among ten',
            some.map((m) => sectionOneSays(N, m)),
            together,
          ),
          because:
            'One too low wherever a FLUSH is sent, that is for all but the last of a set: ' +
            'section 4.1 counts it, section 1 does not.',
        },
        {
          ...{ id: 'range', where: 'abstract', from: [...concurrent, ...atOnce] },
          claim: 'An entry takes between N−1 and 2(N−1) messages.',
          judged: between(
            'N−1 to 2(N−1)',
            [N - 1, 2 * (N - 1)],
            [...together, ...costs(atOnce[5]!)],
            true,
          ),
        },
        {
          ...{ id: 'range-every-schedule', where: 'abstract', from: [schedules] },
          claim: 'Every schedule of three requests lies between all concurrent and all serial.',
          judged: between('N²−1 to 2N(N−1)', [8, 12], totalMessages, true),
        },
      ],
      figures: [
        {
          ...{ id: 'lk-against-n', kind: 'lines', paper: 'lodha-kshemkalyani' },
          title: 'Lodha–Kshemkalyani: messages per entry against N',
          caption:
            'All concurrent: (N²−1)/N, half of what Ricart and Agrawala’s takes; all serial: ' +
            'the same. Dashed: what section 1 says of all concurrent.',
          x: { label: 'nodes' },
          y: { label: 'messages per entry' },
          series: [
            curve('all concurrent', SIZES, concurrentCosts),
            curve('all serial', SIZES, perEntry(serial)),
            curve('Ricart–Agrawala', SIZES, perEntry(ricart)),
            {
              ...curve(
                'N−1 (section 1)',
                SIZES,
                SIZES.map((n) => n - 1),
              ),
              formulaOf: 'all concurrent',
            },
          ],
        },
        {
          ...{ id: 'lk-concurrency', kind: 'lines', paper: 'lodha-kshemkalyani' },
          title: 'Lodha–Kshemkalyani: messages against concurrency, ten nodes',
          caption:
            'Measured, section 4.1’s count (on it) and section 1’s 2(N−1)−x (dashed, ' +
            'below): section 1 leaves out the FLUSH.',
          x: { label: 'requests made at the same time' },
          y: { label: 'messages per entry' },
          series: [
            curve('measured', some, together),
            {
              ...curve(
                'section 4.1',
                some,
                some.map((m) => sectionFour(N, m)),
              ),
              formulaOf: 'measured',
            },
            {
              ...curve(
                '2(N−1)−x',
                some,
                some.map((m) => sectionOneSays(N, m)),
              ),
              formulaOf: 'section 1',
            },
          ],
        },
      ] satisfies LineFigure[],
    };
  },
};
