/**
 * Ricart–Agrawala on a ring (section 6.3): the REQUEST visits all sites one after the other.
 *
 * `ring`: there is no REPLY. A site that must defer a REQUEST holds it until it leaves, then sends it
 * on; back home, it has the permission of all. `ring-marked`: a REQUEST is never held, but a site that
 * defers it puts a mark on it, and a REPLY follows later.
 *
 * A site that downgrades to reading sends word of it after its REQUEST, the same way round. It comes to each site that defers
 * that, for no link lets it overtake; nor does the next REQUEST overtake it.
 */
import type { Mode, NodeId, Site } from '../../core/algorithm.ts';
import type { Messages } from '../../core/message.ts';
import { list } from '../../core/message.ts';
import { defers, dropNumber, type Numbers, noNumbers, see, takeNumber } from './numbers.ts';
import type { Form, Options } from './options.ts';

const serialMessages = {
  ROUND: { origin: 'node', seq: 'int', mode: 'mode' }, // the REQUEST, and its own echo
  DOWNGRADE_ROUND: { origin: 'node' }, //                 that REQUEST is now to read
} as const satisfies Messages;

export type Serial = Numbers & {
  held: ({ seq: number; mode: Mode } | null)[]; // by origin, the REQUESTs that wait for us
};

export const serial: Form<Serial, typeof serialMessages> = {
  messages: serialMessages,

  init: ({ n }) => ({ ...noNumbers(), held: Array.from({ length: n }, () => null) }),

  request(my, site, mode) {
    takeNumber(my, site, mode);
    site.send(next(site), { type: 'ROUND', origin: site.me, seq: my.ours, mode });
  },

  release(my, site) {
    dropNumber(my);
    for (const origin of site.others) if (my.held[origin]) sendOn(my, site, origin);
  },

  downgrade(my, site) {
    my.mode = 'shared';
    site.send(next(site), { type: 'DOWNGRADE_ROUND', origin: site.me });
    for (const j of site.others) if (my.held[j]?.mode === 'shared') sendOn(my, site, j);
  },

  on: {
    ROUND(my, site, _, { origin, seq, mode }) {
      if (origin === site.me) return site.enter();
      see(my, site, seq, mode);
      if (defers(my, site, origin, seq, mode)) my.held[origin] = { seq, mode };
      else site.send(next(site), { type: 'ROUND', origin, seq, mode });
    },

    DOWNGRADE_ROUND(my, site, _, { origin }) {
      if (origin === site.me) return;
      const held = my.held[origin];
      if (!held) return site.send(next(site), { type: 'DOWNGRADE_ROUND', origin });
      // The REQUEST itself says it from here on.
      held.mode = 'shared';
      if (!defers(my, site, origin, held.seq, 'shared')) sendOn(my, site, origin);
    },
  },
};

function sendOn(
  my: Serial,
  site: Site<typeof serialMessages, 'complete', Options>,
  origin: NodeId,
): void {
  const { seq, mode } = my.held[origin]!;
  my.held[origin] = null;
  site.send(next(site), { type: 'ROUND', origin, seq, mode });
}

const markedMessages = {
  MARKED_ROUND: { origin: 'node', seq: 'int', mode: 'mode', deferredBy: list('node') },
  MARKED_REPLY: {}, // you may, for my part: you find my mark on your REQUEST
  MARKED_DOWNGRADE: { origin: 'node', seq: 'int' }, // that REQUEST is now to read
} as const satisfies Messages;

export type Marked = Numbers & {
  missing: number; //           Outstanding_Reply_Count
  deferred: (Mode | null)[]; // the sites to which we owe a REPLY when we leave, and what for
};

export const marked: Form<Marked, typeof markedMessages> = {
  messages: markedMessages,

  init: ({ n }) => ({ ...noNumbers(), missing: 0, deferred: Array<null>(n).fill(null) }),

  request(my, site, mode) {
    takeNumber(my, site, mode);
    const round = { origin: site.me, seq: my.ours, mode, deferredBy: [] };
    site.send(next(site), { type: 'MARKED_ROUND', ...round });
  },

  release(my, site) {
    dropNumber(my);
    for (const j of site.others) if (my.deferred[j] !== null) reply(my, site, j);
  },

  downgrade(my, site) {
    my.mode = 'shared';
    site.send(next(site), { type: 'MARKED_DOWNGRADE', origin: site.me, seq: my.ours });
    for (const j of site.others) if (my.deferred[j] === 'shared') reply(my, site, j);
  },

  on: {
    MARKED_ROUND(my, site, _, { origin, seq, mode, deferredBy }) {
      if (origin === site.me) {
        // The paper sets the count to the number of marks. But a REPLY may be home before the
        // REQUEST is, and would never be counted: so those that came count as less than nothing.
        my.missing += deferredBy.length;
        if (my.missing === 0) site.enter();
        return;
      }
      see(my, site, seq, mode);
      my.deferred[origin] = defers(my, site, origin, seq, mode) ? mode : null;
      const marks = my.deferred[origin] !== null ? [...deferredBy, site.me] : deferredBy;
      site.send(next(site), { type: 'MARKED_ROUND', origin, seq, mode, deferredBy: marks });
    },

    MARKED_REPLY(my, site) {
      my.missing -= 1;
      if (my.missing === 0) site.enter();
    },

    MARKED_DOWNGRADE(my, site, _, { origin, seq }) {
      if (origin === site.me) return;
      site.send(next(site), { type: 'MARKED_DOWNGRADE', origin, seq });
      if (my.deferred[origin] === null) return;
      my.deferred[origin] = 'shared';
      if (!defers(my, site, origin, seq, 'shared')) reply(my, site, origin);
    },
  },
};

function reply(
  my: Marked,
  site: Site<typeof markedMessages, 'complete', Options>,
  j: NodeId,
): void {
  my.deferred[j] = null;
  site.send(j, { type: 'MARKED_REPLY' });
}

const next = ({ me, n }: { readonly me: NodeId; readonly n: number }): NodeId => (me + 1) % n;
