/** What the survey tells in a sentence or two, and what it calls an easy modification: built, and run. */
import { type CheckReport, type CheckSettings, check } from '../../check/check.ts';
import type { AnyAlgorithm } from '../../core/algorithm.ts';
import { makeWorld } from '../../topologies/world.ts';
import type { Experiment } from '../experiment.ts';
import type { Trial } from '../instruments.ts';
import { between, same } from '../judge.ts';
import { isProved } from '../report.ts';
import { withRemoval } from './nishio-removal.ts';
import { asTold } from './srimani-reddy-as-told.ts';

/** Every schedule of an algorithm that is in no catalogue. */
function everySchedule(
  how: string,
  algorithm: AnyAlgorithm,
  choices: { readonly nodes: number; readonly k?: number },
  settings: CheckSettings,
): Trial & CheckReport {
  return { ...check(algorithm, makeWorld(algorithm, choices), settings), how, seeds: [] };
}

export const reconstructed: Experiment = {
  id: 'survey/reconstructed',
  paper: 'survey',
  measure: (using) => {
    const nishio = { algorithm: 'nishio-li-manning' };
    const processor = using.check({ ...nishio, nodes: 2 }, { entries: 2, crashes: 1 });
    const removal = everySchedule(
      'nishio-li-manning with removal (src/papers/survey/nishio-removal.ts), 3 sites, every schedule, ' +
        'entries 1 each, links that may reorder, 1 site removed',
      withRemoval,
      { nodes: 3 },
      { entries: 1, crashes: 1 },
    );
    const channel = using.watch(
      { ...nishio, nodes: 3 },
      {
        ...{ workload: 'script', script: '10 request 1\n5000 request 0' },
        faults: '[{ "until": 3000, "lose": 1, "between": [0, 1] }]',
      },
    );
    const four = { nodes: 4, k: 2 };
    const asked = { entries: [0, 1, 1, 1], reportMessages: true };
    const told = everySchedule(
      'srimani-reddy as the survey tells it (src/papers/survey/srimani-reddy-as-told.ts), 4 sites, k = 2, ' +
        'every schedule, entries 0,1,1,1, links that may reorder',
      asTold,
      four,
      asked,
    );
    const ours = using.check({ algorithm: 'srimani-reddy', ...four }, asked);
    const mostOf = ({ totalMessages }: CheckReport) =>
      between('3(N+K−1), three entries', [0, 15], totalMessages!);
    return {
      claims: [
        {
          ...{ id: 'nishio-processor', where: 'section 4', from: [processor] },
          claim:
            'Nishio–Li–Manning recovers from a processor failure: the memory of the controller is kept.',
          judged: isProved(processor),
          note: 'Any of two sites, at any moment.',
        },
        {
          ...{ id: 'nishio-removal', where: 'section 4', from: [removal] },
          claim: 'Nishio–Li–Manning with a small modification survives the removal of a node.',
          judged: isProved(removal),
          note:
            'Any of three sites, at any moment, also with the token or inside. The modification is ours: the ' +
            'others hear that the node is gone, and no longer wait for its ACK.',
        },
        {
          ...{ id: 'nishio-channel', where: 'section 4', from: [channel] },
          claim:
            'Nishio–Li–Manning: a channel that is removed and inserted again delays entries only.',
          judged: same('1, 0', channel.order.join(', ')),
          note:
            'Between sites 0 and 1 every message is lost until 3000. Site 0 has the token, site 1 asks at 10, and ' +
            'repeats its request until it gets through.',
        },
        {
          ...{ id: 'srimani-reddy-as-told', where: 'section 6', from: [told, ours] },
          claim: 'Srimani–Reddy as told: no schedule takes more than N+K−1 messages for an entry.',
          judged: mostOf(told),
          only: {
            condition:
              'if a request counts as granted when its node enters, and not when it leaves',
            judged: mostOf(ours),
          },
          because:
            'As told, a node that is inside passes a second token on, which does not know that the request of this ' +
            'node is granted. The token is sent to it once more.',
        },
        {
          ...{ id: 'srimani-reddy-as-told-safe', where: 'section 6', from: [told] },
          claim: 'Srimani–Reddy as told is safe and live.',
          judged: isProved(told),
        },
      ],
    };
  },
};
