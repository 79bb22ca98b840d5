/** Sections 3, 7, 8 and 9: overtaking, queues, initialization, recovery, the size of messages. */
import type { Tree } from '../../core/topology.ts';
import type { Experiment } from '../experiment.ts';
import { atMost, exactly } from '../judge.ts';
import { isProved } from '../report.ts';
import { figure7 } from './cost.ts';

const unit = { delay: 'constant:1', cs: 10 } as const;

export const operation: Experiment = {
  id: 'raymond/operation',
  paper: 'raymond',
  measure: (using) => {
    const three = (topology: string, ...options: string[]) => ({
      ...{ algorithm: 'raymond', nodes: 3, topology, options },
    });
    const line6 = (...options: string[]) => ({
      ...{ algorithm: 'raymond', nodes: 6, topology: 'line', options },
    });
    const overtaking = using.check(
      { algorithm: 'raymond', nodes: 4, topology: 'star' },
      { entries: 1, links: 'any' },
    );
    const busy = using.watch(figure7(), {
      ...{ workload: 'saturated', entries: 1000, delay: 'exponential:5' },
    });
    const { neighbours } = busy.world.topology as Tree;
    const queued = busy.steps.map(
      ({ site, state }) => (state as { queue: unknown[] }).queue.length - neighbours[site]!.length,
    );
    const begun = using.run(line6('initialize'), {
      ...unit,
      workload: 'script',
      script: '0 request 0',
    });
    const init = using.check(three('line', 'initialize'), { entries: 2 });
    const crash = using.check(three('line', 'recovery'), { entries: using.pick(1, 2), crashes: 1 });
    const apart = using.run(
      { algorithm: 'raymond', nodes: 7, options: ['recovery'] },
      {
        ...{ ...unit, workload: 'saturated', entries: 140 },
        faults: JSON.stringify(
          [0, 3, 5, 6].flatMap((site) => [
            { at: 60, crash: site },
            { at: 90 + site, restart: site },
          ]),
        ),
      },
    );
    const advised = using.run(line6('recovery'), {
      ...{ ...unit, workload: 'script', script: '60 request 5' },
      faults: '[{ "at": 20, "crash": 2 }, { "at": 30, "restart": 2 }]',
    });
    const { RESTART = 0, ADVISE = 0 } = advised.results[0]!.byType;
    const section8 = using.checkPrinted('raymond', 'section-8');
    const ordered = using.checkCharitably('raymond', 'section-8');
    const section81 = using.checkPrinted('raymond', 'section-8.1');
    const solo = using.run(figure7(), { ...unit, workload: 'solo', entries: 100 });
    return {
      claims: [
        {
          ...{ id: 'overtaking', where: 'section 3.5', from: [overtaking] },
          claim: 'It works despite message overtaking, without sequence numbers.',
          judged: isProved(overtaking),
        },
        {
          ...{ id: 'queue', where: 'section 3.1', from: [busy] },
          claim: 'A REQUEST_Q never holds more than the number of neighbours + 1.',
          judged: atMost('length − neighbours', 1, queued),
        },
        {
          ...{ id: 'initialize', where: 'section 7', from: [begun] },
          claim: 'One INITIALIZE travels along each edge, outwards.',
          judged: exactly('N−1', 5, begun.results[0]!.byType['INITIALIZE'] ?? 0),
        },
        {
          ...{ id: 'initialize-early', where: 'section 7', from: [init] },
          claim: 'A node may ask as soon as it is initialized, though others are not yet.',
          judged: isProved(init),
        },
        {
          ...{ id: 'recovery', where: 'section 8', from: [crash] },
          claim:
            'A node that fails at any moment can reconstruct what it needs from its neighbours.',
          judged: isProved(crash),
          note: 'As corrected: restarts are numbered.',
        },
        {
          ...{ id: 'recovery-messages', where: 'section 8', from: [advised] },
          claim:
            'A node that restarts sends a RESTART to each neighbour and gets an ADVISE from each.',
          judged: exactly('2 neighbours', [2, 2], [RESTART, ADVISE]),
        },
        {
          ...{ id: 'recovery-apart', where: 'section 8.8', from: [apart] },
          claim: 'Recovery works for concurrent failures of nodes that are not adjacent.',
          judged: exactly(
            'entries, four of seven sites failing at once',
            140,
            apart.results[0]!.entries,
          ),
        },
        {
          ...{ id: 'recovery-overtaken', where: 'section 8.6', from: [section8, ordered] },
          claim:
            'Recovery works though the neighbours of a node that recovers go on sending messages to it.',
          judged: isProved(section8),
          only: { condition: 'over ordered links', judged: isProved(ordered) },
          because:
            'Section 8.6 treats messages that overtake an ADVISE. Over links that reorder an ADVISE may ' +
            'overtake the PRIVILEGE sent before it, and the privilege is there twice: two are inside ' +
            `after ${section8.depth} steps.`,
        },
        {
          ...{ id: 'recovery-asked', where: 'section 8.1, cases 3 and 4', from: [section81] },
          claim:
            'X in REQUEST_Q of Y means that ASKED of X is false, and not in it that it is true.',
          judged: isProved(section81),
          because:
            `The two are exchanged: as printed, ${section81.depth} steps lead to a site that ` +
            'waits for ever. Section 8.3 has them right.',
        },
        {
          ...{ id: 'message-size', where: 'section 9', from: [solo] },
          claim: 'A message needs only the bits that tell its type.',
          judged: exactly(
            'one byte',
            1,
            solo.results[0]!.bytesPerEntry / solo.results[0]!.messagesPerEntry,
          ),
        },
      ],
    };
  },
};
