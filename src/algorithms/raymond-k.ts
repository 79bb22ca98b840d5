/**
 * Raymond's k entries: ask all sites, enter when all but k − 1 of the others have said yes.
 *
 * K. Raymond. "A Distributed Algorithm for Multiple Entries to a Critical Section".
 * Information Processing Letters 30(4):189–193, February 1989.
 *
 * It is Ricart and Agrawala's algorithm, but a site need not wait for the last k − 1 REPLYs. The sites that owe
 * them may be inside with it. These REPLYs come late, perhaps when the site asks again. So each site counts how
 * many REPLYs every other owes it. A site that owes none is certainly not inside with an earlier request.
 *
 * Example with k = 2: site 0 of three is inside. Site 1 asks both others. Site 2 says yes, which is enough, and
 * site 1 enters. Site 0 sends its REPLY when it leaves: site 1 no longer waits for it, and only counts it. The two
 * entries take eight messages.
 */
import type { Algorithm, Site } from '../core/algorithm.ts';
import { assert } from '../core/assert.ts';
import type { Messages } from '../core/message.ts';
import { each } from '../core/plain.ts';

const messages = {
  REQUEST: { seq: 'int' }, //  may I?
  REPLY: { count: 'int' }, //  you may, for my part: the answer to so many of your REQUESTs
} as const satisfies Messages;

type State = {
  ours: number; //      Our_Sequence_Number, from request to release; else 0
  inside: boolean;
  highest: number; //   Highest_Sequence_Number
  missing: number[]; // Reply_Count: how many REPLYs each still owes us, for old requests too
  owed: number[]; //    Defer_Count: how many we owe each
};

export const raymondK: Algorithm<State, typeof messages> = {
  id: 'raymond-k',
  title: 'Raymond 1989 (k entries)',
  year: 1989,
  paper: 'Information Processing Letters 30(4):189–193, 1989',
  family: 'permission',
  modes: ['exclusive'],
  k: true,
  topology: 'complete',
  defaultTopology: 'complete',
  links: 'any', // REPLYs are counted, and no REQUEST is mistaken for another
  options: {},
  messages,
  claims: {
    messages: {
      formula: '2N−k−1 to 2(N−1)',
      bounds: ({ n, k }) => ({ least: 2 * n - k - 1, most: 2 * (n - 1) }),
    },
    light: { formula: '2(N−1)', bounds: ({ n }) => ({ least: 2 * (n - 1), most: 2 * (n - 1) }) },
    synchronizationDelay: 'T',
  },
  recovers: [],

  init: ({ n }) => ({
    ours: 0,
    inside: false,
    highest: 0,
    missing: each(n, 0),
    owed: each(n, 0),
  }),

  request(my, site) {
    my.ours = ++my.highest;
    for (const j of site.others) {
      my.missing[j]! += 1;
      site.send(j, { type: 'REQUEST', seq: my.ours });
    }
    enterIfPermitted(my, site);
  },

  release(my, site) {
    my.ours = 0;
    my.inside = false;
    for (const j of site.others) {
      const count = my.owed[j]!;
      if (count > 0) site.send(j, { type: 'REPLY', count });
      my.owed[j] = 0;
    }
  },

  on: {
    REQUEST(my, site, from, { seq }) {
      my.highest = Math.max(my.highest, seq);
      const oursIsOlder = my.ours < seq || (my.ours === seq && site.me < from);
      if (my.ours !== 0 && (my.inside || oursIsOlder)) my.owed[from]! += 1;
      else site.send(from, { type: 'REPLY', count: 1 });
    },

    REPLY(my, site, from, { count }) {
      my.missing[from]! -= count;
      assert(my.missing[from]! >= 0, 'a REPLY answers REQUESTs of ours');
      enterIfPermitted(my, site);
    },
  },

  fields: {
    ours: 'Our_Sequence_Number',
    highest: 'Highest_Sequence_Number',
    missing: 'Reply_Count',
    owed: 'Defer_Count',
  },
  owes: ({ owed }) => owed.flatMap((count, j) => (count > 0 ? [j] : [])),
  awaits: ({ missing }, { others }) => others.filter((j) => missing[j]! > 0),
};

/** The survey says "at least N−(k−1) are not in the critical section", and counts the site itself. */
function enterIfPermitted(my: State, site: Site<typeof messages>): void {
  if (my.ours === 0 || my.inside) return;
  const permissions = site.others.filter((j) => my.missing[j] === 0).length;
  if (permissions < site.n - site.k) return;
  my.inside = true;
  site.enter();
}
