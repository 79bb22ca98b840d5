/** Section 1: what the paper says of the algorithms before it. */
import type { Experiment } from '../experiment.ts';
import { about, between, exactly } from '../judge.ts';

const N = 20;
const unit = { delay: 'constant:1', cs: 10 } as const;

export const others: Experiment = {
  id: 'lodha-kshemkalyani/others',
  paper: 'lodha-kshemkalyani',
  measure: (using) => {
    const light = (algorithm: string) =>
      using.runs({ algorithm, nodes: N }, { ...unit, workload: 'solo', entries: 1000 }, 5);
    const heavy = (algorithm: string) =>
      using.run({ algorithm, nodes: N }, { ...unit, workload: 'saturated', entries: 400 });
    const steady = (runs: ReturnType<typeof heavy>) => runs.results[0]!.steady!.messagesPerEntry;
    const fair = ['lamport', 'ricart-agrawala'].map(heavy);
    const suzuki = heavy('suzuki-kasami');
    const heuristic = [light('singhal-heuristic'), heavy('singhal-heuristic')] as const;
    const dynamic = [light('singhal-dynamic'), heavy('singhal-dynamic')] as const;
    const mean = (runs: ReturnType<typeof light>) => runs.of((r) => r.messagesPerEntry).mean;
    return {
      claims: [
        {
          ...{ id: 'fair-ones', where: 'section 1', from: fair },
          claim: 'Lamport’s algorithm takes 3(N−1) messages, Ricart and Agrawala’s 2(N−1).',
          judged: exactly('3(N−1); 2(N−1)', [3 * (N - 1), 2 * (N - 1)], fair.map(steady)),
        },
        {
          ...{ id: 'suzuki-kasami', where: 'section 1', from: [suzuki] },
          claim: 'Suzuki and Kasami’s takes N.',
          judged: exactly('N', N, steady(suzuki)),
        },
        {
          ...{ id: 'singhal-heuristic', where: 'section 1', from: heuristic },
          claim: 'Singhal’s heuristic takes N/2 to N.',
          judged: between(
            'light and heavy',
            [N / 2, N],
            [mean(heuristic[0]), steady(heuristic[1])],
          ),
        },
        {
          ...{ id: 'singhal-dynamic-light', where: 'section 1', from: dynamic.slice(0, 1) },
          claim: 'Singhal’s dynamic structure takes N−1 messages at least.',
          judged: about(
            'N−1, light load',
            N - 1,
            dynamic[0].of((r) => r.messagesPerEntry),
          ),
        },
        {
          ...{ id: 'singhal-dynamic-heavy', where: 'section 1', from: dynamic.slice(1) },
          claim: 'Singhal’s dynamic structure takes 3(N−1)/2 messages at most.',
          judged: between(
            'N−1 to 3(N−1)/2, heavy load',
            [N - 1, (3 * (N - 1)) / 2],
            [steady(dynamic[1])],
          ),
          because:
            'If all ask again as soon as they leave, each node asks every other one each time: 2(N−1). The ' +
            'paper that is cited was not at hand.',
        },
      ],
    };
  },
};
