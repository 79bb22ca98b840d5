/**
 * How Mishra and Srimani's sites make a new token. A site that waits too long asks all others for the token
 * (PRIVILEGE_CHECK). If no site has it, and at most one site is silent, that one has failed and the
 * token with it: the site that asked collects what the others know (CREATE_PRIVILEGE, UPDATE), makes a new
 * one, and enters. Of several sites that try, the smallest goes on.
 *
 * Where ours departs from the survey:
 * - A token under way is with no site: its sender and its receiver both answer NO_CRIT, and there would
 *   be two. Here its receiver says so to the sites that are trying, and they wait so long. Should it
 *   take longer still, tokens have a generation: an UPDATE promises to accept no older one, and a
 *   site that has the token by then refuses to promise.
 * - The survey goes on as soon as N−2 have answered; but the last may be about to say that it is
 *   inside. Here the timer `answers` says that it has failed. It must outlast three delays: a
 *   question, a token that is under way meanwhile, and the answer of its receiver. Where
 *   delays have no such bound, two sites may be inside.
 * - A site that is trying itself, and smaller, "ignores" a PRIVILEGE_CHECK: it would pass for failed. Here it
 *   answers REP_CRITICAL.
 * - A site that has answered waits for FALSE_ALARM or RESUME, for ever if the site that tries fails. Here it
 *   tries itself after another time-out.
 */
import type { NodeId } from '../../core/algorithm.ts';
import type { Messages, Payload } from '../../core/message.ts';
import type { MishraSrimaniSite, State } from '../mishra-srimani.ts';
import { check, conclude, regenerate, silent, tell, wait } from './creation.ts';

export const messages = {
  PRIVILEGE_CHECK: {}, //            where is the token?
  NO_CRIT: { generation: 'int' }, // not here; and this is the youngest generation I know of
  REP_CRITICAL: {}, //               here, or I am about to make one: wait
  CREATE_PRIVILEGE: { generation: 'int' }, // may I make one, of this generation?
  UPDATE: { generation: 'int', n: 'int', waits: 'bool' }, // yes; my last request, and if it waits
  FALSE_ALARM: {}, //                I am no longer trying
  RESUME: {}, //                     there is a new one
} as const satisfies Messages;
type Of<K extends keyof typeof messages> = Payload<typeof messages, K>;

export const recovers = [
  'but for `moving-coordinator` and `bounded`: any one site crashes for good, at any moment, also inside or while it makes a token; delays have a bound',
];

export const timers = {
  // Too early, it is a false alarm, or a token is replaced that was not lost.
  missing: { fires: 'quiet', expired: check },
  // Too early, there may be two tokens: a site that has not answered is taken for failed.
  answers: { fires: 'quiet', expired: conclude },
} as const;

export const on = {
  PRIVILEGE_CHECK(my: State, site: MishraSrimaniSite, from: NodeId) {
    if (!givesWay(my, site, from)) return;
    site.send(from, { type: 'NO_CRIT', generation: my.generation });
  },

  NO_CRIT(my: State, _: MishraSrimaniSite, from: NodeId, { generation }: Of<'NO_CRIT'>) {
    if (my.trying !== 'checking') return;
    my.youngest = Math.max(my.youngest, generation);
    my.answered[from] = true;
  },

  REP_CRITICAL(my: State, site: MishraSrimaniSite) {
    if (my.trying === 'no') return;
    tell(site, 'FALSE_ALARM');
    wait(my, site);
  },

  CREATE_PRIVILEGE(
    my: State,
    site: MishraSrimaniSite,
    from: NodeId,
    { generation }: Of<'CREATE_PRIVILEGE'>,
  ) {
    // Our token takes the generation that others have promised: else they would not accept it.
    if (my.token !== null) my.generation = Math.max(my.generation, generation);
    if (!givesWay(my, site, from, generation < my.generation)) return;
    my.generation = generation;
    const n = my.asked[site.me]!;
    site.send(from, { type: 'UPDATE', generation, n, waits: my.requesting });
  },

  UPDATE(my: State, site: MishraSrimaniSite, from: NodeId, update: Of<'UPDATE'>) {
    if (my.trying !== 'creating' || update.generation !== my.generation) return;
    my.asked[from] = Math.max(my.asked[from]!, update.n);
    my.rebuilt[from] = update.waits ? update.n - 1 : update.n;
    my.answered[from] = true;
    if (silent(my, site) === 0) regenerate(my, site);
  },

  FALSE_ALARM: resume,
  RESUME: resume,
};

/** Whether we are trying, and go on with it though another would. */
function goesBefore({ trying }: State, { me }: MishraSrimaniSite, other: NodeId): boolean {
  return trying !== 'no' && me < other;
}

/** Whether we let another make a token; if not, or if it is too late for that, it is told to wait. */
function givesWay(my: State, site: MishraSrimaniSite, other: NodeId, isLate = false): boolean {
  if (my.token !== null || goesBefore(my, site, other) || isLate) {
    site.send(other, { type: 'REP_CRITICAL' });
    return false;
  }
  my.rivals[other] = true;
  if (my.requesting) wait(my, site);
  return true;
}

function resume(my: State, site: MishraSrimaniSite, from: NodeId): void {
  if (my.rivals[from] && my.requesting) wait(my, site);
  my.rivals[from] = false;
}
