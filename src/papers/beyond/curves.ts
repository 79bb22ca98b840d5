/** The curves of the voting paper's figures 4 to 7, for the whole catalogue. */
import type { Experiment } from '../experiment.ts';
import type { PanelFigure, Series } from '../figure.ts';
import type { Runs, Subject } from '../instruments.ts';
import { atMost } from '../judge.ts';
import { everyone } from './everyone.ts';

const SIZES = [5, 10, 20, 40];
const RATES = [0.0003, 0.001, 0.003, 0.01, 0.1];
const NODES = 20;
const setting = { delay: 'constant:5', cs: 10 } as const;

interface Curve {
  readonly subject: Subject;
  readonly topology: string;
  readonly runs: readonly Runs[];
}

const messages = (runs: Runs): number => runs.of((r) => r.messagesPerEntry).mean;
const response = (runs: Runs): number => runs.of((r) => r.responseTime.mean).mean;

/** The place of an algorithm among those on a complete graph, which need no structure: 1 is the best. */
function place(
  curves: readonly Curve[],
  id: string,
  value: (runs: Runs) => number,
): [number, number] {
  const peers = curves.filter(({ topology }) => topology === 'complete');
  const own = value(peers.find(({ subject }) => subject.algorithm === id)!.runs.at(-1)!);
  const better = peers.filter(({ runs }) => value(runs.at(-1)!) < own);
  return [better.length + 1, peers.length];
}

export const curves: Experiment = {
  id: 'beyond/curves',
  paper: 'beyond',
  long: true,
  measure: (using) => {
    const measured = (trials: (subject: Subject) => readonly Runs[]): Curve[] =>
      everyone(NODES).map((subject) => ({
        ...{ subject, topology: using.algorithm(subject.algorithm).topology },
        runs: trials(subject),
      }));
    const atOnce = measured((subject) =>
      SIZES.map((nodes) =>
        using.runs({ ...subject, nodes }, { ...setting, workload: 'once' }, using.pick(3, 10)),
      ),
    );
    const loaded = measured((subject) =>
      RATES.map((rate) =>
        using.runs(
          subject,
          { ...setting, workload: 'poisson', rate, entries: using.pick(120, 600) },
          using.pick(3, 5),
        ),
      ),
    );
    const [less, of] = place(atOnce, 'relative-consensus-voting', messages);
    const [sooner] = place(atOnce, 'relative-consensus-voting', response);
    const half = Math.floor(of / 2);
    const lines = (
      from: readonly Curve[],
      xs: readonly number[],
      y: (runs: Runs) => number,
    ): Series[] =>
      from.map(({ subject, runs }) => ({
        name: subject.algorithm,
        points: runs.map((r, i) => ({ x: xs[i]!, y: y(r) })),
      }));
    const trials = atOnce.flatMap(({ runs }) => runs);
    const where = 'rcv, abstract';
    return {
      claims: [
        {
          ...{ id: 'rcv-place-messages', where, from: trials },
          claim: 'RCV needs fewer messages than most algorithms that impose no topology.',
          judged: atMost(`its place among ${of}, all at once, 40 nodes`, half, [less]),
        },
        {
          ...{ id: 'rcv-place-response', where, from: trials },
          claim: 'RCV has less response time than most algorithms that impose no topology.',
          judged: atMost(`its place among ${of}, all at once, 40 nodes`, half, [sooner]),
          because:
            'Its requests travel one hop after another before their order is known, while the ' +
            'others ask all at once.',
        },
      ],
      figures: [
        panels(
          '4',
          'Messages per entry, all asking at once',
          'nodes',
          'messages',
          lines(atOnce, SIZES, messages),
        ),
        panels(
          '5',
          'Response time, all asking at once',
          'nodes',
          'time',
          lines(atOnce, SIZES, response),
        ),
        panels(
          '6',
          `Messages per entry against the load, ${NODES} nodes`,
          'requests per node and time unit',
          'messages',
          lines(loaded, RATES, messages),
        ),
        panels(
          '7',
          `Response time against the load, ${NODES} nodes`,
          'requests per node and time unit',
          'time',
          lines(loaded, RATES, response),
        ),
      ],
    };
  },
};

function panels(
  number: string,
  title: string,
  x: string,
  y: string,
  series: readonly Series[],
): PanelFigure {
  return {
    ...{ id: `all-figure-${number}`, kind: 'panels', paper: 'beyond', title, series },
    caption: `Figure ${number} of the voting paper for the whole catalogue. Both axes are logarithmic.`,
    x: { label: x, scale: 'log' },
    y: { label: y, scale: 'log' },
  };
}
