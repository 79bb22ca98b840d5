/** Figures 4 and 5: all nodes ask at once, and only once. */
import type { Result } from '../../sim/simulate.ts';
import type { Experiment } from '../experiment.ts';
import type { LineFigure, Series } from '../figure.ts';
import { about, exactly, same } from '../judge.ts';
import { pointsOf } from '../points.ts';
import { shown } from '../text.ts';
import { four, setting } from './contenders.ts';

const SIZES = [5, 10, 15, 20, 25, 30, 40, 50];
const WHERE = 'section 6.2, figures 4 and 5';

export const simultaneous: Experiment = {
  id: 'rcv/simultaneous',
  paper: 'rcv',
  measure: (using) => {
    const trials = four.map(({ name, subject }) => ({
      name,
      runs: SIZES.map((n) =>
        using.runs(subject(n), { ...setting, workload: 'once' }, using.pick(5, 20)),
      ),
    }));
    const curves = (value: (result: Result) => number): Series[] =>
      trials.map(({ name, runs }) => ({ name, points: pointsOf(SIZES, runs, value) }));
    const messages = curves((r) => r.messagesPerEntry);
    const times = curves((r) => r.responseTime.mean);
    const at = (series: readonly Series[], name: string, i: number) =>
      series.find((s) => s.name === name)!.points[i]!.y;
    const least = SIZES.filter((_, i) =>
      messages.every(({ points }) => points[i]!.y >= at(messages, 'RCV', i)),
    );
    const order = [...messages]
      .sort((a, b) => a.points.at(-1)!.y - b.points.at(-1)!.y)
      .map(({ name }) => name);
    const grows = [...messages, ...times].filter(({ points }) =>
      points.every((p, i) => i === 0 || p.y > points[i - 1]!.y),
    );
    const ratio = (i: number) => {
      const others = ['Maekawa', 'Broadcast', 'Ricart'].map((name) => at(times, name, i));
      return (at(times, 'RCV', i) * 3) / others.reduce((sum, y) => sum + y, 0);
    };
    const farthest = SIZES.map((_, i) => ratio(i)).reduce((a, b) =>
      Math.abs(a - 1) > Math.abs(b - 1) ? a : b,
    );
    const from = trials.flatMap(({ runs }) => runs);
    const sizes = (list: readonly number[]) => `least for N = ${list.map(shown).join(', ')}`;
    const ofOnly = (name: string) => trials.find((t) => t.name === name)!.runs;
    return {
      claims: [
        {
          ...{ id: 'fig-4-least', where: WHERE, from },
          claim: 'When all ask at once, RCV exchanges the fewest messages of the four.',
          judged: same(sizes(SIZES), sizes(least)),
          only: {
            condition: 'from ten sites on',
            judged: same(sizes(SIZES.slice(1)), sizes(least.filter((n) => n >= 10))),
          },
          because:
            'Among five sites Broadcast needs four messages per entry, as its first holder pays none.',
        },
        {
          ...{ id: 'fig-4-order', where: WHERE, from },
          claim: 'For many nodes the curves lie as the formulas of section 2 have it.',
          judged: same('RCV < Maekawa < Broadcast < Ricart', order.join(' < ')),
        },
        {
          ...{ id: 'fig-4-5-grow', where: WHERE, from },
          claim: 'When the number of nodes increases, messages and time both increase.',
          judged: exactly('curves that rise throughout', 8, grows.length),
        },
        {
          ...{ id: 'fig-4-ricart', where: 'section 2', from: ofOnly('Ricart') },
          claim: 'Ricart and Agrawala’s algorithm exchanges a constant 2(N−1) messages.',
          judged: exactly(
            '2(N−1)',
            SIZES.map((n) => 2 * (n - 1)),
            SIZES.map((_, i) => at(messages, 'Ricart', i)),
          ),
        },
        {
          ...{ id: 'fig-4-broadcast', where: 'section 2', from: ofOnly('Broadcast') },
          claim: 'Broadcast exchanges N messages, and none for the first holder of the token.',
          judged: exactly(
            'N(N−1)/N',
            SIZES.map((n) => n - 1),
            SIZES.map((_, i) => at(messages, 'Broadcast', i)),
          ),
        },
        {
          ...{ id: 'fig-5-similar', where: WHERE, from },
          claim: 'Its average response time is similar to that of the other three.',
          judged: about('RCV / mean of the others, where it is farthest from 1', 1, farthest),
          because:
            'The text gives no number for “similar”. By the rule of this page the times differ: a request ' +
            `visits nodes one after the other before its place is known. With ${shown(SIZES.at(-1)!)} nodes ` +
            `the ratio is ${shown(ratio(SIZES.length - 1))}.`,
        },
      ],
      figures: [
        {
          ...{ id: 'rcv-figure-4', kind: 'lines', paper: 'rcv' },
          title: 'Messages per entry, all asking at once (figure 4)',
          caption:
            'RCV exchanges the fewest messages of the four, as the paper says, from ten nodes ' +
            'on. Dashed: the formulas of its section 2.',
          x: { label: 'nodes' },
          y: { label: 'messages per entry' },
          series: [
            ...messages,
            formula('2(N−1)', 'Ricart', (n) => 2 * (n - 1)),
            formula('N', 'Broadcast', (n) => n),
          ],
        },
        {
          ...{ id: 'rcv-figure-5', kind: 'lines', paper: 'rcv' },
          title: 'Response time, all asking at once (figure 5)',
          caption:
            'The last of N waits for N−1 others; on average half of them. Dashed: (N+1)/2 · ' +
            '(Tn+Tc), with nothing but the hand-overs.',
          x: { label: 'nodes' },
          y: { label: 'time from request to exit' },
          series: [...times, formula('(N+1)/2 · (Tn+Tc)', 'bound', (n) => ((n + 1) / 2) * 15)],
        },
      ] satisfies LineFigure[],
    };
  },
};

const formula = (name: string, formulaOf: string, value: (n: number) => number): Series => ({
  ...{ name, formulaOf },
  points: SIZES.map((x) => ({ x, y: value(x) })),
});
