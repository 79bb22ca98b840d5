/**
 * Neilsen–Mizuno: a request climbs to the end of the queue and turns every edge it crosses.
 *
 * M. L. Neilsen and M. Mizuno. "A DAG-Based Algorithm for Distributed Mutual Exclusion".
 * 11th International Conference on Distributed Computing Systems, 354–360, 1991.
 *
 * The sites form a tree, and each points at its neighbour on the way to the sink: the site that asked last. A
 * REQUEST travels there hop by hop, each hop turning the pointer behind it, so that its origin becomes the new
 * sink. The old sink remembers it as its successor. No site has the whole queue: each site that waits has one link
 * of it. The token goes from one site to the next directly, and not along the tree. (The survey lets sites talk to
 * neighbours only; then no site could send the token to NEXT.)
 *
 * Example on the line 0 – 1 – 2: site 0 has the token. Site 2 sends a REQUEST to site 1, which sends it on to site
 * 0 and now points at site 2. Site 0 sends the token straight to site 2: three messages. Then site 1 asks site 2,
 * and gets the token from it: two messages.
 */
import type { Algorithm, NodeId, Site } from '../core/algorithm.ts';
import { assert } from '../core/assert.ts';
import type { Messages } from '../core/message.ts';
import { diameter } from '../topologies/tree.ts';

const messages = {
  REQUEST: { origin: 'node' }, // put this site at the end of the queue; I am the way to it
  PRIVILEGE: {}, //               the token
} as const satisfies Messages;

type State = {
  inside: boolean; //      we are in the critical section
  holding: boolean; //     HOLDING: the token is here, and not in use
  last: NodeId | null; //  LAST: the neighbour on the way to the sink; null (the paper's 0) at a sink
  next: NodeId | null; //  NEXT: the site that gets the token after us
};

export const neilsenMizuno: Algorithm<State, typeof messages, 'tree'> = {
  id: 'neilsen-mizuno',
  title: 'Neilsen & Mizuno 1991',
  year: 1991,
  paper: '11th International Conference on Distributed Computing Systems, 354–360, 1991',
  family: 'token',
  modes: ['exclusive'],
  k: false,
  topology: 'tree',
  defaultTopology: 'star', // where no way is longer than two hops
  links: 'any',
  options: {},
  messages,
  claims: {
    messages: {
      formula: '0 to D+1',
      bounds: ({ n, topology }) => ({ least: 0, most: n === 1 ? 0 : diameter(topology) + 1 }),
    },
    synchronizationDelay: 'T',
  },
  recovers: [],

  init: ({ me, topology: { parent } }) => ({
    inside: false,
    holding: parent[me] === me,
    last: parent[me] === me ? null : parent[me]!,
    next: null,
  }),

  request(my, site) {
    if (my.holding) return goIn(my, site);
    assert(my.last !== null, 'an idle sink holds the token');
    site.send(my.last, { type: 'REQUEST', origin: site.me });
    my.last = null;
  },

  release(my, site) {
    my.inside = false;
    my.holding = my.next === null;
    if (my.next !== null) site.send(my.next, { type: 'PRIVILEGE' });
    my.next = null;
  },

  on: {
    REQUEST(my, site, from, { origin }) {
      if (my.last !== null) {
        site.send(my.last, { type: 'REQUEST', origin });
      } else if (my.holding) {
        my.holding = false;
        site.send(origin, { type: 'PRIVILEGE' });
      } else {
        assert(my.next === null, 'the end of the queue has no successor');
        my.next = origin;
      }
      my.last = from;
    },

    PRIVILEGE: goIn,
  },

  tokens: { held: ({ inside, holding }) => (inside || holding ? 1 : 0), carriers: ['PRIVILEGE'] },
  fields: { holding: 'HOLDING', last: 'LAST', next: 'NEXT' },
  awaits: ({ inside }, { others }) => (inside ? [] : others), // any of them may have it
  invariants: {
    // In a tree this is enough for LAST to lead to a sink from everywhere.
    'no two sites point at each other': ({ sites }) =>
      sites.every(({ last }, i) => last === null || sites[last]!.last !== i),
  },
};

function goIn(my: State, site: Site<typeof messages, 'tree'>): void {
  my.holding = false;
  my.inside = true;
  site.enter();
}
