/** Sections 6.4 and 6.5: how far numbers are apart, how many are needed, how they grow. */
import { check } from '../../check/check.ts';
import type { TraceStep } from '../../core/trace.ts';
import { makeWorld } from '../../topologies/world.ts';
import type { Experiment } from '../experiment.ts';
import { least, most } from '../extremes.ts';
import type { Instruments, Subject, Trial } from '../instruments.ts';
import { atMost, exactly, same } from '../judge.ts';
import { finding, isProved } from '../report.ts';
import { residues } from './residues.ts';

const N = 5;
const FOR_EVER = Number.POSITIVE_INFINITY;

interface Numbers {
  readonly requesting: boolean;
  readonly ours: number;
  readonly highest: number;
}

/** After each step, how far apart the outstanding numbers are. */
function spreads(steps: readonly TraceStep[]): number[] {
  const numbers = new Map<number, number>();
  return steps.map(({ site, state }) => {
    const { requesting, ours } = state as Numbers;
    if (requesting) numbers.set(site, ours);
    else numbers.delete(site);
    const all = [...numbers.values()];
    return all.length === 0 ? 0 : most(all) - least(all);
  });
}

function modulo(nodes: number, modulus: number) {
  const algorithm = residues(modulus);
  const report = check(algorithm, makeWorld(algorithm, { nodes }), { entries: FOR_EVER });
  const how =
    `${algorithm.id}, ${nodes} sites, every schedule, any number of entries, links that may ` +
    'reorder';
  return { ...report, how, seeds: [] };
}

/** In which share of the runs site 0 is the first, when all ask at once. */
function firstOf(using: Instruments, subject: Subject, runs: number): Trial & { share: number } {
  const trials = Array.from({ length: runs }, (_, i) =>
    using.watch(subject, { workload: 'once', seed: i + 1 }),
  );
  const share = trials.filter(({ order }) => order[0] === 0).length / runs;
  return { how: trials[0]!.how, seeds: trials.flatMap(({ seeds }) => seeds), share };
}

export const numbers: Experiment = {
  id: 'ricart-agrawala/numbers',
  paper: 'ricart-agrawala',
  measure: (using) => {
    const ra = (...options: string[]) => ({ algorithm: 'ricart-agrawala', nodes: N, options });
    const wild = {
      workload: 'saturated',
      entries: using.pick(2000, 20_000),
      delay: 'exponential:5',
      cs: 1,
    } as const;
    const range = using.watch(ra(), wild);
    const bounded = using.watch(ra('bounded'), wild);
    const seen = most(bounded.steps.map(({ state }) => (state as Numbers).highest));
    const ours = [2, 3].map((nodes) =>
      using.check(
        { algorithm: 'ricart-agrawala', nodes, options: ['bounded'] },
        { entries: FOR_EVER },
      ),
    );
    const enough = [modulo(2, 3), modulo(3, 5)];
    const fewer = [modulo(2, 2), modulo(3, 4)];
    const printed = using.checkPrinted('ricart-agrawala', 'bounded');
    const commented = using.checkCharitably('ricart-agrawala', 'bounded');
    const runs = using.pick(200, 1000);
    const favoured = firstOf(using, ra(), runs);
    const spread = firstOf(using, ra('increment=random'), runs);
    const script = '0 request 2\n4 request 4\n6 request 0';
    const turns = using.watch(ra('increment=priority'), {
      workload: 'script',
      script,
      delay: 'constant:5',
    });
    return {
      claims: [
        {
          ...{ id: 'range', where: 'section 6.4', from: [range] },
          claim: 'Outstanding numbers lie within x and x+N−1.',
          judged: atMost('N−1', N - 1, spreads(range.steps)),
        },
        {
          ...{ id: 'modulus', where: 'section 6.4', from: [...ours, ...enough] },
          claim: 'Numbers can be stored modulo M = 2N−1, however often nodes ask.',
          judged: isProved(...ours, ...enough),
          note:
            'Two and three sites; with one’s own number counted as seen, which the printed ' +
            'code does not.',
        },
        {
          ...{ id: 'modulus-tight', where: 'section 6.4', from: fewer },
          claim: 'M ≥ 2N−1 is needed: 2N−2 is too few.',
          judged: same('violated; violated', fewer.map(({ verdict }) => verdict).join('; ')),
          note:
            `Two sites modulo 2: ${finding(fewer[0]!)}; three modulo 4: ${finding(fewer[1]!)}, ` +
            `in ${fewer[1]!.depth} steps.`,
        },
        {
          ...{
            id: 'modulus-as-printed',
            where: 'sections 2.2 and 6.4',
            from: [printed, commented],
          },
          claim: 'Numbers of the code of section 2.2 can be stored modulo 2N−1.',
          judged: isProved(printed),
          only: {
            condition: 'if a node’s own number counts as seen, as the comment on the variable says',
            judged: isProved(commented),
          },
          because:
            'The code lacks that assignment, and the node’s number falls behind: two are inside after ' +
            `${printed.depth} steps.`,
        },
        {
          ...{ id: 'bits', where: 'section 6.4', from: [bounded] },
          claim: 'Only log2(2N−1) bits are needed.',
          judged: atMost('2N−2', 2 * N - 2, [seen]),
        },
        {
          ...{ id: 'favouritism', where: 'section 6.5', from: [favoured] },
          claim: 'Ties favour lower numbered nodes: when all ask at once, node 1 is first.',
          judged: exactly('share of the runs', 1, favoured.share),
        },
        {
          ...{ id: 'random-increments', where: 'section 6.5', from: [spread] },
          claim: 'Random increments reduce the favouritism.',
          judged: atMost('share of the runs in which node 1 is first', 0.5, [spread.share]),
        },
        {
          ...{ id: 'priority', where: 'section 6.5', from: [turns] },
          claim: 'With small increments a high priority node goes before one that asked earlier.',
          judged: same('2, 0, 4', turns.order.join(', ')),
        },
      ],
    };
  },
};
