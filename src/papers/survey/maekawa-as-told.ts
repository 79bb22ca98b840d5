/**
 * Maekawa's algorithm as the survey tells it. An arbiter compares a newcomer only with the requests that
 * wait, and never with the request that has its vote: "If any request in the queue has a lower sequence number
 * than that of i's, a failed message is sent to node i. If the request from node i has the lowest sequence
 * number, then an inquire message is sent to the node to which permission was granted". The node that is
 * asked "cedes its permission" unless it has succeeded, and the vote goes to the newcomer.
 */
import { maekawa, rules } from '../../algorithms/maekawa.ts';
import { arbitration } from '../../algorithms/shared/arbiter.ts';
import { insert, precedes } from '../../algorithms/shared/votes.ts';

// With `nobody` a site yields whenever it is asked to, unless it is inside.
const { on } = arbitration({ ...rules, fails: () => 'nobody' });

export const asTold: typeof maekawa = {
  ...maekawa,
  on: {
    ...on,

    REQUEST(my, site, from, { seq, turn }) {
      my.highest = Math.max(my.highest, seq);
      const newcomer = { seq, from, turn, mode: 'exclusive' } as const;
      const [holder] = my.holders;
      if (holder === undefined) {
        my.holders = [newcomer];
        return site.send(from, { type: 'GRANT', seq, turn });
      }
      const isLate = my.queue.some((waiting) => precedes(waiting, newcomer));
      insert(my.queue, newcomer);
      if (isLate) return site.send(from, { type: 'FAILED', seq });
      site.send(holder.from, { type: 'INQUIRE', seq: holder.seq, turn: holder.turn });
    },

    YIELD(my, site, from, { seq, turn }) {
      const [holder] = my.holders;
      const [next, ...rest] = my.queue;
      if (holder?.from !== from || holder.seq !== seq || holder.turn >= turn) return;
      my.holders = [next!];
      my.queue = rest;
      insert(my.queue, { ...holder, turn });
      site.send(next!.from, { type: 'GRANT', seq: next!.seq, turn: next!.turn });
    },
  },
};
