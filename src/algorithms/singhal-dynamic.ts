/**
 * Singhal's dynamic information structure: a site asks only those that may have entered since it last did.
 *
 * M. Singhal. "A Dynamic Information-Structure Mutual Exclusion Algorithm for Distributed Systems".
 * IEEE Transactions on Parallel and Distributed Systems 3(1):121–125, January 1992.
 *
 * Of any two sites at least one must ask the other. A site that has said yes to another must ask it from then on;
 * the other need not ask again. So a site asks only those that have entered since it last did, and a site that
 * enters again and again, alone, sends nothing. The sets start as a staircase: each site asks all before it.
 *
 * Example with three sites: site 2 asks sites 0 and 1, and both say yes: four messages. Site 2 asks again, needs
 * the permission of no site, and enters without a message. Then site 0 asks. It has said yes to site 2, and must
 * ask it; it need not ask site 1, which asks site 0. That is two messages.
 *
 * The survey says that the request sets of any two sites meet. They do not, and need not.
 */
import type { Algorithm, NodeId, Site } from '../core/algorithm.ts';
import { assert } from '../core/assert.ts';
import type { Messages } from '../core/message.ts';
import { each } from '../core/plain.ts';

const messages = {
  REQUEST: { seq: 'int' }, // may I?
  REPLY: {}, //               you may, for my part, and I ask you from now on
} as const satisfies Messages;

type State = {
  inside: boolean; //   we are in
  highest: number; //   C: the highest timestamp seen, our own included
  ours: number; //      our timestamp, from request to release; else 0
  request: boolean[]; // R: whose permission we need, or, while we wait, still lack
  inform: boolean[]; //  I: the sites that wait for ours, until we leave
};

export const singhalDynamic: Algorithm<State, typeof messages> = {
  id: 'singhal-dynamic',
  title: 'Singhal 1992',
  year: 1992,
  paper: 'IEEE Transactions on Parallel and Distributed Systems 3(1):121–125, January 1992',
  family: 'permission',
  modes: ['exclusive'],
  k: false,
  topology: 'complete',
  defaultTopology: 'complete',
  // The paper's links keep order. A REQUEST that overtakes its sender's REPLY finds us waiting with an
  // earlier one, or we would not have been told yes: it is deferred as it should be.
  links: 'any',
  options: {},
  messages,
  claims: {
    messages: {
      formula: '0 to 2(N−1)',
      bounds: ({ n }) => ({ least: 0, most: 2 * (n - 1) }),
    },
    light: {
      formula: '0 to 2(N−1), N−1 on average',
      bounds: ({ n }) => ({ least: 0, most: 2 * (n - 1) }),
    },
    // The paper estimates 3(N−1)/2. But between two stays of ours each other site has one, and each of
    // these has us say yes and ask again.
    heavy: {
      formula: '2(N−1)',
      bounds: ({ n }) => ({ least: 2 * (n - 1), most: 2 * (n - 1) }),
    },
    synchronizationDelay: 'T',
  },
  recovers: [],

  // The survey does not say how the sets begin. A staircase is the least that will do: i asks all before.
  init: ({ n, me }) => ({
    inside: false,
    highest: 0,
    ours: 0,
    request: each(n, false).map((_, j) => j < me),
    inform: each(n, false),
  }),

  request(my, site) {
    my.ours = ++my.highest;
    for (const j of site.others) if (my.request[j]) ask(my, site, j);
    enterIfPermitted(my, site);
  },

  release(my, site) {
    my.inside = false;
    my.ours = 0;
    for (const j of site.others) {
      if (!my.inform[j]) continue;
      my.inform[j] = false;
      my.request[j] = true;
      site.send(j, { type: 'REPLY' });
    }
  },

  on: {
    REQUEST(my, site, from, { seq }) {
      my.highest = Math.max(my.highest, seq);
      const oursIsOlder = my.ours < seq || (my.ours === seq && site.me < from);
      if (my.inside || (my.ours !== 0 && oursIsOlder)) {
        my.inform[from] = true;
        return;
      }
      site.send(from, { type: 'REPLY' });
      const mustRepeatRequest = my.ours !== 0 && !my.request[from];
      my.request[from] = true;
      if (mustRepeatRequest) ask(my, site, from);
    },

    REPLY(my, site, from) {
      assert(my.ours !== 0 && my.request[from]!, 'a REPLY answers a REQUEST of ours');
      my.request[from] = false;
      enterIfPermitted(my, site);
    },
  },

  fields: { highest: 'C', ours: 'timestamp', request: 'R', inform: 'I' },
  owes: ({ inform }, { me }) => inform.flatMap((waits, j) => (waits && j !== me ? [j] : [])),
  awaits: ({ request }, { others }) => others.filter((j) => request[j]),
  invariants: {
    'of any two sites one must ask the other, or has said yes just now': ({ sites, inFlight }) => {
      const yes = (from: NodeId, to: NodeId) =>
        inFlight.some((m) => m.message.type === 'REPLY' && m.from === from && m.to === to);
      const asks = (i: NodeId, j: NodeId) => sites[i]!.request[j]! || yes(j, i);
      return sites.every((_, i) => sites.every((_, j) => i === j || asks(i, j) || asks(j, i)));
    },
  },
};

type SinghalSite = Site<typeof messages>;

/** Always with the timestamp of the request, also when it asks again. */
function ask(my: State, site: SinghalSite, j: NodeId): void {
  site.send(j, { type: 'REQUEST', seq: my.ours });
}

function enterIfPermitted(my: State, site: SinghalSite): void {
  if (site.others.some((j) => my.request[j])) return;
  my.inside = true;
  site.enter();
}
