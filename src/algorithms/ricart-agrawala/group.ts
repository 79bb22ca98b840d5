/**
 * A site of a group that changes: what it keeps in mind, what it says, and the steps it takes to come
 * in and to find its number. Who says what when is in `membership.ts`.
 */
import type { Mode, NodeId, Site } from '../../core/algorithm.ts';
import type { MessageOf, Messages } from '../../core/message.ts';
import { each } from '../../core/plain.ts';
import { defers, type Numbers, type Options, takeNumber } from './common.ts';

export const messages = {
  // The REPLY names its REQUEST: one that was overtaken by its sender's LEAVE, or by the answer to a
  // probe, may come when its request is over.
  NUMBERED_REQUEST: { seq: 'int', mode: 'mode' },
  NUMBERED_REPLY: { seq: 'int' },
  JOIN: {}, //                     put me on your list
  WELCOME: { synced: 'bool' }, //  done; and whether I may ask, or am new myself
  ABSENT: {}, //                   I take no part
  ASK: {}, //                      what is your highest number?
  TELL: { highest: 'int' },
  LEAVE: {}, //                    take me off your list
  ACKNOWLEDGE: {}, //              done
  ARE_YOU_THERE: { seq: 'int', mode: 'mode' },
  YES_I_AM_HERE: { seq: 'int' }, // and your request must wait
  FAILED: { who: 'node' }, //      take it off your list
} as const satisfies Messages;

/** In ticks: a round trip of the simulator's usual messages; and the stays of all, for each of them. */
export const ROUND_TRIP = 20;
export const EVERYONES_STAY = 100;

export type Member = Numbers & {
  role: 'outside' | 'joining' | 'syncing' | 'member' | 'leaving';
  wants: Mode | null; //   what the application asked for before we could ask
  names: boolean[]; //     NAMES: who is in the group besides us
  awaiting: boolean[]; //  Awaiting_Reply; likewise for the answers to JOIN, ASK and LEAVE
  deferred: number[]; //   Reply_Deferred: the number of the REQUEST to which we owe a REPLY, or 0
  suspects: boolean[]; //  who was asked ARE_YOU_THERE and has not answered
  // While we join, and else as at the start:
  left: boolean[]; //      whose LEAVE has overtaken its WELCOME
  elders: boolean[]; //    who may have a request older than our place on its list
  heard: number[]; //      how many REQUESTs came from each since we are on all lists
  first: number; //        the number of the first of them that is a writer's, or 0
};
type MemberSite = Site<typeof messages, 'complete', Options>;

/** Says yes, or remembers to. */
export function permit(
  my: Member,
  site: MemberSite,
  from: NodeId,
  seq: number,
  mode: Mode,
): boolean {
  if (!defers(my, site, from, seq, mode)) {
    site.send(from, { type: 'NUMBERED_REPLY', seq });
    return true;
  }
  my.deferred[from] = Math.max(my.deferred[from]!, seq); // one that comes late is not the one
  return false;
}

/** Sends it to these, and goes on when all have answered. */
export function tell(
  my: Member,
  site: MemberSite,
  message: MessageOf<typeof messages>,
  whom: readonly boolean[],
): void {
  if (message.type === 'NUMBERED_REQUEST') site.timer('reply', EVERYONES_STAY * site.n);
  else site.timer('answer', ROUND_TRIP);
  for (const j of site.others) {
    my.awaiting[j] = whom[j]!;
    if (whom[j]) site.send(j, message);
  }
  goOn(my, site);
}

/** What we awaited from that site has come, or never will. */
export function answered(my: Member, site: MemberSite, from: NodeId): void {
  if (!my.awaiting[from]) return;
  my.awaiting[from] = false;
  my.suspects[from] = false;
  goOn(my, site);
}

/** Takes the next step, unless someone's answer is due. */
function goOn(my: Member, site: MemberSite): void {
  if (my.awaiting.includes(true)) return;
  site.timer('answer', 0);
  site.timer('reply', 0);
  if (my.role === 'member') site.enter();
  else if (my.role === 'joining') synchronize(my, site);
  else if (my.role === 'syncing') start(my, site);
  else {
    my.role = 'outside';
    my.names.fill(false);
    if (my.wants !== null) join(my, site);
  }
}

/** That site has failed. */
export function strike(my: Member, site: MemberSite, who: NodeId): void {
  my.names[who] = false;
  my.elders[who] = false;
  my.deferred[who] = 0;
  const wasAsked = my.role === 'syncing' && my.awaiting[who];
  if (!wasAsked || site.options.membership === 'ask-all') answered(my, site, who);
  else askElder(my, site);
  if (my.role === 'syncing') startIfSynced(my, site);
}

export function join(my: Member, site: MemberSite): void {
  my.role = 'joining';
  tell(my, site, { type: 'JOIN' }, each(site.n, true));
}

/** 7.2.3: finds a number above those of all who asked before we were on their lists. */
function synchronize(my: Member, site: MemberSite): void {
  my.role = 'syncing';
  if (site.options.membership === 'ask-all') {
    tell(my, site, { type: 'ASK' }, my.names);
  } else {
    site.timer('quiet', EVERYONES_STAY * site.n);
    startIfSynced(my, site);
  }
}

/** Ways 2, 3 and 5: the numbers of new REQUESTs tell about the old. */
export function observe(my: Member, site: MemberSite, from: NodeId, seq: number, mode: Mode): void {
  const { membership } = site.options;
  // Nobody gets in past a writer, so that no number is N or more above its; a reader's may be.
  if (membership === 'observed' && mode === 'exclusive') my.first ||= seq;
  if (membership === 'request-from-each') my.heard[from] = 1;
  if (membership === 'fourth-request') my.heard[from]! += 1;
  startIfSynced(my, site);
}

export function startIfSynced(my: Member, site: MemberSite): void {
  if (my.awaiting.includes(true)) return;
  const { membership } = site.options;
  const isSynced =
    site.others.every(
      (j) => !my.elders[j] || (membership === 'request-from-each' && my.heard[j]),
    ) ||
    (membership === 'observed' && my.first !== 0 && my.highest - my.first >= site.n - 1) ||
    (membership === 'fourth-request' && my.heard.includes(4));
  if (isSynced) start(my, site);
}

/** Way 4: nothing is on its way, so any elder has seen all numbers. */
export function askElder(my: Member, site: MemberSite): void {
  const elder = my.elders.indexOf(true);
  const alone = my.elders.map((_, j) => j === elder);
  tell(my, site, { type: 'ASK' }, alone);
}

/** We are one of the group, and may ask. */
function start(my: Member, site: MemberSite): void {
  site.timer('quiet', 0);
  my.role = 'member';
  my.left.fill(false);
  my.elders.fill(false);
  my.heard.fill(0);
  my.first = 0;
  ask(my, site);
}

export function ask(my: Member, site: MemberSite): void {
  takeNumber(my, site, my.wants!);
  my.wants = null;
  tell(my, site, { type: 'NUMBERED_REQUEST', seq: my.ours, mode: my.mode }, my.names);
}
