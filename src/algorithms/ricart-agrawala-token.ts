/**
 * Ricart–Agrawala with a token: ask all others for it; it goes to the next site round the ring that waits.
 *
 * G. Ricart and A. K. Agrawala. "Author's Response to 'On Mutual Exclusion in Computer Networks' by
 * Carvalho and Roucairol". Communications of the ACM 26(2):147–148, February 1983.
 *
 * A site that wants to enter, and does not have the token, sends a numbered REQUEST to all others. The token
 * carries the number of each site's last granted request, so that its holder can tell which sites still wait. When
 * the holder leaves, it sends the token to the first of them, counting upwards from itself and round. So the
 * service is not first come, first served. But once a REQUEST has reached all, each other site enters at most once
 * before its sender.
 *
 * Example with four sites: site 0 is inside. Site 3 asks, and then site 1; each sends three REQUESTs. Site 0
 * leaves. Counting upwards, site 1 comes first and gets the token, though site 3 asked before it. Site 1 leaves,
 * and sends the token to site 3. That is eight messages for the two entries.
 */
import type { Algorithm, NodeId, Site } from '../core/algorithm.ts';
import { assert } from '../core/assert.ts';
import { type Messages, perSite } from '../core/message.ts';
import { each } from '../core/plain.ts';
import { ringFrom } from './shared/rotated.ts';

const messages = {
  REQUEST: { n: 'int' }, // this is my n-th request
  TOKEN: { granted: perSite('int') }, // token_data
} as const satisfies Messages;

type State = {
  requesting: boolean; //     from request to release, the stay included
  asked: number[]; //         request_data: the number of the latest request known of each site
  token: number[] | null; //  token_data: the number of each site's last granted request
};

export const ricartAgrawalaToken: Algorithm<State, typeof messages> = {
  id: 'ricart-agrawala-token',
  title: 'Ricart & Agrawala 1983',
  year: 1983,
  paper: 'Communications of the ACM 26(2):147–148, February 1983',
  family: 'token',
  modes: ['exclusive'],
  k: false,
  topology: 'complete',
  defaultTopology: 'complete',
  links: 'any', // a REQUEST that comes late is known by its number
  options: {},
  messages,
  claims: {
    messages: { formula: 'N, or 0 for the holder', bounds: ({ n }) => ({ least: 0, most: n }) },
    synchronizationDelay: 'T',
  },
  recovers: [],

  init: ({ me, n }) => ({
    requesting: false,
    asked: each(n, 0),
    token: me === 0 ? each(n, 0) : null,
  }),

  request(my, site) {
    my.requesting = true;
    if (my.token !== null) return site.enter();
    const n = ++my.asked[site.me]!;
    for (const j of site.others) site.send(j, { type: 'REQUEST', n });
  },

  release(my, site) {
    my.requesting = false;
    my.token![site.me] = my.asked[site.me]!;
    const next = ringFrom(site.me, site.n).find((j) => waits(my, j));
    if (next !== undefined) pass(my, site, next);
  },

  on: {
    // The survey passes an idle token to any site that asks. A REQUEST may come when it has been granted
    // already: then the token would go to a site that does not want it, and stay there unseen.
    REQUEST(my, site, from, { n }) {
      my.asked[from] = Math.max(my.asked[from]!, n);
      if (my.token !== null && !my.requesting && waits(my, from)) pass(my, site, from);
    },

    TOKEN(my, site, _, { granted }) {
      assert(my.requesting, 'the token comes only to a site that asked for it');
      my.token = granted.slice();
      site.enter();
    },
  },

  tokens: { held: ({ token }) => (token === null ? 0 : 1), carriers: ['TOKEN'] },
  fields: { asked: 'request_data', token: 'token_data' },
  awaits: ({ token }, { others }) => (token === null ? others : []), // any of them may have it
};

function waits({ asked, token }: State, j: NodeId): boolean {
  return asked[j]! > token![j]!;
}

export function pass(my: State, site: Site<typeof messages>, to: NodeId): void {
  site.send(to, { type: 'TOKEN', granted: my.token! });
  my.token = null;
}
