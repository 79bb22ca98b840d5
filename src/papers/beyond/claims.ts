/** What the catalogue claims of every algorithm: each is held to it under light load, heavy load, and all at once. */
import { claimsMissed } from '../../sim/claims.ts';
import type { Settings } from '../../sim/settings.ts';
import type { Claim, Experiment } from '../experiment.ts';
import type { BarFigure } from '../figure.ts';
import type { Subject } from '../instruments.ts';
import { estimated } from '../judge.ts';
import { everyone } from './everyone.ts';

const N = 13;
const LOADS: { readonly [name: string]: Settings } = {
  alone: { workload: 'solo', entries: 200 },
  'all the time': { workload: 'saturated', entries: 20 * N },
  'all at once': { workload: 'once' },
};
const unit = { delay: 'uniform:1,9', cs: 10 } as const;

/** Where the survey's tables put them for N = 13: light, and heavy. */
const MARKS: { readonly [id: string]: readonly [number | null, number | null] } = {
  'ricart-agrawala-token': [N, N],
  'suzuki-kasami': [N, N],
  'nishio-li-manning': [N, N],
  'singhal-heuristic': [(N + 1) / 2, N],
  lamport: [3 * (N - 1), 3 * (N - 1)],
  'ricart-agrawala': [2 * (N - 1), 2 * (N - 1)],
  maekawa: [3 * Math.sqrt(N), 5 * Math.sqrt(N)],
  'singhal-dynamic': [N - 1, (3 * (N - 1)) / 2],
  'raymond-k': [2 * (N - 1), 2 * (N - 1)],
  'srimani-reddy': [N + 1, N + 1],
  'relative-consensus-voting': [Math.floor(N / 2) + 2, null],
  raymond: [null, 4],
};

/** Thirteen are the points of a projective plane, on which Maekawa's algorithm is at its best. */
const onPlane = (subject: Subject): Subject =>
  subject.algorithm === 'maekawa' ? { ...subject, topology: 'fpp' } : subject;

export const claims: Experiment = {
  id: 'beyond/claims',
  paper: 'beyond',
  measure: (using) => {
    const bars: { name: string; values: number[]; marks: readonly (number | null)[] }[] = [];
    const rows = everyone(N)
      .map(onPlane)
      .map((subject): Claim => {
        const algorithm = using.algorithm(subject.algorithm);
        const { messages, light, heavy } = algorithm.claims;
        const missed: string[] = [];
        const trials = Object.entries(LOADS).map(([name, load]) => {
          const settings = { ...unit, ...load };
          const trial = using.runs(subject, settings, using.pick(4, 10));
          for (const result of trial.results) {
            missed.push(...claimsMissed(algorithm, trial.world, settings, result));
          }
          const mean = trial.of((r) => r.steady?.messagesPerEntry ?? r.messagesPerEntry);
          return {
            trial,
            mean: mean.mean,
            said: `${name} ${estimated(mean)}`,
          };
        });
        bars.push({
          name: subject.algorithm,
          values: [trials[0]!.mean, trials[1]!.mean],
          marks: MARKS[subject.algorithm] ?? [],
        });
        const formulas = [
          messages.formula,
          ...(light ? [`${light.formula} when one asks at a time`] : []),
          ...(heavy ? [`${heavy.formula} when all ask all the time`] : []),
        ];
        return {
          id: `cost-${subject.algorithm}`,
          where: 'the catalogue',
          claim: `${algorithm.title}: messages per entry within what the catalogue claims.`,
          judged: {
            expected: formulas.join('; '),
            measured: trials.map(({ said }) => said).join('; '),
            tolerance: 'within the claim’s bounds',
            holds: missed.length === 0,
          },
          because: missed.join('; '),
          from: trials.map(({ trial }) => trial),
        };
      });
    return {
      claims: rows,
      figures: [
        {
          ...{ id: 'survey-tables', kind: 'bars', paper: 'survey' },
          title: 'The tables, measured: messages per entry among 13 nodes',
          caption:
            'Light: one asks at a time. Heavy: all ask all the time. The marks are what the ' +
            'survey’s tables and the other papers say where they give a number; Maekawa’s are ' +
            '3√N and 5√N. Algorithms that never rest are counted only while a site wants to enter.',
          x: { label: 'messages per entry' },
          groups: ['light', 'heavy'],
          bars,
        },
      ] satisfies BarFigure[],
    };
  },
};
