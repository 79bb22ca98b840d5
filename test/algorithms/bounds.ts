/**
 * How far each algorithm is searched exhaustively. The rule is three sites with two entries each; a
 * line here says where that is too much, or too little, and why.
 */
import type { Mode } from '../../src/core/algorithm.ts';

export interface Bound {
  readonly nodes: number;
  readonly entries: readonly number[];
  readonly topology?: string;
  readonly k?: number;
  /** Which requests, if not all that the algorithm has. */
  readonly modes?: readonly Mode[];
  /** How many states the search may take, if more than two and a half million. */
  readonly states?: number;
  readonly because?: string;
}

const RULE: Bound = { nodes: 3, entries: [2, 2, 2] };
const on = (topology: string, because?: string): Bound => ({
  ...RULE,
  topology,
  ...(because && { because }),
});

/** By id, or by `id option`. */
const exceptions: { readonly [what: string]: readonly Bound[] } = {
  central: [RULE, { ...RULE, k: 2 }],
  'lending-coordinator': [RULE, { ...RULE, k: 2 }, { nodes: 4, entries: [2, 2, 1, 1], k: 3 }],
  lamport: [{ ...RULE, states: 5_000_000, because: 'its clocks tell many states apart' }],
  maekawa: [RULE, on('fpp'), on('majority')],
  sanders: [
    { nodes: 3, entries: [2, 1, 1], topology: 'ricart-agrawala' },
    on('central'),
    on('maekawa:majority'),
    { nodes: 3, entries: [1, 1, 1], topology: 'mixed' },
  ],
  kakugawa: [
    RULE,
    { ...RULE, k: 2 },
    { nodes: 4, entries: [2, 2, 1, 1], topology: 'square', k: 2 },
  ],
  'kakugawa reselect': [
    {
      nodes: 3,
      entries: [1, 1, 1],
      k: 2,
      because: 'everyone is asked, and every refusal is a message',
    },
    { nodes: 3, entries: [1, 1, 1] },
  ],
  'mizuno-neilsen-rao': [RULE, on('tree'), on('all')],
  'neilsen-mizuno': [RULE, { nodes: 4, entries: [2, 2, 2, 2], topology: 'line' }],
  'mishra-srimani': [{ nodes: 3, entries: [2, 2, 1], because: 'regeneration has many steps' }],
  ...Object.fromEntries(
    [1, 2].map((bound) => [
      `mishra-srimani bounded=${bound}`,
      [{ nodes: 3, entries: [2, 1, 1], because: 'regeneration has many steps' }],
    ]),
  ),
  raymond: [RULE, on('line'), { nodes: 4, entries: [2, 1, 2, 1], topology: 'star' }],
  'helary-plouzeau-raynal': [
    { nodes: 3, entries: [2, 2, 1], because: 'requests carry clocks and sets of sites' },
    { nodes: 3, entries: [1, 2, 1], topology: 'line' },
  ],
  ...Object.fromEntries(
    ['broadcast-sequenced', 'broadcast-replies', 'increment=random', 'delay-acting'].map(
      (option) => [
        `ricart-agrawala ${option}`,
        [
          { ...RULE, modes: ['exclusive'] },
          {
            nodes: 3,
            entries: option === 'broadcast-replies' ? [2, 2, 1] : [2, 1, 1],
            because: 'with readers, 2,2,2 is beyond two million states',
          },
        ],
      ],
    ),
  ),
  ...Object.fromEntries(
    [
      ...['ask-all', 'request-from-each', 'observed', 'quiet', 'fourth-request'].map(
        (way) => `membership=${way}`,
      ),
      'join-broadcast',
      'restart-timer',
    ].map((option) => [
      `ricart-agrawala ${option}`,
      [{ nodes: 3, entries: [1, 1, 1], because: 'sites join and probe besides' }],
    ]),
  ),
  'ricart-agrawala sponsor': [
    { nodes: 3, entries: [1, 0, 1], because: 'sites are introduced besides' },
    { nodes: 3, entries: [0, 1, 1] },
  ],
  ...Object.fromEntries(
    ['raynal-primes', 'raynal-primes primes'].map((form) => [
      form,
      [
        {
          nodes: 3,
          entries: [1, 0, 0],
          because:
            'polling starves a site that waits for an owner which does not want in: the paper says so',
        },
      ],
    ]),
  ),
  'relative-consensus-voting routing=random': [
    { nodes: 3, entries: [2, 2, 1], because: 'each choice of a route is another schedule' },
  ],
};

export const boundsFor = (id: string, option?: string): readonly Bound[] =>
  (option === undefined ? exceptions[id] : exceptions[`${id} ${option}`]) ?? [RULE];

/** Workloads in which an algorithm does not come to an end, by id or by `id option`. */
const endless: { readonly [what: string]: readonly string[] } = {
  'raynal-primes': ['poisson', 'solo'], // see above
  'raynal-primes primes': ['poisson', 'solo'],
};

export const endsIn = (workload: string, id: string, option?: string): boolean =>
  !endless[option === undefined ? id : `${id} ${option}`]?.includes(workload);

/** The ids and options that have a line of their own, so that a test can say which no longer exist. */
export const exceptional = [...Object.keys(exceptions), ...Object.keys(endless)];
