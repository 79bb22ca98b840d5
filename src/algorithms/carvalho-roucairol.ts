/**
 * Carvalho–Roucairol: a permission, once given, holds until it is asked back.
 *
 * O. S. F. Carvalho and G. Roucairol. "On Mutual Exclusion in Computer Networks".
 * Communications of the ACM 26(2):146–147, February 1983.
 *
 * It is Ricart and Agrawala's algorithm, but a site keeps a REPLY after the stay for which it asked. A site asks
 * only the sites whose permission it lacks; a site that is not asked back enters again without a message. Each pair
 * of sites thus shares one permission, which passes between them. Unlike Ricart and Agrawala's it does not serve in
 * the order of the numbers: a site that has all permissions need not ask.
 *
 * Example with three sites: site 0 asks both others and enters: four messages. It asks again, has both permissions,
 * and enters without a message. Site 1 asks both others: four messages. Then site 0 asks again. It has lost the
 * permission of site 1 only, and asks site 1 alone: two messages.
 *
 * The mode `shared` is ours; no paper has it. A permission is to write, which includes to read, or only to read. A
 * site that gives a permission to write keeps no permission of the other site. A site that gives a permission to
 * read may keep one to read. So two sites can each have the other's permission to read, and all can read again and
 * again without a message. A reader that becomes a writer must ask the sites of which it has a permission to read
 * only.
 *
 * A site that waits to write may DOWNGRADE to reading. Then readers no longer make it wait, and every permission that
 * it still gets counts as one to read, whatever it was given for.
 */
import type { Algorithm, Mode, NodeId, Site } from '../core/algorithm.ts';
import { assert } from '../core/assert.ts';
import type { Messages } from '../core/message.ts';

const messages = {
  REQUEST: { seq: 'int', mode: 'mode' }, // may I, until you ask me back?
  REPLY: {}, //                             you may, for my part
  DOWNGRADE: {}, //                         my waiting request is now one to read
} as const satisfies Messages;

type State = {
  inside: boolean; //               we are in
  mode: Mode; //                    of our request; exclusive while we have none
  ours: number; //                  our sequence number, from request to release; else 0
  highest: number; //               the highest sequence number seen, our own included
  permitted: (Mode | null)[]; //    what each permits us: all, to read, nothing
  deferred: (Mode | null)[]; //     what each has asked of us, and gets when we leave
};

export const carvalhoRoucairol: Algorithm<State, typeof messages> = {
  id: 'carvalho-roucairol',
  title: 'Carvalho & Roucairol 1983',
  year: 1983,
  paper: 'https://doi.org/10.1145/358024.940975',
  family: 'permission',
  modes: ['exclusive', 'shared'],
  k: false,
  topology: 'complete',
  defaultTopology: 'complete',
  links: 'any', // a REQUEST that overtakes its sender's REPLY meets an older one, and is deferred
  options: {},
  messages,
  claims: {
    messages: {
      formula: '0 to 2(N−1)',
      bounds: ({ n }) => ({ least: 0, most: 2 * (n - 1) }),
    },
    synchronizationDelay: 'T',
  },
  recovers: [],

  // No site has any permission, so that all start alike; the paper leaves it open.
  init: ({ n }) => ({
    inside: false,
    mode: 'exclusive',
    ours: 0,
    highest: 0,
    permitted: Array<null>(n).fill(null),
    deferred: Array<null>(n).fill(null),
  }),

  request(my, site, mode) {
    my.mode = mode;
    my.ours = ++my.highest;
    for (const j of site.others) if (!suffices(my, j)) ask(my, site, j);
    enterIfPermitted(my, site);
  },

  release(my, site) {
    my.inside = false;
    my.mode = 'exclusive';
    my.ours = 0;
    // The next after us first: where all want in they take turns in this order, and it waits for us alone.
    for (let i = 1; i < site.n; i++) {
      const j = (site.me + i) % site.n;
      if (my.deferred[j] !== null) permitDeferred(my, site, j);
    }
  },

  downgrade(my, site) {
    const unanswered = site.others.filter((j) => !suffices(my, j));
    my.mode = 'shared';
    for (const j of unanswered) {
      my.permitted[j] = null; // what we have of it may be to read, but its answer is to come, and counts
      site.send(j, { type: 'DOWNGRADE' });
    }
    for (const j of site.others) if (my.deferred[j] === 'shared') permitDeferred(my, site, j);
  },

  on: {
    REQUEST(my, site, from, { seq, mode }) {
      my.highest = Math.max(my.highest, seq);
      const canShare = my.mode === 'shared' && mode === 'shared';
      const oursIsOlder = my.ours < seq || (my.ours === seq && site.me < from);
      const isOurTurn = my.inside || (my.ours !== 0 && oursIsOlder);
      if (isOurTurn && !canShare) {
        my.deferred[from] = mode;
        return;
      }
      const counted = my.ours !== 0 && suffices(my, from);
      permit(my, site, from, mode);
      // We counted on this permission and have given it away: ask for it, under our old number.
      if (counted && !suffices(my, from)) ask(my, site, from);
    },

    REPLY(my, site, from) {
      assert(my.ours !== 0 && !suffices(my, from), 'a REPLY answers a REQUEST of ours');
      my.permitted[from] = my.mode;
      enterIfPermitted(my, site);
    },

    DOWNGRADE(my, site, from) {
      if (my.deferred[from] === null) return; // our REPLY is on its way
      my.deferred[from] = 'shared';
      if (my.mode === 'shared') permitDeferred(my, site, from);
    },
  },

  isAwaited: ({ deferred }) => deferred.some((mode) => mode !== null),
  fields: {
    ours: 'sequence number',
    highest: 'highest sequence number',
    permitted: 'permission of',
    deferred: 'replies deferred',
  },
  owes: ({ deferred }) => deferred.flatMap((mode, j) => (mode === null ? [] : [j])),
  awaits: (my, { others }) => others.filter((j) => !suffices(my, j)),
  invariants: {
    'a permission to write is the only one of its pair': ({ sites, inFlight }) => {
      const may = (i: NodeId, j: NodeId): Mode | null => {
        const { permitted, mode } = sites[i]!;
        const isComing = inFlight.some(
          ({ from, to, message }) => from === j && to === i && message.type === 'REPLY',
        );
        return isComing ? mode : permitted[j]!;
      };
      return sites.every((_, i) =>
        sites.every((_, j) => i === j || may(i, j) !== 'exclusive' || may(j, i) === null),
      );
    },
  },
};

/** Whether j permits what we want. */
function suffices({ permitted, mode }: State, j: NodeId): boolean {
  return permitted[j] === 'exclusive' || (permitted[j] === 'shared' && mode === 'shared');
}

function ask(my: State, site: Site<typeof messages>, j: NodeId): void {
  site.send(j, { type: 'REQUEST', seq: my.ours, mode: my.mode });
}

/** Lets j write, and keeps nothing; or lets it read, and keeps no more than that. */
function permit(my: State, site: Site<typeof messages>, j: NodeId, mode: Mode): void {
  my.permitted[j] = mode === 'shared' && my.permitted[j] ? 'shared' : null;
  site.send(j, { type: 'REPLY' });
}

function permitDeferred(my: State, site: Site<typeof messages>, j: NodeId): void {
  const mode = my.deferred[j]!;
  my.deferred[j] = null;
  permit(my, site, j, mode);
}

function enterIfPermitted(my: State, site: Site<typeof messages>): void {
  if (!site.others.every((j) => suffices(my, j))) return;
  my.inside = true;
  site.enter();
}
