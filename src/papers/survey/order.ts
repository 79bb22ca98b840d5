/** What the survey says of links and of the order of service. */
import type { Claim, Experiment } from '../experiment.ts';
import { atMost, same } from '../judge.ts';
import { finding, isProved } from '../report.ts';
import { overLinks, published } from './published-links.ts';

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

/** As the survey tells them, where that is not enough. */
interface Told {
  readonly row: string;
  readonly form: readonly [id: string, name: string];
  readonly rule: string;
  /** The most charitable reading in a few words, where there is one (docs/errata.md). */
  readonly only?: string;
}
const AS_TOLD: readonly Told[] = [
  {
    row: 'ricart-agrawala-token',
    form: ['ricart-agrawala-token', 'survey'],
    rule: 'A holder that is not inside sends the token to every node that asks.',
    only: 'if an old request moves no token',
  },
  {
    row: 'mizuno-neilsen-rao',
    form: ['mizuno-neilsen-rao', 'survey'],
    rule: 'A node that gets an ACQUIRED message takes its sender for the holder.',
    only: 'if a node tells by LN which of two ACQUIRED messages is older, and ignores that one',
  },
  {
    row: 'helary-plouzeau-raynal',
    form: ['helary-plouzeau-raynal', 'survey'],
    rule: 'The holder updates the entry of the request that it serves.',
    only: 'if the entry that it updates is its own',
  },
  {
    row: 'singhal-heuristic',
    form: ['singhal-heuristic', 'textbook'],
    rule: 'A request with an old number is discarded.',
  },
  {
    row: 'naimi-trehel',
    form: ['naimi-trehel', 'survey'],
    rule: 'The root remembers its successor if it is inside.',
    only: 'if a root that still waits does what it would do inside',
  },
  {
    row: 'naimi-trehel-recovery',
    form: ['naimi-trehel', 'survey-recovery'],
    rule: 'A node that hears that the token exists goes back to the waiting state.',
  },
  {
    row: 'mishra-srimani',
    form: ['mishra-srimani', 'survey'],
    rule: 'A new token is made when N−2 nodes have said that they do not have it.',
    only: 'if a time-out decides that the last node has failed',
  },
  {
    row: 'maekawa',
    form: ['maekawa', 'original'],
    rule: 'A request is told that it failed only when it comes, if an earlier one waits.',
  },
];

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
    const lamport = unordered('lamport');
    const bound = published.map((form): Claim => {
      const [free, ordered] = [overLinks(form, 'any'), overLinks(form, 'fifo')];
      return {
        ...{ id: `links-${form.id}`, where: 'section 5', from: [free, ordered] },
        claim: `${form.id}: messages must keep their order.`,
        judged: same('violated; ordered: proved', `${free.verdict}; ordered: ${ordered.verdict}`),
        note: `Without: ${finding(free)} in ${free.depth} steps. ${form.rule}`,
      };
    });
    const told = AS_TOLD.map(({ row, form: [id, name], rule, only }): Claim => {
      const report = using.checkPrinted(id, name);
      const kindly = only === undefined ? [] : [using.checkCharitably(id, name)];
      return {
        ...{ id: `as-told-${row}`, where: 'sections 4 and 5', from: [report, ...kindly] },
        claim: `${id}: safe and live. “${rule}”`,
        judged: isProved(report),
        ...(only && { only: { condition: only, judged: isProved(...kindly) } }),
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
    const twice = using.check(
      { algorithm: 'singhal-heuristic', nodes: 2 },
      { entries: [3, 1], links: 'fifo', reportBypass: true },
    );
    const orderOf = ({ order: sites }: typeof raymond) => sites.join(', ');
    return {
      claims: [
        ...free,
        {
          ...{ id: 'links-lamport', where: 'section 5', from: [lamport] },
          claim: 'lamport: messages must keep their order.',
          judged: same('violated', lamport.verdict),
          note: `Without: ${finding(lamport)} in ${lamport.depth} steps.`,
        },
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
        {
          ...{ id: 'singhal-heuristic-twice', where: 'section 4', from: [twice] },
          claim:
            'singhal-heuristic: no node obtains the token twice while some other node is waiting for it.',
          judged: atMost('entries of the other while one of two nodes waits', 1, [
            twice.bypass!.max,
          ]),
          because:
            'The holder enters again and again while the REQUEST of the other is on its way. The rule is ' +
            'about requests that the holder knows of.',
        },
        ...told,
      ],
    };
  },
};
