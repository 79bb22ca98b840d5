/**
 * Central coordinator: one site keeps the queue, and the others ask it.
 *
 * The baseline that the distributed algorithms set out to replace, as section 2 of the survey tells
 * it: M. G. Velazquez. "A Survey of Distributed Mutual Exclusion Algorithms". Colorado State
 * University, Technical Report CS-93-116, 1993.
 *
 * A site that wants to enter asks site 0 and waits for its GRANT. When it leaves it sends a RELEASE. The queue is
 * strictly first come, first served. A reader joins the readers inside only when no request waits before its own:
 * so readers cannot starve a writer. Of k permits each writer takes one; readers share, and never with writers. An
 * entry takes three messages, and no site can enter while site 0 is down.
 *
 * Example with three sites: site 1 sends a REQUEST to site 0, gets a GRANT and enters. Site 2 asks while site 1 is
 * inside, and site 0 puts it into the queue. Site 1 leaves and sends a RELEASE; site 0 sends the GRANT to site 2.
 * The two entries take six messages. Site 0 itself enters without a message.
 *
 * A site that waits to write may DOWNGRADE to reading, which is ours: its place in the queue becomes a reader's. And
 * readers inside are told whether they are AWAITED: if not, more may join them without asking.
 */
import type { Algorithm, Mode, NodeId, Site } from '../core/algorithm.ts';
import { assert } from '../core/assert.ts';
import { list, type Messages, record } from '../core/message.ts';

const COORDINATOR: NodeId = 0;

const messages = {
  REQUEST: { mode: 'mode' }, // may I?
  GRANT: {}, //                 you may
  RELEASE: {}, //               I am out
  DOWNGRADE: {}, //             my waiting request is now one to read
  AWAITED: { so: 'bool' }, //   a request waits for you readers to leave; or none does any more
} as const satisfies Messages;

type State = {
  mode: Mode; //                            of the sites inside; exclusive while none is
  inside: NodeId[]; //                      ascending; the order of entry no longer matters
  queue: { who: NodeId; mode: Mode }[]; //  in order of arrival
  told: NodeId[]; //                        the readers inside that know that a request waits, ascending
  isAwaited: boolean; //                    what we were told, as one of them
};

export const central: Algorithm<State, typeof messages> = {
  id: 'central',
  title: 'Central coordinator',
  year: 1993,
  paper: 'Colorado State University, Technical Report CS-93-116, section 2',
  family: 'permission',
  modes: ['exclusive', 'shared'],
  k: true,
  topology: 'complete',
  defaultTopology: 'complete',
  // A REQUEST may overtake the RELEASE sent before it: then its sender waits for itself, or takes
  // another permit until the RELEASE comes. A site's stays are alike, so no message says which.
  links: 'any',
  options: {},
  messages,
  claims: {
    messages: {
      formula: '3, and 1 for a reader that another request waits for; 0 for the coordinator itself',
      bounds: ({ n }) => ({ least: 0, most: n === 1 ? 0 : 4 }),
    },
    light: {
      formula: '3, or 0 for the coordinator itself',
      bounds: ({ n }) => ({ least: 0, most: n === 1 ? 0 : 3 }),
    },
    synchronizationDelay: '2T',
  },
  recovers: [],

  init: () => ({ mode: 'exclusive', inside: [], queue: [], told: [], isAwaited: false }),

  request(_, site, mode) {
    site.send(COORDINATOR, { type: 'REQUEST', mode });
  },

  release(_, site) {
    site.send(COORDINATOR, { type: 'RELEASE' });
  },

  downgrade(_, site) {
    site.send(COORDINATOR, { type: 'DOWNGRADE' });
  },

  // Where several write at a time, one that is let in meanwhile would read among writers.
  downgrades: ({ k }) => k === 1,

  on: {
    REQUEST(my, site, from, { mode }) {
      my.queue.push({ who: from, mode });
      serve(my, site);
    },

    GRANT(my, site) {
      my.isAwaited = false;
      site.enter();
    },

    RELEASE(my, site, from) {
      assert(my.inside.includes(from), 'a RELEASE comes from a site inside');
      my.inside.splice(my.inside.indexOf(from), 1);
      my.told = my.told.filter((j) => j !== from);
      if (my.inside.length === 0) my.mode = 'exclusive';
      serve(my, site);
    },

    DOWNGRADE(my, site, from) {
      const place = my.queue.find(({ who }) => who === from);
      if (place !== undefined) place.mode = 'shared';
      else my.mode = 'shared'; // it is inside already, and alone
      serve(my, site);
    },

    AWAITED(my, _, __, { so }) {
      my.isAwaited = so;
    },
  },

  symmetry: {
    alike: ({ n }) => Array.from({ length: n - 1 }, (_, i) => i + 1), // all but the coordinator
    state: {
      inside: list('node'),
      queue: list(record({ who: 'node' })),
      told: list('node'),
    },
  },
  isAwaited: ({ isAwaited }) => isAwaited,
  fields: {
    mode: 'mode inside',
    inside: 'inside',
    queue: 'queue',
    told: 'readers told of a waiter',
    isAwaited: 'a request waits',
  },
  grantedTo: ({ inside }) => inside,
  awaits: ({ inside }, { me }) => (me === COORDINATOR ? inside : [COORDINATOR]),
};

/** Lets in from the head of the queue as many as fit. */
function serve(my: State, site: Site<typeof messages>): void {
  for (
    let head = my.queue[0];
    head !== undefined && fits(my, site.k, head.mode);
    head = my.queue[0]
  ) {
    my.queue.shift();
    my.mode = head.mode;
    my.inside.push(head.who);
    my.inside.sort((a, b) => a - b);
    site.send(head.who, { type: 'GRANT' });
  }
  if (my.mode === 'shared') tellReaders(my, site);
}

function tellReaders(my: State, site: Site<typeof messages>): void {
  const so = my.queue.length > 0;
  const receivers = so ? my.inside.filter((j) => !my.told.includes(j)) : my.told;
  for (const j of receivers) site.send(j, { type: 'AWAITED', so });
  my.told = so ? [...my.inside] : [];
}

function fits({ mode, inside }: State, k: number, next: Mode): boolean {
  if (inside.length === 0) return true;
  return next === mode && (next === 'shared' || inside.length < k);
}
