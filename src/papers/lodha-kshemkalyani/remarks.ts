/** Section 1 on fairness, figures 3 (t4 to t6) and 4, the third improvement of section 5, and saturation. */
import type { NodeId } from '../../core/algorithm.ts';
import type { TraceStep } from '../../core/trace.ts';
import type { Experiment } from '../experiment.ts';
import type { Instruments } from '../instruments.ts';
import { atLeast, exactly, same } from '../judge.ts';
import { isProved } from '../report.ts';
import { shown } from '../text.ts';
import { Walk } from '../walk.ts';

const lk = (nodes: number, ...options: string[]) => ({
  ...{ algorithm: 'lodha-kshemkalyani', nodes, options },
});
const walkOf = (using: Instruments, nodes: number, ...options: string[]) =>
  new Walk(using.algorithm('lodha-kshemkalyani'), using.world(lk(nodes, ...options)));

interface State {
  readonly queue: readonly { readonly seq: number; readonly pid: NodeId }[];
  readonly replied: readonly boolean[];
}

/** "RV [1,0] LRQ (1,1)(1,2)", as the figures have them. */
function shownState(walk: Walk, site: number): string {
  const { queue, replied } = walk.states[site - 1] as State;
  const requests = queue.map(({ seq, pid }) => `(${seq},${pid + 1})`).join('');
  return `RV [${replied.map(Number).join()}] LRQ ${requests}`;
}

/** Delivers these one after the other, each as [type, from, to]; returns what the last one led to. */
function deliver(walk: Walk, ...sent: readonly (readonly [string, number, number])[]): string {
  return sent.map(([type, from, to]) => walk.deliver(type, from, to)).at(-1)!;
}

/** Figure 3, from t4 on: what the text says of each instant, and what is so. */
function figure3(using: Instruments) {
  const walk = walkOf(using, 3);
  const sites = [1, 2, 3];
  for (const site of sites) walk.request(site);
  for (const from of sites) {
    for (const to of sites) if (to !== from) walk.deliver('REQUEST', from, to);
  }
  const at = (...of: number[]) => of.map((site) => `P${site} ${shownState(walk, site)}`).join('; ');
  const t4 = [at(1, 2, 3), walk.exit(1)].join('; ');
  const t5 = [at(2, 3), walk.deliver('FLUSH', 1, 2)].join('; ');
  const t6 = [at(2, 3), walk.exit(2)].join('; ');
  const end = [walk.deliver('FLUSH', 2, 3), walk.exit(3)].join('; ');
  return { t4, t5, t6: `${t6}; then ${end}` };
}

/** Figure 4: P1, P3, P4 and P5 ask, P2 and P6 do not; what P4 knows at (a), (b) and (c). */
function figure4(using: Instruments) {
  const walk = walkOf(using, 6);
  for (const site of [1, 3, 4, 5]) walk.request(site);
  const a = shownState(walk, 4);
  deliver(walk, ['REQUEST', 1, 4], ['REQUEST', 3, 4], ['REQUEST', 5, 4]);
  deliver(walk, ['REQUEST', 4, 2], ['REPLY', 2, 4]);
  const b = shownState(walk, 4);
  for (const from of [1, 3]) {
    for (const to of [1, 3, 4, 5]) if (to !== from) walk.deliver('REQUEST', to, from);
    for (const idle of [2, 6]) deliver(walk, ['REQUEST', from, idle], ['REPLY', idle, from]);
  }
  deliver(walk, ['REQUEST', 4, 6], ['REPLY', 6, 4]);
  walk.exit(1);
  deliver(walk, ['FLUSH', 1, 3]);
  walk.exit(3);
  const enters = deliver(walk, ['FLUSH', 3, 4]);
  return { a, b, c: `${shownState(walk, 4)}; ${enters}` };
}

/**
 * P3 leaves and asks again; P2 hears of it, and then answers P1. So when P1 asks again, that is after P3's
 * request, though P3's REQUEST has not reached it.
 */
function relayed(using: Instruments, ...options: string[]): { order: string; sent: number } {
  const clock = options.length > 0 ? '_WITH_CLOCK' : '';
  const reply = `REPLY${clock}`;
  const walk = walkOf(using, 3, ...options);
  walk.request(3);
  deliver(walk, ['REQUEST', 3, 1], ['REQUEST', 3, 2]);
  walk.request(1);
  deliver(walk, [reply, 1, 3], [reply, 2, 3], ['REQUEST', 1, 3]);
  walk.exit(3);
  walk.request(3);
  deliver(walk, ['REQUEST', 3, 2], ['REQUEST', 1, 2], [reply, 2, 1], [reply, 3, 1]);
  walk.exit(1);
  walk.request(1);
  deliver(walk, ['REQUEST', 3, 1], ['REQUEST', 1, 3], ['REQUEST', 1, 2]);
  deliver(walk, [reply, 2, 1], [reply, 2, 3]);
  const [first, second] = walk.entered.at(-1) === 1 && walk.entered.length === 3 ? [1, 3] : [3, 1];
  walk.exit(first!);
  deliver(walk, [`FLUSH${clock}`, first!, second!]);
  walk.exit(second!);
  return { order: walk.entered.join(', '), sent: walk.sent };
}

/**
 * How often a request enters before one of higher priority, by the clocks of section 1: a request's time is one
 * more than the highest that its process has sent, or received in a REQUEST.
 */
function inversions(steps: readonly TraceStep[], n: number): number {
  const clock = Array<number>(n).fill(0);
  const waiting = new Map<NodeId, number>();
  const times = new Map<number, number>();
  let count = 0;
  for (const step of steps) {
    const { site, sends, enters } = step;
    if ('mode' in step) waiting.set(site, ++clock[site]!);
    if (step.event === 'deliver' && step.message.type.includes('REQUEST')) {
      clock[site] = Math.max(clock[site]!, times.get(step.id) ?? 0);
    }
    for (const { id } of sends) times.set(id, clock[site]!);
    if (!enters) continue;
    const own = waiting.get(site)!;
    const isBefore = ([j, time]: readonly [NodeId, number]) =>
      time < own || (time === own && j < site);
    if ([...waiting].some(isBefore)) count++;
    waiting.delete(site);
  }
  return count;
}

export const remarks: Experiment = {
  id: 'lodha-kshemkalyani/remarks',
  paper: 'lodha-kshemkalyani',
  measure: (using) => {
    const [third, fourth] = [figure3(using), figure4(using)];
    const walked = (what: string) => [
      { how: `lodha-kshemkalyani, the steps of ${what}`, seeds: [] },
    ];
    const [plain, clocked] = [relayed(using), relayed(using, 'clock-on-all')];
    const proof = using.check(lk(3, 'clock-on-all'), { entries: using.pick(1, 2) });
    const settings = {
      workload: 'poisson',
      rate: 0.01,
      entries: using.pick(2000, 10_000),
      delay: 'exponential:20',
    } as const;
    const watched = ['singhal-heuristic', 'singhal-dynamic', 'ricart-agrawala'].map((algorithm) =>
      using.watch({ algorithm, nodes: 6 }, settings),
    );
    const [heuristic, dynamic, ricart] = watched.map(({ steps }) => inversions(steps, 6)) as [
      number,
      number,
      number,
    ];
    const load = (workload: 'saturated' | 'once') =>
      ['lodha-kshemkalyani', 'ricart-agrawala'].map((algorithm) =>
        using.run(
          { algorithm, nodes: 10 },
          {
            delay: 'constant:1',
            cs: 10,
            workload,
            ...(workload === 'saturated' && { entries: 500 }),
          },
        ),
      );
    const [busy, atOnce] = [load('saturated'), load('once')];
    const ratio = (runs: typeof busy) => {
      const [ours, theirs] = runs.map(({ results: [r] }) => (r!.steady ?? r!).messagesPerEntry);
      return ours! / theirs!;
    };
    const fewer = (runs: typeof busy) => (ratio(runs) < 1 ? 'fewer messages' : 'no fewer messages');
    const all = '(1,1)(1,2)(1,3)';
    const note = `On the same run Ricart and Agrawala’s has ${ricart}.`;
    return {
      claims: [
        {
          ...{ id: 'unfair-heuristic', where: 'section 1', from: watched },
          claim: 'Singhal’s heuristic lets a request in before one of higher priority.',
          judged: atLeast('entries before a higher priority', 1, [heuristic]),
          note,
        },
        {
          ...{ id: 'unfair-dynamic', where: 'section 1', from: watched },
          claim: 'Singhal’s dynamic structure lets a request in before one of higher priority.',
          judged: atLeast('entries before a higher priority', 1, [dynamic]),
          note,
        },
        {
          ...{ id: 'fair-ricart-agrawala', where: 'section 1', from: [watched[2]!] },
          claim: 'Ricart and Agrawala’s never lets a request in before one of higher priority.',
          judged: exactly('entries before a higher priority', 0, ricart),
        },
        {
          ...{ id: 'figure-3-t4', where: 'figure 3, t4', from: walked('figure 3') },
          claim: 'P1 leaves: all three have all in their queues, and P1 sends a FLUSH to P2 only.',
          judged: same(
            `P1 RV [1,1,1] LRQ ${all}; P2 RV [1,1,1] LRQ ${all}; P3 RV [1,1,1] LRQ ${all}; FLUSH to 2`,
            third.t4,
          ),
        },
        {
          ...{ id: 'figure-3-t5', where: 'figure 3, t5', from: walked('figure 3') },
          claim: 'P2 gets the FLUSH, strikes (1,1), and enters.',
          judged: same(`P2 RV [1,1,1] LRQ ${all}; P3 RV [1,1,1] LRQ ${all}; enters`, third.t5),
        },
        {
          ...{ id: 'figure-3-t6', where: 'figure 3, t6', from: walked('figure 3') },
          claim:
            'P2 leaves with (1,2) and (1,3) in its queue; P3 follows, and sends nothing when it leaves.',
          judged: same(
            `P2 RV [1,1,1] LRQ (1,2)(1,3); P3 RV [1,1,1] LRQ ${all}; FLUSH to 3; then enters; nothing`,
            third.t6,
          ),
        },
        {
          ...{ id: 'figure-4-a', where: 'figure 4a', from: walked('figure 4') },
          claim: 'Just after P4 has sent its REQUESTs, its queue and RV have itself only.',
          judged: same('RV [0,0,0,1,0,0] LRQ (1,4)', fourth.a),
        },
        {
          ...{ id: 'figure-4-b', where: 'figure 4b', from: walked('figure 4') },
          claim: 'P4 has REQUESTs of P1, P3 and P5 in order, a REPLY of P2, and nothing of P6.',
          judged: same('RV [1,1,1,1,1,0] LRQ (1,1)(1,3)(1,4)(1,5)', fourth.b),
        },
        {
          ...{ id: 'figure-4-c', where: 'figure 4c', from: walked('figure 4') },
          claim: 'P4 enters when all have answered and its request is the head of its queue.',
          judged: same('RV [1,1,1,1,1,1] LRQ (1,4)(1,5); enters', fourth.c),
        },
        {
          ...{ id: 'improvement-3', where: 'section 5', from: walked('a request relayed by P2') },
          claim:
            'With the highest number on all messages, a request that causality puts after another comes after it.',
          judged: same('3, 1, 3, 1', clocked.order),
          note: `Without it: ${plain.order}. P1’s second request is after P3’s, of which P2 has told it.`,
        },
        {
          ...{
            id: 'improvement-3-messages',
            where: 'section 5',
            from: walked('a request relayed by P2'),
          },
          claim: 'The highest number on all messages takes no message more.',
          judged: exactly('messages, four entries', plain.sent, clocked.sent),
        },
        {
          ...{ id: 'improvement-3-safe', where: 'section 5', from: [proof] },
          claim: 'With the highest number on all messages it is as safe, fair and live as without.',
          judged: isProved(proof),
        },
        {
          ...{ id: 'saturation', where: 'section 5', from: [...busy, ...atOnce] },
          claim: 'It improves upon Ricart and Agrawala’s algorithm.',
          judged: same('saturated: fewer messages', `saturated: ${fewer(busy)}`),
          only: {
            condition: 'where requests are concurrent, as when all ask at once',
            judged: same('all at once: fewer messages', `all at once: ${fewer(atOnce)}`),
          },
          because:
            'When all ask all the time, each site has the REQUESTs of the others before it asks again, ' +
            `so that none is concurrent: its messages over theirs are ${shown(ratio(busy))}, N = 10.`,
        },
      ],
    };
  },
};
