/**
 * Naimi and Trehel's recovery, reconstructed from the survey. A site that waits for longer than Twait
 * (the timer `wait`) finds out, step by step, each as long as Telec (the timer `elect`), what was lost:
 *
 *   consulting  is anyone alive my predecessor? If so, it is for that one to worry.
 *   query       has anyone the token? If so, only requests were lost.
 *   candidate   does anyone smaller do the same? If not, I make a token.
 *
 * It assumes that crashes are for good and delays bounded. Both timers must outlast three delays: a
 * question, a token that is under way meanwhile, and the answer of whoever receives it. If either is
 * too short, there may be two tokens.
 *
 * Where ours departs from the survey:
 * - Trees have an epoch. A REQUEST of the old tree that comes late would put its origin, which has
 *   asked again, into the queue twice; and so would the old token give one more.
 * - If the token exists, the survey lets the inquirer wait on. But its REQUEST may have died with a
 *   site on the way, and then it waits for ever. Here the holder of the token becomes the root of a new
 *   tree, just as one that is elected does, and everyone who waits asks it again. A holder that is to
 *   be (the token is under way to it) does so when it has the token: queries are recorded, as the
 *   survey says.
 * - Who is consulted, and waits as well, inquires at once: the one in front of all must do it.
 * - Who observes another's inquiry must not wait for its end for ever: it may have crashed. Here it
 *   sends a NUDGE after another Twait, and inquires itself after one more. Who is nudged knows that
 *   its Telec is over.
 */
import type { NodeId } from '../../core/algorithm.ts';
import type { Messages, Payload } from '../../core/message.ts';
import { type NaimiTrehelSite, type State, sendRequest } from '../naimi-trehel.ts';

export const messages = {
  // With `recovery`, in place of REQUEST and TOKEN, and about the n-th request of its origin:
  EPOCH_REQUEST: { origin: 'node', n: 'int', epoch: 'int' },
  EPOCH_TOKEN: { epoch: 'int' },
  CONSULT: { n: 'int' }, //      am I, with this request, your NEXT?
  CONSULT_YES: {}, //            you are
  QUERY: { epoch: 'int' }, //    who has the token of this epoch?
  ELECTION: { epoch: 'int' }, // nobody has: I make another
  ELECTED: { epoch: 'int' }, //  I have the token, and am the root of a new tree
  NUDGE: { epoch: 'int', stage: 'int' }, // are you still at it?
} as const satisfies Messages;
type Of<K extends keyof typeof messages> = Payload<typeof messages, K>;

export const recovers = [
  'with `recovery`: any sites crash for good, at any moment, also inside or while they inquire; delays have a bound',
];

/** The stages of an inquiry. The survey says "waiting" for CALM, and calls who observes "observer". */
export const CALM = 0;
const CONSULTING = 1;
const QUERY = 2;
const CANDIDATE = 3;

export type Inquiry = {
  stage: number; // of our own
  observed: { who: NodeId; stage: number } | null; // another's, if we have heard of one
  queried: boolean; // someone asked for the token when we did not have it
};

/** How long to wait for the token, for each site that may be served before us: Twait. */
const PATIENCE = 200;
/** How long to wait for answers, three delays: Telec. */
const ANSWERS = 100;

/** We make another request. */
export function wait(my: State, site: NaimiTrehelSite): void {
  my.n += 1;
  site.timer('wait', PATIENCE * site.n);
}

export const timers = {
  wait: {
    fires: 'quiet',
    expired(my: State, site: NaimiTrehelSite) {
      const { observed } = my.inquiry;
      if (observed === null) return inquire(my, site, CONSULTING);
      site.send(observed.who, { type: 'NUDGE', epoch: my.epoch, stage: observed.stage });
      my.inquiry.observed = null;
      site.timer('wait', PATIENCE * site.n);
    },
  },
  elect: { fires: 'quiet', expired: goOn },
} as const;

export const on = {
  CONSULT(my: State, site: NaimiTrehelSite, from: NodeId, { n }: Of<'CONSULT'>) {
    if (my.next !== from || my.nextN !== n) return observe(my, site, from, CONSULTING);
    site.send(from, { type: 'CONSULT_YES' });
    // If it has waited too long, so have we.
    if (waits(my) && my.inquiry.stage === CALM) inquire(my, site, CONSULTING);
  },

  CONSULT_YES(my: State, site: NaimiTrehelSite) {
    if (my.inquiry.stage === CONSULTING) calmDown(my, site);
  },

  QUERY(my: State, site: NaimiTrehelSite, from: NodeId, { epoch }: Of<'QUERY'>) {
    if (epoch !== my.epoch) return;
    if (my.token) return becomeRoot(my, site);
    my.inquiry.queried = true;
    observe(my, site, from, QUERY);
  },

  ELECTION(my: State, site: NaimiTrehelSite, from: NodeId, { epoch }: Of<'ELECTION'>) {
    if (epoch !== my.epoch) return;
    if (my.inquiry.stage === CANDIDATE && site.me < from) return; // it will hear of us
    if (my.inquiry.stage !== CALM) calmDown(my, site);
    observe(my, site, from, CANDIDATE);
  },

  ELECTED(my: State, site: NaimiTrehelSite, from: NodeId, { epoch }: Of<'ELECTED'>) {
    if (epoch <= my.epoch) return;
    newTree(my, site, from, epoch);
    my.token = false;
    if (!my.requesting) return;
    wait(my, site);
    sendRequest(my, site, site.me, my.n);
    my.last = site.me;
  },

  NUDGE(my: State, site: NaimiTrehelSite, _: NodeId, { epoch, stage }: Of<'NUDGE'>) {
    if (stage === my.inquiry.stage && epoch === my.epoch) goOn(my, site);
  },
};

function inquire(my: State, site: NaimiTrehelSite, stage: number): void {
  const { epoch, n, inquiry } = my;
  inquiry.stage = stage;
  inquiry.observed = null;
  for (const j of site.others) {
    if (stage === CONSULTING) site.send(j, { type: 'CONSULT', n });
    else site.send(j, { type: stage === QUERY ? 'QUERY' : 'ELECTION', epoch });
  }
  site.timer('wait', 0);
  site.timer('elect', ANSWERS);
}

/** Telec is over, and whoever could have answered has not. */
function goOn(my: State, site: NaimiTrehelSite): void {
  const { stage } = my.inquiry;
  if (stage < CANDIDATE) {
    inquire(my, site, stage + 1);
  } else {
    my.token = true;
    becomeRoot(my, site);
    site.enter();
  }
}

/** Another inquires: we wait for what comes of it, if we wait for anything. */
function observe(my: State, site: NaimiTrehelSite, who: NodeId, stage: number): void {
  my.inquiry.observed = { who, stage };
  if (waits(my) && my.inquiry.stage === CALM) site.timer('wait', PATIENCE * site.n);
}

const waits = ({ requesting, token }: State): boolean => requesting && !token;

/** The token has come. */
export function arrived(my: State, site: NaimiTrehelSite): void {
  if (my.inquiry.queried) becomeRoot(my, site);
  else calmDown(my, site);
}

function becomeRoot(my: State, site: NaimiTrehelSite): void {
  newTree(my, site, site.me, my.epoch + 1);
  for (const j of site.others) site.send(j, { type: 'ELECTED', epoch: my.epoch });
}

function newTree(my: State, site: NaimiTrehelSite, root: NodeId, epoch: number): void {
  my.epoch = epoch;
  my.last = root;
  my.next = null;
  my.nextN = 0;
  my.inquiry.queried = false;
  my.inquiry.observed = null;
  calmDown(my, site);
}

/** Our inquiry is over. */
function calmDown(my: State, site: NaimiTrehelSite): void {
  my.inquiry.stage = CALM;
  site.timer('elect', 0);
  site.timer('wait', waits(my) ? PATIENCE * site.n : 0);
}
