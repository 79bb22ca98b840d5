/** Sections 3 to 5: every algorithm claims that no request waits for ever. */
import type { Claim, Experiment } from '../experiment.ts';
import type { Subject } from '../instruments.ts';
import { same } from '../judge.ts';

/** Their numbers do not grow, so that the checker sees all there is, however often sites ask. */
const WITHOUT_END: readonly Omit<Subject, 'nodes'>[] = [
  { algorithm: 'ring-token' },
  { algorithm: 'neilsen-mizuno' },
  { algorithm: 'raymond' },
  { algorithm: 'naimi-trehel' },
  { algorithm: 'raynal-primes', options: ['inform'] },
];

/** Their numbers grow with each request: so many requests of each of three sites. */
const COUNTED: { readonly [id: string]: readonly number[] } = {
  'ricart-agrawala-token': [2, 2, 1],
  'suzuki-kasami': [2, 2, 1],
  'mizuno-neilsen-rao': [2, 2, 1],
  'helary-plouzeau-raynal': [2, 1, 1],
  'singhal-heuristic': [2, 2, 1],
  'mishra-srimani': [2, 1, 1],
  'nishio-li-manning': [2, 1, 1],
  lamport: [2, 1, 1],
  'ricart-agrawala': [2, 2, 1],
  'carvalho-roucairol': [2, 2, 1],
  maekawa: [2, 1, 1],
  sanders: [2, 1, 1],
  'agrawal-el-abbadi': [2, 2, 1],
  'singhal-dynamic': [2, 2, 1],
};

export const liveness: Experiment = {
  id: 'survey/liveness',
  paper: 'survey',
  measure: (using) => {
    const claim = (subject: Omit<Subject, 'nodes'>, entries: number | readonly number[]): Claim => {
      const report = using.check({ ...subject, nodes: 3 }, { entries });
      const of = (name: string) =>
        `${name}: ${report.properties.find((property) => property.name === name)?.verdict}`;
      const { algorithm } = subject;
      return {
        ...{ id: `starvation-${algorithm}`, where: 'sections 3 to 5', from: [report] },
        claim: `${algorithm}: free of deadlock and starvation.`,
        judged: same(
          'deadlock-freedom: proved; starvation-freedom: proved',
          `${of('deadlock-freedom')}; ${of('starvation-freedom')}`,
        ),
        note:
          typeof entries === 'number'
            ? 'However often three sites ask.'
            : `Three sites that ask ${entries.join(', ')} times.`,
      };
    };
    return {
      claims: [
        ...WITHOUT_END.map((subject) => claim(subject, Number.POSITIVE_INFINITY)),
        ...Object.entries(COUNTED).map(([algorithm, entries]) => claim({ algorithm }, entries)),
      ],
    };
  },
};
