/**
 * Ricart and Agrawala's algorithm with sequence numbers modulo M (section 6.4), M being given: ours
 * in the catalogue always takes 2N−1. No more of it than the checker needs.
 */
import type { Algorithm } from '../../core/algorithm.ts';
import type { Messages } from '../../core/message.ts';
import { each } from '../../core/plain.ts';

const messages = { REQUEST: { seq: 'int' }, REPLY: {} } as const satisfies Messages;

type State = {
  requesting: boolean;
  ours: number;
  highest: number;
  missing: number;
  deferred: boolean[];
};

export function residues(modulus: number): Algorithm<State, typeof messages> {
  /** "the smaller number should be increased by M if the difference is N or more" */
  const isHigher = (a: number, b: number, n: number): boolean =>
    Math.abs(a - b) >= n ? a < b : a > b;
  return {
    id: `ricart-agrawala modulo ${modulus}`,
    title: 'Ricart & Agrawala 1981, section 6.4',
    year: 1981,
    paper: 'https://doi.org/10.1145/358527.358537',
    family: 'permission',
    modes: ['exclusive'],
    k: false,
    topology: 'complete',
    defaultTopology: 'complete',
    links: 'any',
    options: {},
    messages,
    claims: {
      messages: {
        formula: '2(N−1)',
        bounds: ({ n }) => ({ least: 2 * (n - 1), most: 2 * (n - 1) }),
      },
    },
    recovers: [],

    init: ({ n }) => ({
      ...{ requesting: false, ours: 0, highest: 0, missing: 0, deferred: each(n, false) },
    }),

    request(my, site) {
      my.requesting = true;
      my.ours = (my.highest + 1) % modulus;
      my.highest = my.ours;
      my.missing = site.n - 1;
      for (const j of site.others) site.send(j, { type: 'REQUEST', seq: my.ours });
    },

    release(my, site) {
      my.requesting = false;
      for (const j of site.others) if (my.deferred[j]) site.send(j, { type: 'REPLY' });
      my.deferred.fill(false);
    },

    on: {
      REQUEST(my, site, from, { seq }) {
        if (isHigher(seq, my.highest, site.n)) my.highest = seq;
        const isLater = seq === my.ours ? site.me < from : isHigher(seq, my.ours, site.n);
        if (my.requesting && isLater) my.deferred[from] = true;
        else site.send(from, { type: 'REPLY' });
      },
      REPLY(my, site) {
        my.missing -= 1;
        if (my.missing === 0) site.enter();
      },
    },
  };
}
