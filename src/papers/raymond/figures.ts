/** Section 2 and figures 1 to 4: the tree of six nodes, and the messages between two neighbours. */
import type { NodeId } from '../../core/algorithm.ts';
import type { Tree } from '../../core/topology.ts';
import type { Experiment } from '../experiment.ts';
import type { Watched } from '../instruments.ts';
import { exactly, same } from '../judge.ts';
import { everyTransition } from '../transitions.ts';
import { Walk } from '../walk.ts';
import { figure7 } from './cost.ts';

/** Figure 1, with E as the first site, which holds the privilege at first; numbers are the walk's. */
const NAMES = ['E', 'D', 'A', 'B', 'C', 'F'];
const [E, D, A] = [1, 2, 3];
const figure1 = {
  ...{ algorithm: 'raymond', nodes: 6, topology: 'file:the tree of figure 1' },
  file: '0 1\n1 2\n2 3\n2 4\n1 5',
};

/** "A: D, B: A, …", as section 2 lists them. */
function holders(walk: Walk): string {
  const pairs = walk.states.map((state, i) => {
    const { holder } = state as { holder: NodeId };
    return `${NAMES[i]}: ${holder === i ? 'self' : NAMES[holder]}`;
  });
  return pairs.sort().join(', ');
}

/** What each step of section 2 sends, if not what the text says. */
function otherwise(walk: Walk): string[] {
  const steps: readonly (readonly [said: string, says: string])[] = [
    [walk.request(E), 'enters'],
    [walk.request(A), `REQUEST to ${D}`],
    [walk.deliver('REQUEST', A, D), `REQUEST to ${E}`],
    [walk.deliver('REQUEST', D, E), 'nothing'],
    [walk.exit(E), `PRIVILEGE to ${D}`],
    [walk.deliver('PRIVILEGE', E, D), `PRIVILEGE to ${A}`],
    [walk.deliver('PRIVILEGE', D, A), 'enters'],
  ];
  return steps.flatMap(([said, says]) => (said === says ? [] : [`${said}, not ${says}`]));
}

/** Messages that left the tree, and messages out of the pattern of figure 4, edge by edge. */
function strays({ steps, world }: Watched): { offTheTree: number; outOfPattern: number } {
  const { neighbours, parent } = world.topology as Tree;
  let [offTheTree, outOfPattern] = [0, 0];
  /** By edge, the end that has the privilege on its side, and whether the other end has asked. */
  const edges = new Map<string, { side: NodeId; asked: boolean }>();
  for (const { site, to, type } of steps.flatMap((step) =>
    step.sends.map((send) => ({ site: step.site, to: send.to, type: send.message.type })),
  )) {
    if (!neighbours[site]!.includes(to)) offTheTree++;
    const name = [site, to].sort((a, b) => a - b).join();
    const edge = edges.get(name) ?? { side: parent[site] === to ? to : site, asked: false };
    const isRequest = type === 'REQUEST';
    const isNext = isRequest ? !edge.asked && edge.side === to : edge.asked && edge.side === site;
    if (!isNext) outOfPattern++;
    edges.set(name, { side: isRequest ? edge.side : to, asked: isRequest });
  }
  return { offTheTree, outOfPattern };
}

export const figures: Experiment = {
  id: 'raymond/figures',
  paper: 'raymond',
  measure: (using) => {
    const walk = new Walk(using.algorithm('raymond'), using.world(figure1));
    const figure2 = holders(walk);
    const wrong = otherwise(walk);
    const walked = [{ how: 'raymond, the tree of figure 1, the steps of section 2', seeds: [] }];
    const busy = using.watch(figure7(), {
      ...{ workload: 'saturated', entries: 1000, delay: 'exponential:5' },
    });
    const { offTheTree, outOfPattern } = strays(busy);
    const together = new Set<string>();
    let returned = 0;
    const line = { algorithm: 'raymond', nodes: 3, topology: 'line' };
    const bounds = { entries: [2, 2, 2], links: 'any' } as const;
    everyTransition(
      using.algorithm('raymond'),
      using.world(line),
      bounds,
      ({ after: { mail }, received, sent }) => {
        for (const { from, to } of mail) {
          const both = mail.filter((m) => m.from === from && m.to === to);
          const types = both.map(({ message }) => message.type).sort();
          if (types.length > 1) together.add(types.join(' and '));
        }
        const isBack = ({ to, message }: (typeof mail)[number]) =>
          message.type === 'PRIVILEGE' && to === received!.from;
        if (received?.message.type === 'PRIVILEGE' && sent.some(isBack)) returned++;
      },
    );
    const every = [
      {
        how: 'raymond, 3 sites, line, every step of every schedule, entries 2 each, links that may reorder',
        seeds: [],
      },
    ];
    return {
      claims: [
        {
          ...{ id: 'figure-1', where: 'section 2, figure 1', from: [busy] },
          claim: 'All messages are sent along the edges of the tree.',
          judged: exactly('messages off the tree', 0, offTheTree),
        },
        {
          ...{ id: 'figure-2', where: 'section 2, figure 2', from: walked },
          claim: 'If E holds the privilege, the HOLDERs are those of figure 2.',
          judged: same('A: D, B: A, C: A, D: E, E: self, F: D', figure2),
        },
        {
          ...{ id: 'figure-2-steps', where: 'section 2', from: walked },
          claim: 'A’s REQUEST travels by D to E, and the PRIVILEGE back by D to A.',
          judged: exactly('steps otherwise than told', 0, wrong.length),
          because: wrong.join('; '),
        },
        {
          ...{ id: 'figure-3', where: 'section 2, figure 3', from: walked },
          claim: 'When A has received the PRIVILEGE, the HOLDERs are those of figure 3.',
          judged: same('A: self, B: A, C: A, D: A, E: D, F: D', holders(walk)),
        },
        {
          ...{ id: 'figure-4', where: 'section 3.5, figure 4', from: [busy] },
          claim:
            'Along an edge REQUEST and PRIVILEGE alternate, each against the direction of the one before.',
          judged: exactly('messages out of the pattern', 0, outOfPattern),
        },
        {
          ...{ id: 'figure-4-overtaking', where: 'section 3.5', from: every },
          claim: 'Only a PRIVILEGE and the REQUEST after it can be under way at once on a channel.',
          judged: same('PRIVILEGE and REQUEST', [...together].join('; ')),
        },
        {
          ...{ id: 'overtaken-privilege', where: 'section 3.5', from: every },
          claim: 'A node never sends the PRIVILEGE straight back to the neighbour it came from.',
          judged: exactly('times', 0, returned),
        },
      ],
    };
  },
};
