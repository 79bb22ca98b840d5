/** Section 2.3 and figure 1: three nodes, message by message. */
import type { Experiment } from '../experiment.ts';
import { exactly, same } from '../judge.ts';
import { Walk } from '../walk.ts';

type Step = readonly [
  part: string,
  act: (walk: Walk) => string,
  /** What the paper says comes of it. */
  says: string,
];

const STEPS: readonly Step[] = [
  ['a', (w) => w.request(3), 'REQUEST to 1, REQUEST to 2'],
  ['b', (w) => w.request(2), 'REQUEST to 1, REQUEST to 3'],
  ['c', (w) => w.deliver('REQUEST', 2, 1), 'REPLY to 2'], // "has not yet made a request itself"
  ['c', (w) => w.deliver('REQUEST', 2, 3), 'REPLY to 2'], // "node 2 wins on the node number"
  ['c', (w) => w.deliver('REQUEST', 3, 2), 'nothing'], //    "A reply is deferred"
  ['d', (w) => w.request(1), 'REQUEST to 2, REQUEST to 3'],
  ['d', (w) => w.deliver('REQUEST', 1, 2), 'nothing'], //    "overtakes the REPLY that is on its way"
  ['e', (w) => w.deliver('REPLY', 1, 2), 'nothing'],
  ['e', (w) => w.deliver('REPLY', 3, 2), 'enters'],
  ['e', (w) => w.deliver('REQUEST', 1, 3), 'nothing'], //    "has been deferred"
  ['f', (w) => w.exit(2), 'REPLY to 1, REPLY to 3'],
  ['g', (w) => w.deliver('REPLY', 2, 1), 'nothing'],
  ['g', (w) => w.deliver('REPLY', 2, 3), 'nothing'],
  ['g', (w) => w.deliver('REQUEST', 3, 1), 'REPLY to 3'], // "bears a smaller sequence number"
  ['h', (w) => w.deliver('REPLY', 1, 3), 'enters'],
  ['i', (w) => w.exit(3), 'REPLY to 1'],
  ['j', (w) => w.deliver('REPLY', 3, 1), 'enters'],
  ['j', (w) => w.exit(1), 'nothing'], //                     "knows of no other node"
];

export const figure1: Experiment = {
  id: 'ricart-agrawala/figure-1',
  paper: 'ricart-agrawala',
  measure: (using) => {
    const subject = { algorithm: 'ricart-agrawala', nodes: 3 };
    const walk = new Walk(using.algorithm(subject.algorithm), using.world(subject));
    let ofOne = 0;
    const otherwise = STEPS.flatMap(([part, act, says]) => {
      const said = act(walk);
      if (part === 'd') ofOne = (walk.states[0] as { ours: number }).ours;
      return said === says ? [] : [`(${part}) ${said}, not ${says}`];
    });
    const from = [{ how: 'ricart-agrawala, 3 sites, the steps of figure 1', seeds: [] }];
    const where = 'section 2.3, figure 1';
    return {
      claims: [
        {
          ...{ id: 'figure-1-steps', where, from },
          claim: 'Each of the steps from (a) to (j) has the messages that the text tells.',
          judged: exactly('steps', STEPS.length, STEPS.length - otherwise.length),
          because: otherwise.join('; '),
        },
        {
          ...{ id: 'figure-1-order', where, from },
          claim: 'The nodes enter in the order 2, 3, 1.',
          judged: same('2, 3, 1', walk.entered.join(', ')),
        },
        {
          ...{ id: 'figure-1-messages', where, from },
          claim: 'Three entries take 3 · 2(N−1) messages, and none is left under way.',
          judged: exactly('', [12, 0], [walk.sent, walk.underWay.length]),
        },
        {
          ...{ id: 'figure-1-number', where, from },
          claim: 'Node 1 uses sequence number 2.',
          judged: exactly('', 2, ofOne),
        },
      ],
    };
  },
};
