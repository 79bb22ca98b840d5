/** Figures 3 and 5 to 7, message by message. Processes are 1, 2, 3 for the paper's i, j, k. */
import type { Claim, Experiment } from '../experiment.ts';
import { exactly, same } from '../judge.ts';
import { Walk } from '../walk.ts';

type Step = (walk: Walk) => string;
const request =
  (site: number): Step =>
  (walk) =>
    walk.request(site);
const exit =
  (site: number): Step =>
  (walk) =>
    walk.exit(site);
const deliver =
  (type: string, from: number, to: number): Step =>
  (walk) =>
    walk.deliver(type, from, to);

interface Scenario {
  readonly id: string;
  readonly where: string;
  readonly claim: string;
  readonly steps: readonly Step[];
  readonly order: string;
  /** By type: REQUEST, REPLY, FLUSH. */
  readonly messages: readonly [number, number, number];
}

const SCENARIOS: readonly Scenario[] = [
  {
    id: 'figure-5-1',
    where: 'figure 5, scenario 1',
    claim: 'Only P_i asks: it gets a REPLY from each, and enters.',
    steps: [
      ...[request(1), deliver('REQUEST', 1, 2), deliver('REQUEST', 1, 3)],
      ...[deliver('REPLY', 2, 1), deliver('REPLY', 3, 1), exit(1)],
    ],
    ...{ order: '1', messages: [2, 2, 0] },
  },
  {
    id: 'figure-5-2a',
    where: 'figure 5, scenario 2a',
    claim: 'P_i and P_j ask concurrently: REQUESTs serve as replies, a FLUSH lets P_j in.',
    steps: [
      ...[request(1), request(2), deliver('REQUEST', 2, 1), deliver('REQUEST', 1, 2)],
      ...[deliver('REQUEST', 1, 3), deliver('REQUEST', 2, 3)],
      ...[deliver('REPLY', 3, 1), deliver('REPLY', 3, 2), exit(1), deliver('FLUSH', 1, 2), exit(2)],
    ],
    ...{ order: '1, 2', messages: [4, 2, 1] },
  },
  {
    id: 'figure-5-2b',
    where: 'figure 5, scenario 2b',
    claim: 'P_j asks after its REPLY to P_i: its REQUEST is deferred, and answered by a REPLY.',
    steps: [
      ...[request(1), deliver('REQUEST', 1, 2), request(2), deliver('REPLY', 2, 1)],
      ...[deliver('REQUEST', 2, 1), deliver('REQUEST', 1, 3), deliver('REPLY', 3, 1)],
      ...[
        deliver('REQUEST', 2, 3),
        deliver('REPLY', 3, 2),
        exit(1),
        deliver('REPLY', 1, 2),
        exit(2),
      ],
    ],
    ...{ order: '1, 2', messages: [4, 4, 0] },
  },
  {
    id: 'figure-5-2c',
    where: 'figure 5, scenario 2c',
    claim:
      'P_i asks again while P_j still waits for P_k: that REQUEST is deferred until P_j is out.',
    steps: [
      ...[request(1), request(2), deliver('REQUEST', 2, 1), deliver('REQUEST', 1, 2)],
      ...[deliver('REQUEST', 1, 3), deliver('REPLY', 3, 1), exit(1), deliver('FLUSH', 1, 2)],
      ...[request(1), deliver('REQUEST', 1, 2), deliver('REQUEST', 2, 3), deliver('REPLY', 3, 2)],
      ...[
        exit(2),
        deliver('REQUEST', 1, 3),
        deliver('REPLY', 3, 1),
        deliver('REPLY', 2, 1),
        exit(1),
      ],
    ],
    ...{ order: '1, 2, 1', messages: [6, 4, 1] },
  },
  {
    id: 'figure-6',
    where: 'figure 6',
    claim: 'A REPLY of P_j stands for P_i too, and P_k, concurrent with P_i, gets no FLUSH.',
    steps: [
      ...[request(2), deliver('REQUEST', 2, 3), request(1), request(3)],
      ...[deliver('REQUEST', 2, 1), deliver('REQUEST', 1, 2), deliver('REPLY', 3, 2)],
      ...[deliver('REQUEST', 1, 3), deliver('REQUEST', 3, 1), deliver('REQUEST', 3, 2), exit(1)],
      ...[deliver('FLUSH', 1, 2), exit(2), deliver('REPLY', 2, 3), exit(3)],
    ],
    ...{ order: '1, 2, 3', messages: [6, 2, 1] },
  },
  {
    id: 'figure-7',
    where: 'figure 7',
    claim: 'P_k gets two FLUSHes, one of P_j and one of P_i’s second entry.',
    steps: [
      ...[request(1), deliver('REQUEST', 1, 3), request(2), request(3)],
      ...[deliver('REQUEST', 2, 1), deliver('REPLY', 3, 1), deliver('REQUEST', 1, 2)],
      ...[deliver('REQUEST', 2, 3), deliver('REQUEST', 3, 2), exit(1), deliver('FLUSH', 1, 2)],
      ...[request(1), deliver('REQUEST', 3, 1), deliver('REQUEST', 1, 3), exit(2)],
      ...[deliver('FLUSH', 2, 3), deliver('REQUEST', 1, 2), deliver('REPLY', 2, 1), exit(1)],
      ...[deliver('FLUSH', 1, 3), exit(3)],
    ],
    ...{ order: '1, 2, 1, 3', messages: [8, 2, 3] },
  },
];

export const figures: Experiment = {
  id: 'lodha-kshemkalyani/figures',
  paper: 'lodha-kshemkalyani',
  measure: (using) => {
    const subject = { algorithm: 'lodha-kshemkalyani', nodes: 3 };
    const claims = SCENARIOS.map(({ steps, order, messages, id, where, claim }): Claim => {
      const walk = new Walk(using.algorithm(subject.algorithm), using.world(subject));
      for (const step of steps) step(walk);
      const [requests, replies, flushes] = messages;
      const { REQUEST = 0, REPLY = 0, FLUSH = 0 } = walk.sentByType;
      return {
        ...{ id, where, claim },
        judged: same(
          `order ${order}; ${requests} REQUESTs, ${replies} REPLYs, ${flushes} FLUSHes`,
          `order ${walk.entered.join(', ')}; ${REQUEST} REQUESTs, ${REPLY} REPLYs, ${FLUSH} FLUSHes`,
        ),
        from: [{ how: `lodha-kshemkalyani, 3 sites, the steps of ${where}`, seeds: [] }],
      };
    });
    const unit = { delay: 'constant:1', cs: 10, workload: 'once' } as const;
    const three = using.watch(subject, unit);
    const ricart = using.run({ algorithm: 'ricart-agrawala', nodes: 3 }, unit);
    const queues = three.steps
      .filter(({ time, event }) => time === 1 && event === 'deliver')
      .map(({ state }) => (state as { queue: { seq: number; pid: number }[] }).queue)
      .map((queue) => queue.map(({ seq, pid }) => `(${seq},${pid + 1})`).join(''));
    const complete = queues.filter((queue) => queue === '(1,1)(1,2)(1,3)');
    const saved = 1 - three.result.messages / ricart.results[0]!.messages;
    return {
      claims: [
        {
          ...{ id: 'figure-3', where: 'figure 3, section 3.4.1', from: [three, ricart] },
          claim:
            'Three concurrent requests take eight messages, where Ricart–Agrawala takes twelve.',
          judged: exactly('', [8, 12], [three.result.messages, ricart.results[0]!.messages]),
        },
        {
          ...{ id: 'figure-3-saving', where: 'section 3.4.1', from: [three, ricart] },
          claim: 'Three concurrent requests save 33 percent over Ricart–Agrawala.',
          judged: exactly('', 33, Math.floor(100 * saved)),
        },
        {
          ...{ id: 'figure-3-queues', where: 'section 3.4.1, t3', from: [three] },
          claim: 'When all REQUESTs have arrived, LRQ is ⟨(1,1),(1,2),(1,3)⟩ at all three.',
          judged: exactly('', 3, complete.length),
        },
        ...claims,
      ],
    };
  },
};
