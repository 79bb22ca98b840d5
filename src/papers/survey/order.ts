/** What the survey says of links and of the order of service. */
import type { Claim, Experiment } from '../experiment.ts';
import { same } from '../judge.ts';
import { finding, isProved } from '../report.ts';

const unit = { delay: 'constant:1', cs: 10 } as const;

/** "message-order preservation is not required" */
const NOT_REQUIRED = [
  'ricart-agrawala-token',
  'suzuki-kasami',
  'helary-plouzeau-raynal',
  'raymond',
  'naimi-trehel',
  'mishra-srimani',
  'nishio-li-manning',
  'ricart-agrawala',
  'carvalho-roucairol',
  'raymond-k',
  'srimani-reddy',
];

/** "message-order preservation is required" */
const REQUIRED: { readonly [id: string]: string } = {
  lamport: '',
  maekawa:
    'With one rule more it is not: an INQUIRE that comes before its GRANT is kept until that comes.',
  sanders:
    'With one rule more it is not: an INQUIRE that comes before its GRANT is kept until that comes.',
  'singhal-dynamic':
    'Proved without it. Only original timestamps are sent again, so that none is taken for another.',
};

/** As the survey tells them, where that is not enough; by algorithm and printed form. */
const AS_TOLD = [
  [
    'ricart-agrawala-token',
    'survey',
    'A holder that is not inside sends the token to whoever asks.',
  ],
  [
    'mizuno-neilsen-rao',
    'survey',
    'Whoever gets an ACQUIRED message takes its sender for the holder.',
  ],
  [
    'helary-plouzeau-raynal',
    'survey',
    'The holder updates the entry of the request that it serves.',
  ],
  ['singhal-heuristic', 'textbook', 'A request with an old number is discarded.'],
  [
    'maekawa',
    'original',
    'A request is told that it failed only when it comes, if an earlier one waits.',
  ],
] as const;

export const order: Experiment = {
  id: 'survey/order',
  paper: 'survey',
  measure: (using) => {
    const unordered = (id: string) =>
      using.check(
        { algorithm: id, nodes: 3, k: using.algorithm(id).k ? 2 : 1 },
        { entries: [2, 1, 1], links: 'any' },
      );
    const free = NOT_REQUIRED.map((id): Claim => {
      const report = unordered(id);
      return {
        ...{ id: `links-${id}`, where: 'sections 4 to 6', from: [report] },
        claim: `${id}: messages need not keep their order.`,
        judged: isProved(report),
      };
    });
    const bound = Object.entries(REQUIRED).map(([id, because]): Claim => {
      const report = unordered(id);
      return {
        ...{ id: `links-${id}`, where: 'section 5', from: [report], because },
        claim: `${id}: messages must keep their order.`,
        judged: same('violated', report.verdict),
        ...(report.violation && { note: `Without: ${finding(report)} in ${report.depth} steps.` }),
      };
    });
    const told = AS_TOLD.map(([id, form, rule]): Claim => {
      const report = using.checkPrinted(id, form);
      return {
        ...{ id: `as-told-${id}`, where: 'sections 4 and 5', from: [report] },
        claim: `${id}: safe and live. “${rule}”`,
        judged: isProved(report),
        because:
          `As told: ${finding(report)}, in ${report.depth} steps; docs/errata.md shows them, ` +
          'and what ours does instead.',
      };
    });
    const fcfs = ['lamport', 'ricart-agrawala'].map((algorithm): Claim => {
      const report = using.check({ algorithm, nodes: 3 }, { entries: [2, 1, 1] });
      const verdict = report.properties.find(({ name }) => name === 'fcfs')?.verdict;
      return {
        ...{ id: `served-${algorithm}`, where: 'section 5', from: [report] },
        claim: `${algorithm}: first come, first served.`,
        judged: same('fcfs: proved', `fcfs: ${verdict}`),
        note: 'By timestamp and node.',
      };
    });
    const script = (algorithm: string, topology: string | undefined, text: string) =>
      using.watch({ algorithm, nodes: 5, topology }, { ...unit, workload: 'script', script: text });
    const inLine = '0 request 0 stay 50\n1 request 4\n2 request 1';
    const raymond = script('raymond', 'line', inLine);
    const star = script('raymond', 'star', inLine);
    const far = '0 request 0 stay 50\n1 request 1\n2.5 request 2\n2.6 request 4';
    const helary = script('helary-plouzeau-raynal', 'line', far);
    const near = script('helary-plouzeau-raynal', 'complete', far);
    const token = script(
      'ricart-agrawala-token',
      undefined,
      '0 request 2 stay 50\n10 request 1\n20 request 3',
    );
    const orderOf = ({ order: sites }: typeof raymond) => sites.join(', ');
    return {
      claims: [
        ...free,
        ...bound,
        ...fcfs,
        {
          ...{ id: 'served-raymond', where: 'section 4', from: [raymond, star] },
          claim: 'raymond: requests are granted in a first-come-first-served manner.',
          judged: same('0, 4, 1', orderOf(raymond)),
          only: {
            condition: 'as each node sees it, for instance where all are next to the holder',
            judged: same('0, 4, 1', orderOf(star)),
          },
          because:
            'On a line node 1 puts itself before the REQUEST of 4 that is still on its way to it.',
        },
        {
          ...{ id: 'served-helary-plouzeau-raynal', where: 'section 4', from: [helary, near] },
          claim:
            'helary-plouzeau-raynal: requests are granted in a first-come-first-served manner.',
          judged: same('0, 1, 2, 4', orderOf(helary)),
          only: {
            condition: 'by logical clock, which where all are neighbours is also the order of time',
            judged: same('0, 1, 2, 4', orderOf(near)),
          },
          because:
            'On a line node 4 is too far to have heard of the others, and its request bears an earlier time.',
        },
        {
          ...{ id: 'served-ricart-agrawala-token', where: 'section 4', from: [token] },
          claim: 'ricart-agrawala-token: first come, first served is not guaranteed.',
          judged: same('2, 3, 1', orderOf(token)),
          note: 'The token goes round a ring: 3 asks after 1, and is next to 2.',
        },
        ...told,
      ],
    };
  },
};
