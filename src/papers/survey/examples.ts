/** What the survey tells step by step: Raymond's example, Maekawa's arbiters, Sanders's special cases. */
import { check } from '../../check/check.ts';
import { makeWorld } from '../../topologies/world.ts';
import type { Experiment } from '../experiment.ts';
import { exactly, same } from '../judge.ts';
import { finding, isProved } from '../report.ts';
import { Walk } from '../walk.ts';
import { asTold } from './maekawa-as-told.ts';
import { inTurn, total } from './trials.ts';

/** Raymond's example: A to F are 1 to 6, and D stands between A and E, F. */
const EDGES = '0 1\n0 2\n0 3\n3 4\n3 5';
const [A, D, E, F] = [1, 4, 5, 6] as const;

type Step = readonly [does: (walk: Walk) => string, expected: string];
const asks = (site: number, expected: string): Step => [(walk) => walk.request(site), expected];
const leaves = (site: number, expected: string): Step => [(walk) => walk.exit(site), expected];
const gets = (type: string, from: number, to: number, expected: string): Step => [
  (walk) => walk.deliver(type, from, to),
  expected,
];

const STEPS: readonly Step[] = [
  asks(A, 'enters'),
  asks(E, `REQUEST to ${D}`),
  gets('REQUEST', E, D, `REQUEST to ${A}`),
  asks(F, `REQUEST to ${D}`),
  gets('REQUEST', F, D, 'nothing'),
  asks(D, 'nothing'),
  gets('REQUEST', D, A, 'nothing'),
  leaves(A, `PRIVILEGE to ${D}`),
  gets('PRIVILEGE', A, D, `PRIVILEGE to ${E}, REQUEST to ${E}`),
  gets('PRIVILEGE', D, E, 'enters'),
  gets('REQUEST', D, E, 'nothing'),
  leaves(E, `PRIVILEGE to ${D}`),
  gets('PRIVILEGE', E, D, `PRIVILEGE to ${F}, REQUEST to ${F}`),
  gets('PRIVILEGE', D, F, 'enters'),
  gets('REQUEST', D, F, 'nothing'),
  leaves(F, `PRIVILEGE to ${D}`),
  gets('PRIVILEGE', F, D, 'enters'),
];

/** Carvalho and Roucairol's permissions as they stand at first: of each pair the lower one has it. */
const lowerOnes = (n: number): string =>
  Array.from({ length: n }, (_, i) => {
    const set = Array.from({ length: i + 1 }, (__, j) => j).join(' ');
    return `${i}: ${set} | ${set}`;
  }).join('\n');

export const examples: Experiment = {
  id: 'survey/examples',
  paper: 'survey',
  measure: (using) => {
    const tree = { algorithm: 'raymond', nodes: 6, topology: 'file:the example', file: EDGES };
    const walk = new Walk(using.algorithm('raymond'), using.world(tree));
    const said = STEPS.map(([does]) => does(walk));
    const told = [{ how: 'raymond, 6 sites, the steps of the example', seeds: [] }];
    const two = { algorithm: 'maekawa', nodes: 2, topology: 'all' };
    const maekawa = {
      ...check(asTold, makeWorld(asTold, two), { entries: 1, links: 'fifo' }),
      ...{
        how: 'maekawa as the survey tells it, 2 sites, every schedule, ordered links',
        seeds: [],
      },
    };
    const structure = (nodes: number) => ({
      ...{ algorithm: 'sanders', nodes, topology: 'file:the lower ones', file: lowerOnes(nodes) },
    });
    const proof = using.check(structure(3), { entries: [2, 1, 1] });
    const [first, last] = [inTurn(using, structure(7), 0), inTurn(using, structure(7), 6, 6)];
    const second = total(last) - total(inTurn(using, structure(7), 6));
    const star = { algorithm: 'agrawal-el-abbadi', nodes: 4, topology: 'star' };
    const starProof = using.check(star, { entries: 1 });
    const ternary = { algorithm: 'agrawal-el-abbadi', nodes: 10, topology: 'radiating:3' };
    const paths = [inTurn(using, ternary, 9), inTurn(using, { ...star, nodes: 10 }, 9)];
    const L = 4;
    const turns = Array.from({ length: 2 * L }, (_, i) => 1 + (i % 2));
    const mishra = { algorithm: 'mishra-srimani', nodes: 13, options: [`bounded=${L}`] };
    const bounded = inTurn(using, mishra, ...turns);
    const propagation = { algorithm: 'nishio-li-manning', options: ['propagation'] };
    const lost = using.check({ ...propagation, nodes: 2 }, { entries: 2, crashes: 1 });
    const joined = using.watch(
      { ...propagation, nodes: 5 },
      {
        ...{ workload: 'script', script: '10 request 1\n3000 request 4' },
        faults: '[{ "at": 0, "crash": 4 }, { "at": 1000, "restart": 4 }]',
      },
    );
    return {
      claims: [
        {
          ...{ id: 'nishio-propagation', where: 'section 4', from: [lost] },
          claim:
            'Nishio–Li–Manning: a controller that has lost its memory recovers by what others know.',
          judged: isProved(lost),
          note: 'Any of two sites, at any moment; as reconstructed (option propagation).',
        },
        {
          ...{ id: 'nishio-insertion', where: 'section 4', from: [joined] },
          claim: 'Nishio–Li–Manning: a node that is inserted learns what it needs, and enters.',
          judged: same('1, 4', joined.order.join(', ')),
          note: 'Site 4 is new at 1000, as a site that has lost its memory (option propagation).',
        },
        {
          ...{ id: 'mishra-srimani-bounded', where: 'table 1, section 4', from: [bounded] },
          claim: 'Mishra–Srimani with bounded numbers: L·N+(N−1) messages for L entries, L = 4.',
          judged: exactly('two nodes, L entries each', 2 * (L * 13 + 12), total(bounded)),
        },
        {
          ...{ id: 'agrawal-el-abbadi-trees', where: 'section 5', from: [starProof] },
          claim: 'Agrawal–El Abbadi generalizes to arbitrary trees: safe and live on a star.',
          judged: isProved(starProof),
          note: 'A site that is down is replaced by paths from all of its children.',
        },
        {
          ...{ id: 'agrawal-el-abbadi-trees-cost', where: 'section 5', from: paths },
          claim: 'On another tree a quorum is a path from the root to a leaf, too.',
          judged: exactly(
            '3 for each other site of the path: radiating star of valency 3, star',
            [6, 3],
            paths.map(total),
          ),
        },
        {
          ...{ id: 'raymond-example', where: 'section 4', from: told },
          claim: 'Raymond’s example: each of its steps has the messages that the text tells.',
          judged: same(STEPS.map(([, expected]) => expected).join('; '), said.join('; ')),
        },
        {
          ...{ id: 'raymond-example-order', where: 'section 4', from: told },
          claim:
            'Raymond’s example: after A the nodes E, F and D enter, the oldest request of D first.',
          judged: same([A, E, F, D].join(', '), walk.entered.join(', ')),
        },
        {
          ...{ id: 'raymond-example-requests', where: 'section 4', from: told },
          claim:
            'Raymond’s example: A receives one request, though three nodes behind D want the token.',
          judged: exactly(
            'REQUESTs to A',
            1,
            said.filter((text) => text.includes(`REQUEST to ${A}`)).length,
          ),
        },
        {
          ...{ id: 'maekawa-told', where: 'section 5', from: [maekawa] },
          claim:
            'Maekawa: an arbiter inquires of its holder for a newcomer that is the first of the requests that wait.',
          judged: isProved(maekawa),
          because:
            `As told: ${finding(maekawa)}, in ${maekawa.depth} steps. An earlier holder cedes its vote ` +
            'to a later newcomer, at each of two arbiters the other way. Read as including the holder, ' +
            'as the survey tells Kakugawa’s algorithm, it is Maekawa’s own rule.',
        },
        {
          ...{ id: 'sanders-carvalho-roucairol', where: 'section 5', from: [first, last] },
          claim:
            'Sanders: Carvalho and Roucairol’s algorithm is a case of the information structure.',
          judged: exactly('the same site’s second entry', 0, second),
          only: {
            condition: 'of the permissions as they stand at first, for the site that has them all',
            judged: exactly('its entries', 0, total(first)),
          },
          because:
            'Carvalho and Roucairol’s permissions move with each entry, and Sanders’s sets never change.',
        },
        {
          ...{ id: 'sanders-carvalho-roucairol-safe', where: 'section 5', from: [proof] },
          claim:
            'Sanders: that structure, in which the lower of two sites is asked, is safe and live.',
          judged: isProved(proof),
        },
      ],
    };
  },
};
