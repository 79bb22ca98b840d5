/** Errors that are in a formula or a definition, and not in a protocol: what it says, and what is so. */
import { find } from '../../src/algorithms/catalogue.ts';
import { check } from '../../src/check/check.ts';
import type { Information } from '../../src/core/topology.ts';
import { asTold } from '../../src/papers/survey/srimani-reddy-as-told.ts';
import { kCoterieLaw } from '../../src/topologies/k-law.ts';
import { diameter, radiatingStar } from '../../src/topologies/tree.ts';
import { makeWorld } from '../../src/topologies/world.ts';

export interface WrongFormula {
  readonly title: string;
  /** What is printed, and where. */
  readonly claim: string;
  readonly correction: string;
  /** One case, worked out: what the text makes of it, and what is measured. They differ. */
  readonly evidence: () => { readonly of: string; readonly printed: string; readonly is: string };
}

/** The totals of messages of all schedules in which these sites ask once. */
function totals(id: string, entries: readonly number[]): readonly number[] {
  const algorithm = find(id);
  const world = makeWorld(algorithm, { nodes: entries.length });
  return check(algorithm, world, { entries, reportMessages: true }).totalMessages!;
}

const starDiameter: WrongFormula = {
  title: 'Raymond, section 5: the diameter of a radiating star',
  claim: 'D = 2⌈log_{K−1}((N−1)(K−2)/K + 1)⌉, where every site that is no leaf has K neighbours.',
  correction:
    'It is the greatest: a star whose outermost ring lies within one of its K branches has 2⌈…⌉ − 1, ' +
    'for no other branch is as long.',
  evidence: () => {
    const [n, k] = [6, 3];
    const depth = (ring: number): number => {
      // The smallest power of K − 1 that is not below, in whole numbers.
      const isEnough = k * ((k - 1) ** ring - 1) >= (n - 1) * (k - 2);
      return isEnough ? ring : depth(ring + 1);
    };
    const is = diameter(radiatingStar(n, k));
    return { of: `the star of ${n} sites, K = ${k}`, printed: `${2 * depth(0)}`, is: `${is}` };
  },
};

const messagesSaved: WrongFormula = {
  title: 'Lodha and Kshemkalyani, sections 1 and 5: messages per access',
  claim:
    '“2(N−1) − x, where x is the number of other requests that are made concurrently with this request”.',
  correction:
    'One more whenever a FLUSH is sent, as section 4.1 of the same paper has it: 2N − |CSet| if a ' +
    'concurrent request has a lower priority, else 2N − 1 − |CSet|, and |CSet| is x + 1.',
  evidence: () => {
    const n = 3;
    const [least] = totals('lodha-kshemkalyani', Array<number>(n).fill(1));
    const printed = n * (2 * (n - 1) - (n - 1));
    return {
      of: `${n} sites that ask at once: messages in all, the fewest of any schedule`,
      ...{ printed: `${printed}`, is: `${least}` },
    };
  },
};

const lightLoad: WrongFormula = {
  title: 'Relative consensus voting, section 6.1.1: messages under light load',
  claim: '[N/2] + 2 messages: an RM that is forwarded [N/2] + 1 times, and an EM.',
  correction:
    'One less: the row of the site that asks counts as the first vote, so ⌊N/2⌋ others are enough ' +
    '(and for site 0 with N even one fewer still, for it wins ties).',
  evidence: () => {
    const n = 5;
    const alone = Array.from({ length: n }, (_, site) => (site === 1 ? 1 : 0));
    const counts = totals('relative-consensus-voting', alone);
    return {
      of: `site 1 of ${n} asks alone, in every schedule`,
      ...{ printed: `${Math.floor(n / 2) + 2}`, is: counts.join(', ') },
    };
  },
};

const kCoteries: WrongFormula = {
  title: 'The survey, on Kakugawa and others: what a k-coterie is',
  claim:
    '“For any h quorums (h < k) that have a null intersection with each other, there exists another ' +
    'quorum that has a null intersection with one of these h quorums.”',
  correction: 'With every one of them: or fewer than k inside may keep everybody else out.',
  evidence: () => {
    const k = 3;
    const quorums = [
      [0, 1],
      [2, 3],
      [3, 4],
    ];
    const apart = (a: readonly number[], b: readonly number[]) => !a.some((i) => b.includes(i));
    const pairs = quorums.flatMap((a) => quorums.map((b) => [a, b] as const));
    const families = [
      ...quorums.map((q) => [q]),
      ...pairs.filter(([a, b]) => a !== b && apart(a, b)),
    ];
    const isKept = families.every((family) =>
      quorums.some((q) => !family.includes(q) && family.some((other) => apart(q, other))),
    );
    const broken = kCoterieLaw({ kind: 'k-coterie', quorums, choice: [0, 0, 1, 1, 2] }, k);
    return {
      of: '{0,1}, {2,3}, {3,4} as a 3-coterie',
      printed: isKept ? 'it is one' : 'it is none',
      is: broken ?? 'it is one',
    };
  },
};

const informationSets: WrongFormula = {
  title: 'The survey, on Sanders: what an information structure is',
  claim:
    '“Ii is a subset of Ri”, and for all i and j their informing sets meet “or both j belongs to Ri and ' +
    'i belongs to Rj”.',
  correction:
    'And i belongs to I_i, unless the informing sets meet: two that ask each other find out about each ' +
    'other only if each keeps track of itself.',
  evidence: () => {
    const sanders = find('sanders');
    const topology: Information = {
      kind: 'information',
      inform: [[], []],
      request: [
        [0, 1],
        [0, 1],
      ],
    };
    const world = { ...makeWorld(sanders, { nodes: 2, topology: 'ricart-agrawala' }), topology };
    const { violation, depth } = check(sanders, world, { entries: 1 });
    return {
      of: 'two sites with I = {} and R = {0, 1}',
      printed: 'they exclude each other',
      is: `${violation?.why}, after ${depth} steps`,
    };
  },
};

const tokensTooMany: WrongFormula = {
  title: 'The survey, on Srimani and Reddy: messages per entry',
  claim:
    '“The algorithm requires N + K - 1 messages exchanged”, or none for a node with an idle token.',
  correction:
    'It is at most that, and only if a request counts as granted when its node enters. The survey has the node ' +
    'update the token “When it leaves the CS”. Then a node that is inside may pass on a second token, which does ' +
    'not know of its entry and is sent to it once more.',
  evidence: () => {
    const world = makeWorld(asTold, { nodes: 4, k: 2 });
    const { totalMessages } = check(asTold, world, { entries: [0, 1, 1, 1], reportMessages: true });
    return {
      of: '4 sites, K = 2, of which 1, 2 and 3 ask once: messages in all, the most of any schedule',
      ...{ printed: `${3 * (4 + 2 - 1)}`, is: `${totalMessages!.at(-1)}` },
    };
  },
};

export const wrongFormulas: readonly WrongFormula[] = [
  starDiameter,
  messagesSaved,
  lightLoad,
  kCoteries,
  informationSets,
  tokensTooMany,
];
