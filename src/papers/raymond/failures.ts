/** Sections 8.4 to 8.8: the lost order of the queue, duplicates, failures during recovery and side by side. */
import type { NodeId } from '../../core/algorithm.ts';
import type { Experiment } from '../experiment.ts';
import type { Instruments, Watched } from '../instruments.ts';
import { atMost, exactly, same } from '../judge.ts';
import { isProved, isViolated } from '../report.ts';

const unit = { delay: 'constant:1', cs: 10 } as const;
const CRASHES = [1, 5, 20];
const ENTRIES = 150;

const on = (nodes: number, topology: string, ...options: string[]) => ({
  ...{ algorithm: 'raymond', nodes, topology, options },
});
type Mail = readonly { readonly to: NodeId; readonly message: { readonly type: string } }[];
interface Seen {
  readonly sites: readonly {
    readonly queue: readonly NodeId[];
    readonly asked: boolean;
    readonly life: number;
    readonly lives: readonly number[];
  }[];
  readonly inFlight: Mail;
}

/** Site 1 fails whenever the privilege is on its way to it; site 0 asks all the time, and site 2 once. */
function starving(using: Instruments, option: string, crashes: number): Watched {
  const faults = Array.from({ length: crashes }, (_, i) => [
    { at: 10.5 + 15 * i, crash: 1 },
    { at: 12 + 15 * i, restart: 1 },
  ]).flat();
  const requests = ['0 request 2', ...Array(crashes + 3).fill('0 request 0')];
  return using.watch(on(3, 'line', option), {
    ...{ ...unit, workload: 'script', script: requests.join('\n') },
    faults: JSON.stringify(faults),
  });
}

/** How many pairs of the queue that the centre of a star had before its crash are the other way round after it. */
function inversions({ steps }: Watched): number {
  const queueOf = (state: unknown) => (state as { queue: readonly NodeId[] }).queue;
  const crash = steps.findIndex(({ event }) => event === 'crash');
  const before = queueOf(steps.slice(0, crash).findLast(({ site }) => site === 0)!.state);
  const isBack = (state: unknown) => !(state as { lives: readonly number[] }).lives.includes(-1);
  const restart = steps.findIndex(({ event }) => event === 'restart');
  const recovered = steps.slice(restart).find(({ site, state }) => site === 0 && isBack(state))!;
  const after = queueOf(recovered.state);
  const shared = before.filter((name) => name !== 0 && after.includes(name));
  const pairs = shared.flatMap((a, i) => shared.slice(i + 1).map((b) => [a, b] as const));
  return pairs.filter(([a, b]) => after.indexOf(a) > after.indexOf(b)).length;
}

/** Inversions in all, over crashes at various times of a star in which all ask all the time. */
function disorder(using: Instruments, option: string) {
  const runs = Array.from({ length: using.pick(20, 100) }, (_, i) =>
    using.watch(on(6, 'star', option), {
      ...{ workload: 'saturated', entries: 60, cs: 10, delay: 'exponential:5', seed: i + 1 },
      faults: `[{ "at": ${200 + 7 * i}, "crash": 0 }, { "at": ${203 + 7 * i}, "restart": 0 }]`,
    }),
  );
  const all = runs.reduce((sum, run) => sum + inversions(run), 0);
  return { all, how: runs[0]!.how, seeds: runs.flatMap(({ seeds }) => seeds) };
}

/** A site fails, returns, fails again when its RESTART has been answered, and returns: so five times. */
function failingTwice(using: Instruments, option: string, delay: number) {
  const faults = Array.from({ length: 5 }, (_, i) => {
    const [at, site] = [60 + 400 * i, i % 3];
    const asked = at + 20 + delay;
    return [
      { at, crash: site },
      { at: at + 20, restart: site },
      { at: asked + 1.2, crash: site }, // the ADVISEs come 2 after the RESTARTs
      { at: asked + 1.5, restart: site },
    ];
  }).flat();
  return using.run(on(3, 'line', option), {
    ...{ ...unit, workload: 'saturated', entries: ENTRIES, links: 'fifo' },
    faults: JSON.stringify(faults),
  });
}

/** No queue names a node more often than so many times. */
const atMostTimes = (times: number) => ({
  [`no name is in a queue more than ${times === 1 ? 'once' : 'twice'}`]: ({ sites }: Seen) =>
    sites.every(({ queue }) =>
      queue.every((name) => queue.filter((other) => other === name).length <= times),
    ),
});

const ownQueue = {
  'the queue of a node that has restarted names no node twice': ({ sites }: Seen) =>
    sites.every(({ queue, life }) => life === 0 || new Set(queue).size === queue.length),
};

const expecting = {
  'every PRIVILEGE is expected': ({ sites, inFlight }: Seen) =>
    inFlight.every(({ to, message }) => message.type !== 'PRIVILEGE' || sites[to]!.asked),
};

const emptyQueue = {
  'the queue of a node that expects no PRIVILEGE is empty when one comes': ({
    sites,
    inFlight,
  }: Seen) =>
    inFlight.every(({ to, message }) => {
      const { asked, queue, lives } = sites[to]!;
      const isRecovering = lives.some((life) => life < 0);
      return message.type !== 'PRIVILEGE' || asked || isRecovering || queue.length === 0;
    }),
};

export const failures: Experiment = {
  id: 'raymond/failures',
  paper: 'raymond',
  measure: (using) => {
    const passes = (option: string) => {
      const runs = CRASHES.map((crashes) => starving(using, option, crashes));
      return { runs, passed: runs.map(({ order }) => order.indexOf(2)) };
    };
    const [arrival, privileges] = [passes('recovery'), passes('rebuild=privileges')];
    const [lost, stamped] = [disorder(using, 'recovery'), disorder(using, 'rebuild=timestamps')];
    const unnumbered = on(3, 'line', 'unnumbered');
    const crash = { entries: using.pick(1, 2), crashes: 1, links: 'fifo' } as const;
    const safe = using.check(unnumbered, crash);
    const twice = using.checkThat(unnumbered, atMostTimes(1), crash);
    const thrice = using.checkThat(unnumbered, atMostTimes(2), crash);
    const surprise = using.checkThat(unnumbered, expecting, { ...crash, entries: 2 });
    const idle = using.checkThat(unnumbered, emptyQueue, crash);
    const numbered = using.checkThat(on(3, 'line', 'recovery'), ownQueue, {
      ...{ entries: 1, crashes: 1, links: 'any' },
    });
    const failingRuns = [
      failingTwice(using, 'unnumbered', 100),
      failingTwice(using, 'recovery', 0),
    ];
    const adjacent = using.attempt(on(6, 'line', 'recovery'), {
      ...{ ...unit, workload: 'script', script: '60 request 5' },
      faults: JSON.stringify(
        [2, 3].flatMap((site) => [
          { at: 20, crash: site },
          { at: 30 + site, restart: site },
        ]),
      ),
    });
    const [violation] = adjacent.result.violations;
    return {
      claims: [
        {
          ...{ id: 'rebuild-timestamps', where: 'section 8.4', from: [lost, stamped] },
          claim: 'With time-stamps the rebuilt queue is closer to the lost one.',
          judged: atMost('pairs in the wrong order, with / without', 1, [stamped.all / lost.all]),
          note: `${stamped.all} pairs against ${lost.all}, by Lamport’s clocks.`,
        },
        {
          ...{ id: 'rebuild-starvation', where: 'section 8.4', from: arrival.runs },
          claim:
            'A node is passed over as long as its neighbour fails each time before serving it.',
          judged: exactly(
            'entries before its own, 1, 5 and 20 crashes',
            [2, 6, 21],
            arrival.passed,
          ),
        },
        {
          ...{ id: 'rebuild-privileges', where: 'section 8.4', from: privileges.runs },
          claim: 'Ordered by the number of PRIVILEGEs received, the queue starves no node.',
          judged: atMost('entries before its own, 1, 5 and 20 crashes', 2, privileges.passed),
        },
        {
          ...{ id: 'duplicates-safe', where: 'section 8.6', from: [safe] },
          claim: 'Duplicates in REQUEST_Q do not endanger the correctness of the algorithm.',
          judged: isProved(safe),
          note: 'The recovery as section 8 describes it, over links that keep order.',
        },
        {
          ...{ id: 'duplicates-occur', where: 'section 8.6', from: [twice] },
          claim: 'A node may be placed in the REQUEST_Q of a recovering node twice.',
          judged: isViolated('no name is in a queue more than once', twice),
        },
        {
          ...{ id: 'duplicates-two', where: 'section 8.6', from: [thrice] },
          claim: 'A queue has at most two occurrences of each neighbour, or of self.',
          judged: isProved(thrice),
        },
        {
          ...{ id: 'duplicates-unexpected', where: 'section 8.6', from: [surprise] },
          claim: 'A node that was in the queue twice receives the privilege unexpectedly.',
          judged: isViolated('every PRIVILEGE is expected', surprise),
        },
        {
          ...{ id: 'duplicates-idle', where: 'section 8.6', from: [idle] },
          claim: 'The REQUEST_Q of a node that was not expecting the PRIVILEGE is empty.',
          judged: isProved(idle),
        },
        {
          ...{ id: 'duplicates-avoided', where: 'section 8.6', from: [numbered] },
          claim: 'A recovering node can check for duplicates, and then has none.',
          judged: isProved(numbered),
          note: 'Ours does it by numbering the messages.',
        },
        {
          ...{ id: 'again-delay', where: 'section 8.7', from: [failingRuns[0]!] },
          claim: 'A delay before RESTART makes answers to an earlier RESTART harmless.',
          judged: exactly('entries', ENTRIES, failingRuns[0]!.results[0]!.entries),
        },
        {
          ...{ id: 'again-identifier', where: 'section 8.7', from: [failingRuns[1]!] },
          claim: 'An identifier on RESTART and its answer does the same.',
          judged: exactly('entries', ENTRIES, failingRuns[1]!.results[0]!.entries),
        },
        {
          ...{ id: 'recovery-adjacent', where: 'section 8.8', from: [adjacent] },
          claim: 'Recovery is not for adjacent nodes that fail together.',
          judged: same('deadlock-freedom violated', `${violation?.property ?? 'nothing'} violated`),
        },
      ],
    };
  },
};
