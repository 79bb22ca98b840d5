/**
 * Figures 6 and 7: thirty nodes that ask at a rate λ, for 100,000 time units. A node has one request at
 * a time, as section 3 has it: after each entry it thinks for an exponential time of mean 1/λ.
 */
import type { Result } from '../../sim/simulate.ts';
import type { Experiment } from '../experiment.ts';
import type { LineFigure, Series } from '../figure.ts';
import type { Instruments } from '../instruments.ts';
import { about, atMost, same } from '../judge.ts';
import { pointsOf } from '../points.ts';
import { shown } from '../text.ts';
import { broadcast, cyclic, grid, maekawa, rcv, ricart, setting, TC, TN } from './contenders.ts';

const NODES = 30;
const RATES = [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1];
const WHERE = 'section 6.2, figures 6 and 7';
const contenders = [rcv, cyclic, maekawa, grid, broadcast, ricart];

/** "We run the simulation for enough long time (100000 time units) repeatedly": nothing warms up or drains. */
const TIME = 100_000;
/** In a quick run, time for a hundred entries or more. */
const quickTime = (rate: number): number => Math.max(4000, 100 / (NODES * rate));

const trialsOf = (using: Instruments) =>
  contenders.map(({ name, subject }) => ({
    name,
    runs: RATES.map((rate) =>
      using.runs(
        subject(NODES),
        {
          ...{ ...setting, workload: 'poisson', rate },
          until: using.pick(quickTime(rate), TIME),
        },
        using.pick(3, 4),
      ),
    ),
  }));

export const load: Experiment = {
  id: 'rcv/load',
  paper: 'rcv',
  long: true,
  measure: (using) => {
    const trials = trialsOf(using);
    const from = trials.flatMap(({ runs }) => runs);
    const curves = (value: (result: Result) => number): Series[] =>
      trials.map(({ name, runs }) => ({ name, points: pointsOf(RATES, runs, value) }));
    const messages = curves((r) => r.messagesPerEntry);
    const times = curves((r) => r.responseTime.mean);
    const of = (series: readonly Series[], { name }: { readonly name: string }) =>
      series.find((s) => s.name === name)!.points.map(({ y }) => y);
    const ours = of(messages, rcv);
    const falls = trend(messages.find(({ name }) => name === rcv.name)!);
    /** How many times RCV's messages another takes, from the lightest load to the heaviest. */
    const outperforms = (who: typeof maekawa) => {
      const times = of(messages, who).map((y, i) => y / ours[i]!);
      const [first, last] = [times[0]!, times.at(-1)!];
      return `${last > first ? 'rises' : 'falls'} with the load, and ends ${last > 1 ? 'above' : 'below'} 1`;
    };
    const ratios = of(times, rcv).map((y, i) => y / of(times, broadcast)[i]!);
    return {
      claims: [
        {
          ...{ id: 'fig-6-falls', where: WHERE, from },
          claim: 'As the load increases, the messages per entry decrease in RCV.',
          judged: same('falls', falls),
          because:
            `Alone, a request needs half of the rows and gets ${shown(ours[0]!)} messages. As soon as ` +
            `nodes compete rows differ, and it roams farther: ${shown(ours[2]!)}, and ${shown(ours.at(-1)!)} ` +
            'under the heaviest load.',
        },
        {
          ...{ id: 'fig-6-maekawa', where: WHERE, from },
          claim: 'The heavier the load, the better RCV outperforms Maekawa in messages.',
          judged: same('rises with the load, and ends above 1', outperforms(maekawa)),
          only: {
            condition: 'against Maekawa’s algorithm on a grid',
            judged: same('rises with the load, and ends above 1', outperforms(grid)),
          },
          because:
            'The first method of [9] is read as the lines of a projective plane, on which Maekawa needs ' +
            `${shown(of(messages, maekawa).at(-1)!)} messages under the heaviest load, and RCV ${shown(ours.at(-1)!)}.`,
        },
        {
          ...{ id: 'fig-7-broadcast', where: WHERE, from },
          claim: 'The response time of RCV is a little higher than that of Broadcast and Ricart.',
          judged: atMost('RCV / Broadcast at every rate', 1.25, ratios),
          only: {
            condition: 'under heavy load (λ of 0.01 or more)',
            judged: atMost('RCV / Broadcast', 1.25, ratios.slice(4)),
          },
          because:
            'Under light load a request visits half of the nodes one after the other, where ' +
            'the others ask all at once.',
        },
        {
          ...{ id: 'fig-7-maekawa', where: WHERE, from },
          claim: 'Under heavy load the response time of RCV is much lower than Maekawa’s.',
          judged: atMost(
            'RCV / Maekawa at λ = 0.01, 0.03, 0.1',
            0.85,
            [4, 5, 6].map((i) => of(times, rcv)[i]! / of(times, maekawa)[i]!),
          ),
          note: 'A hand-over takes T in RCV and 2T in Maekawa’s algorithm.',
        },
        {
          ...{ id: 'fig-7-same', where: WHERE, from },
          claim: 'Broadcast and Ricart have the same response time under heavy load.',
          judged: about(
            'Ricart / Broadcast at λ = 0.1',
            1,
            of(times, ricart).at(-1)! / of(times, broadcast).at(-1)!,
          ),
        },
      ],
      figures: [
        {
          ...{ id: 'rcv-figure-6', kind: 'lines', paper: 'rcv' },
          title: 'Messages per entry against the load, 30 nodes (figure 6)',
          caption:
            'The paper lets RCV fall below Maekawa as the load grows. We see that against the ' +
            'grid, not against the lines of a projective plane; and RCV rises with the load. ' +
            'Dashed: 2(N−1), N and [N/2]+2.',
          x: { label: 'requests per node and time unit, λ', scale: 'log' },
          y: { label: 'messages per entry' },
          series: [
            ...messages,
            flat('2(N−1)', 'Ricart', 2 * (NODES - 1)),
            flat('N', 'Broadcast', NODES),
            flat('[N/2]+2', 'RCV', Math.floor(NODES / 2) + 2),
          ],
        },
        {
          ...{ id: 'rcv-figure-7', kind: 'lines', paper: 'rcv' },
          title: 'Response time against the load, 30 nodes (figure 7)',
          caption:
            'Under heavy load all but Maekawa hand over in one hop and come together at ' +
            'N(Tn+Tc), dashed; under light load RCV takes five times as long as the others.',
          x: { label: 'requests per node and time unit, λ', scale: 'log' },
          y: { label: 'time from request to exit' },
          series: [...times, flat('N(Tn+Tc)', 'bound', NODES * (TN + TC))],
        },
      ] satisfies LineFigure[],
    };
  },
};

const flat = (name: string, formulaOf: string, y: number): Series => ({
  ...{ name, formulaOf },
  points: [RATES[0]!, RATES.at(-1)!].map((x) => ({ x, y })),
});

/** Whether a curve is lower at its end than at its beginning, and the two intervals are apart. */
function trend({ points }: Series): string {
  const [a, b] = [points[0]!, points.at(-1)!];
  if (Math.abs(a.y - b.y) <= a.ci95! + b.ci95!) return 'changes by less than the intervals';
  return b.y < a.y ? 'falls' : 'rises';
}
