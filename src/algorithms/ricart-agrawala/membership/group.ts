/**
 * A site of a group that changes: what it keeps in mind, what it says, and how it awaits answers.
 * What it does is in one file each, by the sections of the paper; `../membership.ts` joins them.
 */
import type { Mode, NodeId, Site } from '../../../core/algorithm.ts';
import {
  list,
  type MessageOf,
  type Messages,
  type Payload,
  perSite,
} from '../../../core/message.ts';
import { each } from '../../../core/plain.ts';
import { type Numbers, noNumbers, takeNumber } from '../numbers.ts';
import type { Options } from '../options.ts';

export const messages = {
  // The REPLY names its REQUEST: one that was overtaken by its sender's LEAVE, or by the answer to a
  // probe, may come when its request is over.
  NUMBERED_REQUEST: { seq: 'int', mode: 'mode' },
  NUMBERED_REPLY: { seq: 'int' },
  JOIN: {}, //                     put me on your list
  WELCOME: { synced: 'bool' }, //  done; and whether I may ask, or am new myself
  ABSENT: {}, //                   I take no part, or not enough of one to help
  SPONSOR_ME: {}, //               with `sponsor`: introduce me to all
  I_WILL: {}, //                   when it is my turn
  REMIND: {}, //                   is it not yet?
  ADD: { who: list('node') }, //   put them on your list
  LIST: { names: perSite('bool') }, // the sites of the group: they all know you now
  ASK: {}, //                      what is your highest number?
  TELL: { highest: 'int' },
  LEAVE: {}, //                    take me off your list
  ACKNOWLEDGE: {}, //              done
  ARE_YOU_THERE: { seq: 'int', mode: 'mode' },
  YES_I_AM_HERE: { seq: 'int' }, // and your request must wait
  FAILED: { who: 'node' }, //      take it off your list
  RESTART_YOURSELF: { seq: 'int' }, // you ask, but are not on my list
} as const satisfies Messages;

/** In ticks: a round trip of the simulator's usual messages; and the stays of all, for each of them. */
export const ROUND_TRIP = 20;
export const EVERYONES_STAY = 100;

/**
 * From outside one is joining until on all lists, then syncing until one's number is high enough, then
 * a member. A member is sponsoring while it asks for newcomers' sake, and introducing while inside for
 * that. A site that crashed is returning until its past no longer matters.
 */
type Role =
  | 'outside'
  | 'joining'
  | 'syncing'
  | 'member'
  | 'sponsoring'
  | 'introducing'
  | 'leaving'
  | 'returning';

export type Member = Numbers & {
  role: Role;
  wants: Mode | null; //    what the application asked for before we could ask
  names: boolean[]; //      NAMES: the other sites of the group
  busy: boolean; //         something is to be done when all that we await has come
  awaiting: boolean[]; //   Awaiting_Reply; likewise for the answers to all else that we ask
  suspects: boolean[]; //   which of them answer at once, or have failed
  deferred: number[]; //    Reply_Deferred: the number of the REQUEST to which we owe a REPLY, or 0
  newcomers: boolean[]; //  the sites that we have promised to introduce
  // While we join, and else as at the start:
  elders: boolean[]; //     the sites that may have a request older than our place on their lists
  heard: number[]; //       how many REQUESTs came from each since we are on all lists
  first: number; //         the number of the first of them that is a writer's, or 0
};
export type MemberSite = Site<typeof messages, 'complete', Options>;

/** The handlers of some of the messages. */
export type Handlers<K extends keyof typeof messages> = {
  readonly [T in K]: (
    my: Member,
    site: MemberSite,
    from: NodeId,
    message: Payload<typeof messages, T>,
  ) => void;
};

/** A site that is in the group from the start. */
export const isFounder = (site: NodeId, n: number): boolean => site < Math.ceil(n / 2);

/** A site that knows of no group. */
export const outsider = (n: number): Member => ({
  ...noNumbers(),
  role: 'outside',
  wants: null,
  names: each(n, false),
  busy: false,
  awaiting: each(n, false),
  suspects: each(n, false),
  deferred: each(n, 0),
  newcomers: each(n, false),
  elders: each(n, false),
  heard: each(n, 0),
  first: 0,
});

/** Whether we know all others of the group, and all numbers that matter. */
export const isMember = ({ role }: Member): boolean =>
  role === 'member' || role === 'sponsoring' || role === 'introducing';

/** Sends it to these; when all have answered, we take the next step. */
export function tell(
  my: Member,
  site: MemberSite,
  message: MessageOf<typeof messages>,
  receivers: readonly boolean[],
): void {
  const mayTakeLong = message.type === 'NUMBERED_REQUEST';
  site.timer(mayTakeLong ? 'reply' : 'answer', mayTakeLong ? replyTime(site) : ROUND_TRIP);
  my.busy = true;
  const isBroadcast = message.type === 'JOIN' && site.options['join-broadcast'];
  if (isBroadcast) site.broadcast(message);
  for (const j of site.others) {
    my.awaiting[j] = receivers[j]!;
    my.suspects[j] = receivers[j]! && !mayTakeLong;
    if (receivers[j] && !isBroadcast) site.send(j, message);
  }
}

/**
 * How long REPLYs may take. The paper restarts the timer at each REPLY, so that one stay is enough; without
 * `restart-timer` the time is for all of them.
 */
export const replyTime = ({ n, options }: MemberSite): number =>
  options['restart-timer'] ? EVERYONES_STAY : EVERYONES_STAY * n;

/** What we awaited from that site has come, or never will. */
export function answered(my: Member, from: NodeId): void {
  my.awaiting[from] = false;
  my.suspects[from] = false;
}

/** Node Requests Critical Section (section 2.2), of the sites that we know. */
export function ask(my: Member, site: MemberSite, mode: Mode): void {
  site.timer('idle', 0);
  takeNumber(my, site, mode);
  tell(my, site, { type: 'NUMBERED_REQUEST', seq: my.ours, mode }, my.names);
}
