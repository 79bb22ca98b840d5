/**
 * Token ring: the token goes round and round, and a site that wants to enter keeps it for a stay.
 *
 * G. Le Lann. "Distributed Systems: Towards a Formal Approach". Information Processing 77, 155–160,
 * 1977. Here as section 3.1 of the survey tells it: M. G. Velazquez. "A Survey of Distributed Mutual
 * Exclusion Algorithms". Colorado State University, Technical Report CS-93-116, 1993.
 *
 * No site asks for the token: it passes every site in turn. When all sites want to enter all the time, an entry
 * takes one message. When no site does, the token circulates all the same.
 *
 * Example with three sites: the token leaves site 0, and site 2 wants to enter. Site 1 gets the token and sends it
 * on; site 2 gets it and enters. That is two messages. Site 2 leaves and sends it to site 0, and so on.
 */
import type { Algorithm, Site } from '../core/algorithm.ts';
import type { Messages } from '../core/message.ts';

const messages = {
  TOKEN: {}, // the site that has it may enter
} as const satisfies Messages;

type State = {
  requesting: boolean; // from request to release, the stay included
  token: boolean; //      the token is here
};

export const ringToken: Algorithm<State, typeof messages, 'ring'> = {
  id: 'ring-token',
  title: 'Token ring (Le Lann 1977)',
  year: 1977,
  paper: 'Colorado State University, Technical Report CS-93-116, section 3.1',
  family: 'token',
  modes: ['exclusive'],
  k: false,
  topology: 'ring',
  defaultTopology: 'ring',
  links: 'any', // there is never more than one message under way
  options: {},
  messages,
  claims: {
    messages: {
      formula: '1 to ∞',
      bounds: ({ n }) => ({ least: n === 1 ? 0 : 1, most: Number.POSITIVE_INFINITY }),
    },
    light: {
      formula: '1 to N',
      bounds: ({ n }) => ({ least: n === 1 ? 0 : 1, most: n }),
    },
    heavy: { formula: '1', bounds: ({ n }) => ({ least: n === 1 ? 0 : 1, most: 1 }) },
    synchronizationDelay: 'T to (N−1)T',
  },
  recovers: [],

  init: ({ me }) => ({ requesting: false, token: me === 0 }),

  start(my, site) {
    if (my.token && !my.requesting) pass(my, site);
  },

  request(my, site) {
    my.requesting = true;
    if (my.token) site.enter();
  },

  release(my, site) {
    my.requesting = false;
    pass(my, site);
  },

  on: {
    TOKEN(my, site) {
      my.token = true;
      if (my.requesting) site.enter();
      else pass(my, site);
    },
  },

  tokens: { held: ({ token }) => (token ? 1 : 0), carriers: ['TOKEN'] },
  fields: { token: 'the token is here' },
  awaits: (_, { me, topology: { next } }) => [next.indexOf(me)], // wherever it is, it comes from there
};

function pass(my: State, site: Site<typeof messages, 'ring'>): void {
  if (site.n === 1) return; // it would come back before we are done
  my.token = false;
  site.send(site.topology.next[site.me]!, { type: 'TOKEN' });
}
