/**
 * Lending coordinator: one site hands out k permits, and recalls the idle ones when they run short.
 *
 * Ours; no paper has it. It is the central coordinator of M. G. Velazquez, "A Survey of Distributed Mutual
 * Exclusion Algorithms", Colorado State University, Technical Report CS-93-116, 1993, section 2, with permits
 * that a site may keep.
 *
 * Site 0 is the coordinator: it has the free permits, and the queue of the sites that wait for one. A site
 * without a permit sends it a REQUEST. The coordinator answers with a GRANT as soon as it has a free permit, in
 * the order in which the requests came. The GRANT says whether the site may keep the permit when it leaves:
 * - it may, while another free permit is left; it enters again without a message;
 * - it may not keep the last free permit, which the next site would need, and RETURNs it;
 * - but it may if it was also the last site to get one: then no other site seems to want any.
 *
 * When a site has to wait, the coordinator recalls all permits that were kept. A site that is idle returns its
 * permit at once, and a site that is inside returns it when it leaves. So an entry costs three messages at any N,
 * REQUEST, GRANT and RETURN, or four if the permit was kept and recalled.
 *
 * Example with k = 2 and four sites: site 1 asks, REQUEST and GRANT, leaves, and keeps its permit. Site 2 asks and
 * gets the last permit, REQUEST and GRANT. Site 3 asks while site 2 is inside: REQUEST, RECALL to site 1, RETURN
 * and GRANT. Sites 2 and 3 leave: two RETURNs. That is ten messages for three entries.
 */
import type { Algorithm, NodeId, Site } from '../core/algorithm.ts';
import { assert } from '../core/assert.ts';
import { list, type Messages, optional, record } from '../core/message.ts';

const COORDINATOR: NodeId = 0;

const messages = {
  REQUEST: {}, //                 may I?
  GRANT: { keep: 'bool' }, //     you may; and whether you may keep the permit when you leave
  RECALL: {}, //                  return the permit that you may keep
  RETURN: {}, //                  here it is
} as const satisfies Messages;

type Coordinator = {
  free: number; //          permits that no site has
  keepers: NodeId[]; //     the sites that may keep their permits, and have not been asked to return them
  queue: NodeId[]; //       the sites that wait, in the order of their requests
  last: NodeId | null; //   the site that got a permit last
};

type State = {
  isInside: boolean;
  hasPermit: boolean; //           inside, or kept
  mustReturn: boolean; //          the permit, when we leave
  coordinator: Coordinator | null; // at site 0
};
type PermitSite = Site<typeof messages>;

export const lendingCoordinator: Algorithm<State, typeof messages> = {
  id: 'lending-coordinator',
  title: 'Lending coordinator',
  year: 2026,
  paper: 'Colorado State University, Technical Report CS-93-116, section 2',
  family: 'token',
  modes: ['exclusive'],
  k: true,
  topology: 'complete',
  defaultTopology: 'complete',
  // A RECALL may overtake its GRANT, and a REQUEST the RETURN before it: permits are alike.
  links: 'any',
  options: {},
  messages,
  claims: {
    messages: {
      formula: '3, or 4 for a permit that is kept and recalled; 0 for one that is kept',
      bounds: ({ n }) => ({ least: 0, most: n === 1 ? 0 : 4 }),
    },
    heavy: {
      formula: '3(N−1)/N',
      bounds: ({ n, k }) => ({ least: 0, most: n <= k ? 0 : (3 * (n - 1)) / n }),
    },
    synchronizationDelay: '2T',
  },
  recovers: [],

  init: ({ me, k }) => ({
    isInside: false,
    hasPermit: false,
    mustReturn: false,
    coordinator: me === COORDINATOR ? { free: k, keepers: [], queue: [], last: null } : null,
  }),

  request(my, site) {
    if (my.hasPermit) enter(my, site);
    else site.send(COORDINATOR, { type: 'REQUEST' });
  },

  release(my, site) {
    my.isInside = false;
    if (my.mustReturn) giveBack(my, site);
  },

  on: {
    REQUEST(my, site, from) {
      my.coordinator!.queue.push(from);
      serve(my.coordinator!, site);
    },

    GRANT(my, site, _, { keep }) {
      assert(!my.hasPermit, 'a GRANT comes to a site without a permit');
      my.hasPermit = true;
      my.mustReturn ||= !keep; // its RECALL may have come before it
      enter(my, site);
    },

    RECALL(my, site) {
      if (my.hasPermit && !my.isInside) giveBack(my, site);
      else my.mustReturn = true;
    },

    RETURN(my, site) {
      my.coordinator!.free += 1;
      serve(my.coordinator!, site);
    },
  },

  symmetry: {
    alike: ({ n }) => Array.from({ length: n - 1 }, (_, i) => i + 1), // all but the coordinator
    state: {
      coordinator: optional(
        record({ keepers: list('node'), queue: list('node'), last: optional('node') }),
      ),
    },
  },
  tokens: {
    held: ({ hasPermit, coordinator }) => (hasPermit ? 1 : 0) + (coordinator?.free ?? 0),
    carriers: ['GRANT', 'RETURN'],
  },
  fields: {
    isInside: 'inside',
    hasPermit: 'has a permit',
    mustReturn: 'must return it',
    coordinator: 'coordinator (free permits, keepers, queue, last)',
  },
  owes: ({ coordinator }) => coordinator?.queue ?? [],
  awaits: ({ hasPermit }, { me, others }) => {
    if (hasPermit) return [];
    return me === COORDINATOR ? others : [COORDINATOR];
  },
  invariants: {
    'no site waits while a permit is free': ({ sites }) =>
      sites.every(({ coordinator: c }) => c === null || c.free === 0 || c.queue.length === 0),
    'no permit is kept while a site waits': ({ sites }) =>
      sites.every(
        ({ coordinator: c }) => c === null || c.keepers.length === 0 || c.queue.length === 0,
      ),
  },
};

/** Grants the free permits to the sites that came first, and recalls the permits that are kept if some must wait. */
function serve(my: Coordinator, site: PermitSite): void {
  while (my.free > 0 && my.queue.length > 0) {
    const next = my.queue.shift()!;
    my.free -= 1;
    const keep = my.queue.length === 0 && (my.free > 0 || my.last === next);
    if (keep) my.keepers.push(next);
    my.last = next;
    site.send(next, { type: 'GRANT', keep });
  }
  if (my.queue.length === 0) return;
  for (const j of my.keepers) site.send(j, { type: 'RECALL' });
  my.keepers = [];
}

function giveBack(my: State, site: PermitSite): void {
  my.hasPermit = false;
  my.mustReturn = false;
  site.send(COORDINATOR, { type: 'RETURN' });
}

function enter(my: State, site: PermitSite): void {
  my.isInside = true;
  site.enter();
}
