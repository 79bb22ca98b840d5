/**
 * Ricart–Agrawala on a ring (section 6.3): the REQUEST visits all sites one after the other.
 *
 * `ring`: there is no REPLY. A site that must defer a REQUEST holds it until it leaves, then sends it
 * on; back home, it has everyone's permission. `ring-marked`: a REQUEST is never held, but whoever
 * defers it puts a mark on it, and a REPLY follows later.
 */
import type { Mode, NodeId } from '../../core/algorithm.ts';
import type { Messages } from '../../core/message.ts';
import { list } from '../../core/message.ts';
import { each } from '../../core/plain.ts';
import { defers, dropNumber, type Numbers, noNumbers, see, takeNumber } from './numbers.ts';
import type { Form } from './options.ts';

const serialMessages = {
  ROUND: { origin: 'node', seq: 'int', mode: 'mode' }, // the REQUEST, and its own echo
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
    for (const origin of site.others) {
      const held = my.held[origin];
      if (held) site.send(next(site), { type: 'ROUND', origin, seq: held.seq, mode: held.mode });
      my.held[origin] = null;
    }
  },

  on: {
    ROUND(my, site, _, { origin, seq, mode }) {
      if (origin === site.me) return site.enter();
      see(my, site, seq, mode);
      if (defers(my, site, origin, seq, mode)) my.held[origin] = { seq, mode };
      else site.send(next(site), { type: 'ROUND', origin, seq, mode });
    },
  },
};

const markedMessages = {
  MARKED_ROUND: { origin: 'node', seq: 'int', mode: 'mode', deferredBy: list('node') },
  MARKED_REPLY: {}, // you may, for my part: you find my mark on your REQUEST
} as const satisfies Messages;

export type Marked = Numbers & {
  missing: number; //     Outstanding_Reply_Count
  deferred: boolean[]; // whom we owe a REPLY when we leave
};

export const marked: Form<Marked, typeof markedMessages> = {
  messages: markedMessages,

  init: ({ n }) => ({ ...noNumbers(), missing: 0, deferred: each(n, false) }),

  request(my, site, mode) {
    takeNumber(my, site, mode);
    const round = { origin: site.me, seq: my.ours, mode, deferredBy: [] };
    site.send(next(site), { type: 'MARKED_ROUND', ...round });
  },

  release(my, site) {
    dropNumber(my);
    for (const j of site.others) {
      if (my.deferred[j]) site.send(j, { type: 'MARKED_REPLY' });
      my.deferred[j] = false;
    }
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
      my.deferred[origin] = defers(my, site, origin, seq, mode);
      const marks = my.deferred[origin] ? [...deferredBy, site.me] : deferredBy;
      site.send(next(site), { type: 'MARKED_ROUND', origin, seq, mode, deferredBy: marks });
    },

    MARKED_REPLY(my, site) {
      my.missing -= 1;
      if (my.missing === 0) site.enter();
    },
  },
};

const next = ({ me, n }: { readonly me: NodeId; readonly n: number }): NodeId => (me + 1) % n;
