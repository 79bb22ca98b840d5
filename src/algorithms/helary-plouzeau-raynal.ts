/**
 * Hélary–Plouzeau–Raynal: flood any network with the request, and leave a trail for the token.
 *
 * J.-M. Hélary, N. Plouzeau and M. Raynal. "A Distributed Algorithm for Mutual Exclusion in an
 * Arbitrary Network". The Computer Journal 31(4):289–295, 1988.
 *
 * A site knows its neighbours and nothing else of the network. Its REQUEST spreads from neighbour to neighbour and
 * carries the set of sites to which it was sent, so that few sites get it twice. Each site remembers the neighbour
 * from which the REQUEST came first: the TOKEN takes that way back. Requests bear the time of a logical clock, and
 * of the requests that it knows the holder serves the earliest. The token says of each site when it last gave the
 * token away: what that site asked for before then is done.
 *
 * Example on the line 0 – 1 – 2: site 0 has the token. Site 2 sends a REQUEST to site 1, and site 1 sends it on to
 * site 0. The TOKEN goes back over site 1 to site 2: four messages. Then site 1 asks both its neighbours. Site 2
 * sends it the token: three messages.
 */
import type { Algorithm, NodeId, Site } from '../core/algorithm.ts';
import { assert } from '../core/assert.ts';
import { type Messages, type Payload, perSite } from '../core/message.ts';
import { each } from '../core/plain.ts';
import type { Graph } from '../core/topology.ts';

const messages = {
  REQUEST: { origin: 'node', time: 'int', sent: perSite('bool') }, // and the sites to which it was sent
  TOKEN: { elected: 'node', given: perSite('int') }, //               the site that it is for, and lud
} as const satisfies Messages;

type State = {
  requesting: boolean; //      from request to release, the stay included
  clock: number; //            C: Lamport's
  heard: (Trail | null)[]; //  req: the latest request known of each site …
  token: number[] | null; //   lud: the clock of each site when it last gave the token away, or −1
};
type Trail = { time: number; via: NodeId }; // … its time, and the neighbour it came from

export const helaryPlouzeauRaynal: Algorithm<State, typeof messages, 'graph'> = {
  id: 'helary-plouzeau-raynal',
  title: 'Hélary, Plouzeau & Raynal 1988',
  year: 1988,
  paper: 'The Computer Journal 31(4):289–295, 1988',
  family: 'token',
  modes: ['exclusive'],
  k: false,
  topology: 'graph',
  defaultTopology: 'ring',
  links: 'any', // a REQUEST that comes late is known by its time
  options: {},
  messages,
  claims: {
    messages: {
      formula: 'at most N−1+D on a tree, 2N+2 on a ring, N if complete; 0 for the holder',
      bounds: ({ n, topology }) => ({ least: 0, most: mostMessages(n, topology) }),
    },
    synchronizationDelay: 'T to (N−1)T',
  },
  recovers: [],

  init: ({ me, n }) => ({
    requesting: false,
    clock: 0,
    heard: Array.from({ length: n }, () => null),
    token: me === 0 ? each(n, -1) : null,
  }),

  request(my, site) {
    my.requesting = true;
    if (my.token !== null) return site.enter();
    spread(site, site.me, my.clock, each(site.n, false));
  },

  release(my, site) {
    my.requesting = false;
    transmit(my, site);
  },

  on: {
    REQUEST(my, site, from, request) {
      if (hear(my, site, from, request) && my.token !== null && !my.requesting) transmit(my, site);
    },

    TOKEN(my, site, _, { elected, given }) {
      if (elected !== site.me) {
        site.send(my.heard[elected]!.via, { type: 'TOKEN', elected, given });
        return;
      }
      assert(my.requesting, 'the token comes only to a site that asked for it');
      my.token = given.slice();
      site.enter();
    },
  },

  tokens: { held: ({ token }) => (token === null ? 0 : 1), carriers: ['TOKEN'] },
  fields: { clock: 'C', heard: 'req', token: 'lud' },
  awaits: ({ token }, { others }) => (token === null ? others : []), // any of them may have it
};

type NetworkSite = Site<typeof messages, 'graph'>;

/** Takes note of a request and sends it on, unless we know it, or a later one of the same origin. */
export function hear(
  my: State,
  site: NetworkSite,
  from: NodeId,
  { origin, time, sent }: Payload<typeof messages, 'REQUEST'>,
): boolean {
  const known = my.heard[origin];
  if (known && known.time >= time) return false;
  my.clock = Math.max(my.clock, time) + 1;
  my.heard[origin] = { time, via: from };
  spread(site, origin, time, sent);
  return true;
}

/** Sends a request on to the neighbours to which it was not sent yet. */
function spread(site: NetworkSite, origin: NodeId, time: number, before: readonly boolean[]): void {
  const neighbours = site.topology.neighbours[site.me]!;
  const sent = before.slice();
  sent[site.me] = true;
  for (const j of neighbours) sent[j] = true;
  for (const j of neighbours) {
    if (!before[j]) site.send(j, { type: 'REQUEST', origin, time, sent });
  }
}

/** The paper's transmit_token: to the earliest request that is not done, if there is any. */
export function transmit(
  my: State,
  site: NetworkSite,
  records: 'giver' | 'elected' = 'giver',
): void {
  const given = my.token!;
  let elected: NodeId | undefined;
  let earliest: Trail | undefined;
  for (const [origin, trail] of my.heard.entries()) {
    if (trail === null || trail.time <= given[origin]!) continue;
    if (earliest !== undefined && earliest.time <= trail.time) continue;
    [elected, earliest] = [origin, trail];
  }
  if (elected === undefined) return;
  // The survey sets the entry of the request that is served. The paper sets the giver's own: its
  // next request will be later than this. Set from our clock, the entry of another, whose clock may
  // be behind ours, would make its next request look done.
  given[records === 'giver' ? site.me : elected] = my.clock++;
  my.heard[elected] = null; // so that a copy which comes by another way is spread once more
  my.token = null;
  site.send(earliest!.via, { type: 'TOKEN', elected, given });
}

/**
 * A request crosses each edge at most once in each direction, and those by which the others first
 * heard of it in one only: 2E − (N−1). The token takes N−1 hops at most. A site that gave it away may
 * spread the request a second time.
 */
function mostMessages(n: number, { neighbours }: Graph): number {
  const valencies = neighbours.map(({ length }) => length);
  const twiceE = valencies.reduce((sum, valency) => sum + valency, 0);
  if (twiceE === n * (n - 1)) return n; // all are next to each other, and no site sends anything on
  const isTree = twiceE === 2 * (n - 1);
  // On a tree a request comes by one way only, and the token takes at most D hops.
  if (isTree) return n - 1 + longestPath(neighbours);
  return twiceE + valencies.reduce((most, valency) => Math.max(most, valency), 0);
}

/** D: the greatest distance between two sites, in hops. */
function longestPath(neighbours: Graph['neighbours']): number {
  const farthestFrom = (start: NodeId): number => {
    const distance = new Map([[start, 0]]);
    for (const [i, hops] of distance) {
      for (const j of neighbours[i]!) if (!distance.has(j)) distance.set(j, hops + 1);
    }
    return Math.max(...distance.values());
  };
  return Math.max(...neighbours.map((_, i) => farthestFrom(i)));
}
