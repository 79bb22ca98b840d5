/** What the quorum algorithms of Maekawa's family keep in mind, and what they say to one another. */
import type { Mode, NodeId } from '../../core/algorithm.ts';
import type { Messages } from '../../core/message.ts';

/** For arbiters that tell no site that it failed. */
export const withoutFailed = {
  REQUEST: { seq: 'int', turn: 'int' }, // may I have your vote?
  GRANT: { seq: 'int', turn: 'int' }, //   you have it
  INQUIRE: { seq: 'int', turn: 'int' }, // can you do without it? another site asked before you
  YIELD: { seq: 'int', turn: 'int' }, //   take it back for now; this is my turn after that
  RELEASE: { seq: 'int' }, //              I am out, or need you no longer
} as const satisfies Messages;

export const messages = {
  ...withoutFailed,
  FAILED: { seq: 'int' }, // you must wait: another has my vote
} as const satisfies Messages;

/** For those whose readers share votes (`sharing.ts`). */
export const withReaders = {
  ...withoutFailed,
  REQUEST: { ...withoutFailed.REQUEST, mode: 'mode' },
  DOWNGRADE: { seq: 'int' }, //           my waiting request is now one to read
  AWAITED: { seq: 'int', so: 'bool' }, // a site waits to write while you read; or none does any more
} as const satisfies Messages;

/** Whatever any of them says. */
export type AnyOfThem = typeof messages & Omit<typeof withReaders, 'REQUEST'>;

/** Which request a message is about, and how often that had yielded the vote. */
export type Tag = { readonly seq: number; readonly turn: number };

/** A request as its arbiters know it. */
export type Request = {
  seq: number;
  from: NodeId;
  turn: number; // how often it has yielded our vote
  mode: Mode;
  told?: true; // it reads, and knows that a site waits to write
};

/** A vote as the site that asked for it knows it. */
type Vote = {
  of: NodeId; // the arbiter
  answer: 'none' | 'failed' | 'granted';
  inquired: boolean; // an INQUIRE is unanswered, or has come before the GRANT that it is about
  turn: number; // how often we have yielded it
  awaited?: true; // we read, and a site waits for it to write
};

export type State = {
  highest: number; //    the highest sequence number sent or received
  ours: number; //       our sequence number, from request to release; else 0
  mode: Mode; //         what we asked for; else exclusive
  inside: boolean; //    we are in
  votes: Vote[]; //      of all sites that we have asked, ascending
  suspects: NodeId[]; // the sites that are said to be down, ascending
  holders: Request[]; // as an arbiter: the requests that have our vote, the earliest first
  queue: Request[]; //   as an arbiter: the requests that wait for it, the earliest first
};

export const initial = (): State => ({
  highest: 0,
  ours: 0,
  mode: 'exclusive',
  inside: false,
  votes: [],
  suspects: [],
  holders: [],
  queue: [],
});

/** The vote of that arbiter that the message is about, if we still want it. */
export function voteOf(my: State, arbiter: NodeId, seq = my.ours): Vote | undefined {
  return seq === my.ours ? my.votes.find(({ of }) => of === arbiter) : undefined;
}

/** Whose votes we have. */
export const grantedBy = (my: State): ReadonlySet<NodeId> =>
  new Set(my.votes.filter(({ answer }) => answer === 'granted').map(({ of }) => of));

export function precedes(a: Request, b: Request): boolean {
  return a.seq < b.seq || (a.seq === b.seq && a.from < b.from);
}

export function insert(requests: Request[], request: Request): void {
  const at = requests.findIndex((other) => precedes(request, other));
  requests.splice(at === -1 ? requests.length : at, 0, request);
}

/** The request of that site and number, if it has our vote or waits for it. */
export function find(my: State, from: NodeId, seq: number): Request | undefined {
  return [...my.holders, ...my.queue].find((r) => r.from === from && r.seq === seq);
}

export function forget(my: State, from: NodeId, seq: number): void {
  const isOther = (r: Request) => r.from !== from || r.seq !== seq;
  my.holders = my.holders.filter(isOther);
  my.queue = my.queue.filter(isOther);
}
