/**
 * Ricart–Agrawala in a group that changes, where section 7 is printed otherwise than it must be.
 *
 * - 7.2.3 has a newcomer ask all for their Highest_Sequence_Number. In the printed code that is the
 *   highest received: a site's own number, though it may be inside with it, is in nobody's answer.
 * - 7.3 has who awaits a REPLY of a site that leaves "pretend the REPLY was received", if messages may
 *   overtake each other. But then that REPLY is still under way, and Outstanding_Reply_Count counts it too.
 * - 7.4 has a probe answered by what was deferred, not by who comes first.
 */
import type { Printed } from '../../core/algorithm.ts';
import { ricartAgrawala as ours } from '../ricart-agrawala.ts';

type Handler = (my: State, site: unknown, ...rest: readonly unknown[]) => void;
type Timer = { readonly expired: Handler };
type State = { requesting: boolean; ours: number; highest: number };

// The errors show without readers, and what is out of turn is not yet an error.
const { messages } = ours.claims;
const writers: typeof ours = { ...ours, modes: ['exclusive'], claims: { messages } };

/** A step after which our own number, if we took one, does not count as seen. */
const unseen =
  (step: Handler): Handler =>
  (my, ...rest) => {
    const { requesting } = my;
    step(my, ...rest);
    if (my.requesting && !requesting) my.highest = my.ours - 1;
  };
const eachOf = <T extends object, V>(all: T, change: (each: V) => V): T =>
  Object.fromEntries(Object.entries(all).map(([name, each]) => [name, change(each)])) as T;

export const askAll: Printed = {
  name: 'ask-all',
  about:
    'a newcomer that asks all for the highest number they know is not told of the number with which ' +
    'one of them is inside, takes the same, and has the lower name: two are inside',
  correction: 'our own number counts as seen, as the comment on the paper’s variable says',
  algorithm: {
    ...writers,
    request: unseen(ours.request as Handler) as typeof ours.request,
    on: eachOf(ours.on, unseen),
    timers: eachOf(ours.timers!, (timer: Timer) => ({ ...timer, expired: unseen(timer.expired) })),
  },
  shows: {
    nodes: 2,
    entries: [1, 1],
    options: ['membership'],
    crashes: 1,
    violates: 'mutual-exclusion',
  },
};

export const removal: Printed = {
  name: 'removal',
  about:
    'a REPLY that is overtaken by the LEAVE of its sender is pretended to be there, and when it comes ' +
    'it is counted again, in the place of another’s: two are inside',
  correction:
    'who is awaited is a set, and a REPLY names the REQUEST it answers: none counts twice',
  algorithm: {
    ...writers,
    on: {
      ...ours.on,
      NUMBERED_REPLY: (my, site, from, message) => {
        const isPretended = 'names' in my && my.requesting && !my.names[from];
        // One less to wait for, whoever that is.
        const counted = isPretended ? my.awaiting.indexOf(true) : from;
        if (counted !== -1) ours.on.NUMBERED_REPLY(my, site, counted, message);
      },
    },
  } satisfies typeof ours,
  shows: { nodes: 3, entries: [1, 1, 1], options: ['membership'], violates: 'mutual-exclusion' },
};

export const probe: Printed = {
  name: 'probe',
  about:
    'a site that has not deferred a REQUEST answers ARE_YOU_THERE with a REPLY, even if it is inside ' +
    'itself; the asker, who has long asked again, takes it for an answer to its new request: two are ' +
    'inside',
  correction:
    'a probe carries its request and is handled as a REQUEST, so that it can come early, late or ' +
    'twice; a REPLY names the REQUEST it answers',
  algorithm: {
    ...writers,
    on: {
      ...ours.on,
      ARE_YOU_THERE: (my, site, from, { seq }) => {
        const isDeferred = 'awaiting' in my && my.deferred[from] !== 0;
        site.send(from, { type: isDeferred ? 'YES_I_AM_HERE' : 'NUMBERED_REPLY', seq });
      },
      // A REPLY has no number in print.
      NUMBERED_REPLY: (my, site, from) => {
        const seq = 'ours' in my ? my.ours : 0;
        ours.on.NUMBERED_REPLY(my, site, from, { seq });
      },
    },
  } satisfies typeof ours,
  shows: { nodes: 2, entries: [2, 2], options: ['membership'], violates: 'mutual-exclusion' },
};
