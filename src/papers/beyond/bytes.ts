/** Messages are not all of one size: tables, queues and arrays travel too. */
import { ln } from '../../core/arithmetic.ts';
import type { Experiment } from '../experiment.ts';
import type { LineFigure } from '../figure.ts';
import type { Runs } from '../instruments.ts';
import { atMost, between } from '../judge.ts';
import { pointsOf } from '../points.ts';

const SIZES = [5, 10, 20, 40];
const IDS: { readonly [id: string]: readonly string[] } = {
  'relative-consensus-voting': ['routing=random'],
  'suzuki-kasami': [],
  'ricart-agrawala': [],
  'lodha-kshemkalyani': [],
  'mizuno-neilsen-rao': [],
  maekawa: [],
  raymond: [],
};

const bytes = (runs: Runs): number => runs.of((r) => r.bytesPerEntry).mean;
const messages = (runs: Runs): number => runs.of((r) => r.messagesPerEntry).mean;

/** The power of N that a curve follows between its last two sizes. */
function power(curve: readonly number[]): number {
  const [a, b] = [curve.at(-2)!, curve.at(-1)!];
  return ln(b / a) / ln(SIZES.at(-1)! / SIZES.at(-2)!);
}

export const traffic: Experiment = {
  id: 'beyond/bytes',
  paper: 'beyond',
  measure: (using) => {
    const trials = Object.entries(IDS).map(([algorithm, options]) => ({
      algorithm,
      runs: SIZES.map((nodes) =>
        using.runs(
          { algorithm, nodes, options },
          { workload: 'saturated', entries: using.pick(4, 10) * nodes },
          using.pick(4, 8),
        ),
      ),
    }));
    const of = (id: string) => trials.find(({ algorithm }) => algorithm === id)!.runs;
    const [rcv, suzuki, ricart, lodha] = [
      'relative-consensus-voting',
      'suzuki-kasami',
      'ricart-agrawala',
      'lodha-kshemkalyani',
    ].map(of) as [Runs[], Runs[], Runs[], Runs[]];
    const ratio = (a: Runs[], b: Runs[], value: (runs: Runs) => number) =>
      value(a.at(-1)!) / value(b.at(-1)!);
    const each = (runs: readonly Runs[]) => runs.map((r) => bytes(r) / messages(r));
    const where = 'on the same runs, N = 40 saturated';
    return {
      claims: [
        {
          ...{ id: 'rcv-fewer-messages', where, from: [...rcv, ...ricart] },
          claim: 'RCV sends fewer messages than Ricart and Agrawala’s algorithm.',
          judged: atMost('RCV / Ricart–Agrawala, messages', 1, [ratio(rcv, ricart, messages)]),
        },
        {
          ...{ id: 'rcv-less-traffic', where, from: [...rcv, ...ricart] },
          claim: 'RCV, with fewer messages, has less traffic than Ricart and Agrawala’s.',
          judged: atMost('RCV / Ricart–Agrawala, bytes', 1, [ratio(rcv, ricart, bytes)]),
          because:
            'Each of its messages carries a table with a row for every node, and lists in the rows.',
        },
        {
          ...{ id: 'rcv-table', where, from: rcv },
          claim: 'A message of RCV grows like N to N²: N rows, of up to N requests each.',
          judged: between('power of N of bytes per message', [1, 2.2], [power(each(rcv))]),
        },
        {
          ...{ id: 'suzuki-kasami-token', where, from: [...suzuki, ...ricart] },
          claim:
            'Suzuki and Kasami’s algorithm sends half as many messages as Ricart and ' +
            'Agrawala’s, and no more bytes.',
          judged: atMost('Suzuki–Kasami / Ricart–Agrawala, bytes', 1, [
            ratio(suzuki, ricart, bytes),
          ]),
          because:
            'The token carries a queue and an array of N numbers, which outweigh the REPLYs that it saves.',
        },
        {
          ...{ id: 'suzuki-kasami-grows', where, from: suzuki },
          claim: 'Suzuki and Kasami’s bytes per entry still grow like N, as its messages do.',
          judged: between('power of N of bytes per entry', [0.8, 1.2], [power(suzuki.map(bytes))]),
        },
        {
          ...{ id: 'lodha-bytes', where, from: [...lodha, ...ricart] },
          claim: 'Lodha and Kshemkalyani’s messages weigh no more than Ricart and Agrawala’s.',
          judged: atMost('Lodha–Kshemkalyani / Ricart–Agrawala, bytes per message', 1, [
            each(lodha).at(-1)! / each(ricart).at(-1)!,
          ]),
          because:
            'A REPLY says which request was served last; and to be correct, so must a REQUEST.',
        },
      ],
      figures: [
        {
          ...{ id: 'bytes', kind: 'lines', paper: 'beyond' },
          title: 'Bytes per entry, saturated',
          caption:
            'What messages weigh as they would be encoded. RCV’s tables and the tokens’ arrays ' +
            'are not free; Raymond’s messages are a byte each.',
          x: { label: 'nodes', scale: 'log' },
          y: { label: 'bytes per entry', scale: 'log' },
          series: trials.map(({ algorithm, runs }) => ({
            name: algorithm,
            points: pointsOf(SIZES, runs, (r) => r.bytesPerEntry),
          })),
        },
      ] satisfies LineFigure[],
    };
  },
};
