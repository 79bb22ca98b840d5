/**
 * Central coordinator: one site keeps the queue, the others ask it.
 *
 * The baseline that the distributed algorithms set out to replace, as section 2 of the survey tells
 * it: M. G. Velazquez. "A Survey of Distributed Mutual Exclusion Algorithms". Colorado State
 * University, Technical Report CS-93-116, 1993.
 *
 * A site that wants in asks site 0 and waits for its GRANT; whoever leaves tells it so. The queue is
 * strictly first come, first served: a reader joins the readers inside only when nobody waits before
 * it, so that readers cannot starve a writer. Of k permits each writer takes one; readers share, and
 * never with writers. Nothing is cheaper, and nothing works while site 0 is down.
 */
import type { Algorithm, Mode, NodeId, Site } from '../core/algorithm.ts';
import { assert } from '../core/assert.ts';
import { list, type Messages, record } from '../core/message.ts';

const COORDINATOR: NodeId = 0;

const messages = {
  REQUEST: { mode: 'mode' }, // may I?
  GRANT: {}, //                 you may
  RELEASE: {}, //               I am out
} as const satisfies Messages;

type State = {
  mode: Mode; //                            of those inside; exclusive while nobody is
  inside: NodeId[]; //                      ascending; who came first no longer matters
  queue: { who: NodeId; mode: Mode }[]; //  in order of arrival
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
      formula: '3, or 0 for the coordinator itself',
      bounds: ({ n }) => ({ least: 0, most: n === 1 ? 0 : 3 }),
    },
    synchronizationDelay: '2T',
  },
  recovers: [],

  init: () => ({ mode: 'exclusive', inside: [], queue: [] }),

  request(_, site, mode) {
    site.send(COORDINATOR, { type: 'REQUEST', mode });
  },

  release(_, site) {
    site.send(COORDINATOR, { type: 'RELEASE' });
  },

  on: {
    REQUEST(my, site, from, { mode }) {
      my.queue.push({ who: from, mode });
      serve(my, site);
    },

    GRANT(_, site) {
      site.enter();
    },

    RELEASE(my, site, from) {
      assert(my.inside.includes(from), 'a RELEASE comes from someone inside');
      my.inside.splice(my.inside.indexOf(from), 1);
      if (my.inside.length === 0) my.mode = 'exclusive';
      serve(my, site);
    },
  },

  symmetry: {
    alike: ({ n }) => Array.from({ length: n - 1 }, (_, i) => i + 1), // all but the coordinator
    state: { inside: list('node'), queue: list(record({ who: 'node' })) },
  },
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
}

function fits({ mode, inside }: State, k: number, next: Mode): boolean {
  if (inside.length === 0) return true;
  return next === mode && (next === 'shared' || inside.length < k);
}
