/** Section 5: the bounds on delay, and that the algorithm meets them. */
import type { Experiment } from '../experiment.ts';
import { least, most } from '../extremes.ts';
import { atLeast, exactly } from '../judge.ts';
import { handOvers, waits } from '../steps.ts';

const T = 5;
const setting = { delay: `constant:${T}`, cs: 10 } as const;
const N = 5;

export const delay: Experiment = {
  id: 'ricart-agrawala/delay',
  paper: 'ricart-agrawala',
  measure: (using) => {
    const ra = { algorithm: 'ricart-agrawala', nodes: N };
    const alone = using.watch(ra, { ...setting, workload: 'solo', entries: 100 });
    const some = using.watch(ra, { ...setting, workload: 'poisson', rate: 0.01, entries: 2000 });
    const busy = using.watch(ra, { ...setting, workload: 'saturated', entries: 500 });
    // Of two that ask within one hop, either may be the earlier: all ordered pairs.
    const pairs = Array.from({ length: N }, (_, i) => i).flatMap((first) =>
      Array.from({ length: N }, (_, i) => i)
        .filter((second) => second !== first)
        .map((second) => ({
          second,
          trial: using.watch(ra, {
            ...{
              ...setting,
              workload: 'script',
              script: `0 request ${first}\n1 request ${second}`,
            },
          }),
        })),
    );
    const laterFirst = pairs.filter(({ second, trial }) => trial.order[0] === second);
    return {
      claims: [
        {
          ...{ id: 'bound-1', where: 'section 5.3.1', from: [some, busy] },
          claim: 'No request can be serviced in less than one round trip.',
          judged: atLeast('2T', 2 * T, [...waits(some.steps), ...waits(busy.steps)]),
        },
        {
          ...{ id: 'bound-1-achieved', where: 'section 5.4', from: [alone] },
          claim: 'Without conflict a request is serviced in one round trip.',
          judged: exactly(
            '2T, least and most',
            [2 * T, 2 * T],
            [least(waits(alone.steps)), most(waits(alone.steps))],
          ),
        },
        {
          ...{ id: 'bound-2', where: 'section 5.3.2', from: pairs.map(({ trial }) => trial) },
          claim: 'Of two concurrent requests the later one is granted first half of the time.',
          judged: exactly('share of all pairs', 0.5, laterFirst.length / pairs.length),
        },
        {
          ...{
            id: 'bound-2-achieved',
            where: 'section 5.4',
            from: laterFirst.map(({ trial }) => trial),
          },
          claim: 'The later of two that is granted first enters when its round trip is over.',
          judged: exactly('2T', 2 * T, most(laterFirst.map(({ trial }) => waits(trial.steps)[0]!))),
        },
        {
          ...{ id: 'bound-3', where: 'section 5.3.3', from: [some, busy] },
          claim: 'No node can enter in less than a one-way trip after an exit.',
          judged: atLeast('T', T, [...handOvers(some.steps), ...handOvers(busy.steps)]),
        },
        {
          ...{ id: 'bound-3-achieved', where: 'section 5.4', from: [busy] },
          claim: 'If a node is eligible, the next node enters in a one-way trip.',
          judged: exactly(
            'T, least and most',
            [T, T],
            [least(handOvers(busy.steps)), most(handOvers(busy.steps))],
          ),
        },
      ],
    };
  },
};
