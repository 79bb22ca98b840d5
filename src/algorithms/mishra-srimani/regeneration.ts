/**
 * How Mishra and Srimani's sites make a new token. Who waits too long asks everyone for the token
 * (PRIVILEGE_CHECK). If nobody has it, and at most one site is silent, that one has failed and the
 * token with it: whoever asked collects what the others know (CREATE_PRIVILEGE, UPDATE), makes a new
 * one, and goes in. Of several who try, the smallest goes on.
 *
 * Where ours departs from the survey:
 * - A token under way is with nobody: its sender and its receiver both answer NO_CRIT, and there would
 *   be two. Here who receives it says so to those who are trying, and they wait so long. Should it
 *   take longer still, tokens have a generation: an UPDATE promises to accept no older one, and who
 *   has the token by then refuses to promise.
 * - The survey goes on as soon as N−2 have answered; but the last may be about to say that it is
 *   inside. Here the timer `answers` says that it has failed. Both timers must outlast three delays:
 *   a question, a token that is under way meanwhile, and the answer of whoever receives it. Where
 *   delays have no such bound, two sites may be inside.
 * - Who is trying itself, and smaller, "ignores" a PRIVILEGE_CHECK: it would pass for failed. Here it
 *   answers REP_CRITICAL.
 * - Who has answered waits for FALSE_ALARM or RESUME, for ever if the one that tries fails. Here it
 *   tries itself after another time-out; and if the first is still at it, that was time enough for it.
 */
import type { NodeId } from '../../core/algorithm.ts';
import type { Messages, Payload } from '../../core/message.ts';
import type { MishraSrimaniSite, State } from '../mishra-srimani.ts';

export const messages = {
  PRIVILEGE_CHECK: { again: 'bool', generation: 'int' }, // where is the token? (again: still?)
  NO_CRIT: { generation: 'int' }, // not here; and this is the youngest generation I know of
  REP_CRITICAL: {}, //               here, or I am about to make one: wait
  CREATE_PRIVILEGE: { generation: 'int' }, // may I make one, of this generation?
  UPDATE: { generation: 'int', n: 'int', waits: 'bool' }, // yes; my last request, and if it waits
  FALSE_ALARM: {}, //                I am no longer trying
  RESUME: {}, //                     there is a new one
} as const satisfies Messages;
type Of<K extends keyof typeof messages> = Payload<typeof messages, K>;

export const recovers = [
  'any one site crashes for good, at any moment, also inside or while it makes a token; delays have a bound',
];

/** How long to wait for the token, for each site that may be served before us. */
const PATIENCE = 200;
/** How long to wait for answers: three delays. */
const ANSWERS = 100;

/** Waits for the token, and does nothing else. */
export function wait(my: State, site: MishraSrimaniSite): void {
  stop(my, site);
  site.timer('missing', PATIENCE * site.n);
}

function stop(my: State, site: MishraSrimaniSite): void {
  my.trying = 'no';
  my.answered.fill(false);
  my.youngest = 0;
  my.rebuilt.fill(0);
  site.timer('answers', 0);
}

/** The token is here: whoever is trying to make one, ourselves included, stops. */
export function found(my: State, site: MishraSrimaniSite): void {
  if (my.trying !== 'no') tell(site, 'FALSE_ALARM');
  for (const j of site.others) if (my.rivals[j]) site.send(j, { type: 'REP_CRITICAL' });
  stop(my, site);
  my.rivals.fill(false);
  site.timer('missing', 0);
}

export const timers = {
  // Too early, it is a false alarm; or, `again`, it cuts short the time that another gives its answers.
  missing: {
    fires: 'quiet',
    expired(my: State, site: MishraSrimaniSite) {
      const { generation } = my;
      my.trying = 'checking';
      my.youngest = generation;
      for (const j of site.others) {
        site.send(j, { type: 'PRIVILEGE_CHECK', again: my.rivals[j]!, generation });
      }
      my.rivals.fill(false);
      site.timer('answers', ANSWERS);
    },
  },
  // Too early, there may be two tokens: who has not answered is taken for failed.
  answers: { fires: 'quiet', expired: conclude },
} as const;

export const on = {
  PRIVILEGE_CHECK(my: State, site: MishraSrimaniSite, from: NodeId, check: Of<'PRIVILEGE_CHECK'>) {
    // A time-out has passed since it answered us: whoever is alive has done so by now.
    const isAboutThis = my.trying === 'checking' || check.generation === my.generation;
    const hasWaited = check.again && isAboutThis && my.answered[from];
    if (hasWaited && goesBefore(my, site, from)) conclude(my, site);
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

/** Everyone who is alive has answered. */
function conclude(my: State, site: MishraSrimaniSite): void {
  if (silent(my, site) > 1) {
    tell(site, 'FALSE_ALARM');
    wait(my, site);
  } else if (my.trying === 'checking') {
    create(my, site);
  } else {
    regenerate(my, site);
  }
}

function create(my: State, site: MishraSrimaniSite): void {
  my.generation = my.youngest + 1;
  my.trying = 'creating';
  my.youngest = 0;
  my.answered.fill(false);
  for (const j of site.others) {
    site.send(j, { type: 'CREATE_PRIVILEGE', generation: my.generation });
  }
  site.timer('answers', ANSWERS);
}

function regenerate(my: State, site: MishraSrimaniSite): void {
  const { asked, answered, rebuilt } = my;
  // The last request of the one that failed counts as granted, or it would be sent the token again.
  const granted = asked.map((n, j) => (answered[j] ? rebuilt[j]! : n));
  granted[site.me] = asked[site.me]! - 1;
  stop(my, site);
  site.timer('missing', 0);
  my.rivals.fill(false);
  my.token = { queue: [], granted };
  tell(site, 'RESUME');
  site.enter();
}

function tell(site: MishraSrimaniSite, type: 'FALSE_ALARM' | 'RESUME'): void {
  for (const j of site.others) site.send(j, { type });
}

/** How many have not answered. */
function silent({ answered }: State, { others }: MishraSrimaniSite): number {
  return others.filter((j) => !answered[j]).length;
}
