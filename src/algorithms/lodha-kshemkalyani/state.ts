/** Lodha–Kshemkalyani: what sites say to one another, and what they keep in mind. */
import type { NodeId, Site } from '../../core/algorithm.ts';
import { list, type Messages, record } from '../../core/message.ts';
import { flag, type OptionDeclarations } from '../../core/option.ts';

const clocks = { last: 'int', highest: 'int' } as const; // the second with `clock-on-all`, else 0
const owed = record({ seq: 'int', pid: 'node', behalf: list('node') });

export const messages = {
  // F2: a REQUEST that answers a request must say, as a REPLY does, what is finished. Else a site
  // that leaves and asks again leaves its finished request at the head of the others' queues.
  REQUEST: { seq: 'int', last: 'int' }, // R: may I?, and the last of mine that was satisfied
  REPLY: { last: 'int' }, //               you may, for my part; the last of mine that was satisfied
  FLUSH: { last: 'int' }, //               I am out, and this was mine
  // With `clock-on-all`:
  REPLY_WITH_CLOCK: { last: 'int', highest: 'int' },
  FLUSH_WITH_CLOCK: { last: 'int', highest: 'int' },
  // With `delegate`, in place of REQUEST, of those REPLYs that were deferred, and of FLUSH:
  DELEGATING_REQUEST: { seq: 'int', last: 'int', answered: 'int' }, // your REQUEST that I answered
  DELEGATED_REPLY: { ...clocks, seq: 'int', behalf: list('node'), rest: list(owed) },
  DELEGATED_FLUSH: { ...clocks, seq: 'int', behalf: list('node') },
} as const satisfies Messages;

// The three improvements of section 5.
export const options = {
  delegate: flag('a site that leaves sends one REPLY, and its receiver passes the others on'),
  linger: flag(
    'a site that leaves answers deferred requests with its own next one, if that comes soon',
  ),
  'clock-on-all': flag('REPLY and FLUSH carry the highest sequence number as well'),
} as const satisfies OptionDeclarations;

/** A REQUEST's identity and its priority: the smaller comes first. */
export type ReqID = { readonly seq: number; readonly pid: NodeId };

/** A request, and the sites that have answered it and left it to us to say so. */
export type Owed = ReqID & { behalf: NodeId[] };

export type State = {
  waiting: boolean; //    from request to entry
  ours: number; //        My_Sequence_Number, from request to release; else 0
  highest: number; //     Highest_Sequence_Number_Seen, our own included
  replied: boolean[]; //  RV: the sites that have answered our request, by REPLY or by a concurrent REQUEST
  queue: ReqID[]; //      LRQ: our request and those concurrent with it, unfinished, in order
  deferred: number[]; //  the requests to which we owe a REPLY when we leave; else 0
  last: number; //        the number of our last request that was satisfied
  done: ReqID; //         the last request known to be finished, and with it all before it
  owed: Owed[]; //        with `delegate`: the sites to tell, when we leave, that others have answered
  delegated: number[]; // with `delegate`: the requests that we left it to others to answer
};
export type LodhaKshemkalyaniSite = Site<typeof messages, 'complete', typeof options>;
