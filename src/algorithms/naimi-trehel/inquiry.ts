/** Naimi–Trehel: the steps of an inquiry, and of the tree that comes of it. */
import type { NodeId } from '../../core/algorithm.ts';
import type { NaimiTrehelSite, State } from '../naimi-trehel.ts';

/** The stages of an inquiry. The survey says "waiting" for CALM, and calls a site that observes "observer". */
export const CALM = 0;
export const CONSULTING = 1;
const QUERY = 2;
export const CANDIDATE = 3;

export type Inquiry = {
  stage: number; // of our own
  queried: boolean; // a site asked for the token when we did not have it
};

/** How long to wait for the token, for each site that may be served before us: Twait. */
const WAIT = 200;
/** How long to wait for answers, three delays: Telec. */
const ANSWERS = 100;

/** We make another request. */
export function wait(my: State, site: NaimiTrehelSite): void {
  my.n += 1;
  site.timer('wait', WAIT * site.n);
}

export function inquire(my: State, site: NaimiTrehelSite, stage: number): void {
  const { epoch, n, inquiry } = my;
  inquiry.stage = stage;
  for (const j of site.others) {
    if (stage === CONSULTING) site.send(j, { type: 'CONSULT', n });
    else site.send(j, { type: stage === QUERY ? 'QUERY' : 'ELECTION', epoch });
  }
  site.timer('wait', 0);
  site.timer('elect', ANSWERS);
}

/** Telec is over, and no site that could have answered has. */
export function goOn(my: State, site: NaimiTrehelSite): void {
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
export function observe(my: State, site: NaimiTrehelSite): void {
  if (waits(my) && my.inquiry.stage === CALM) site.timer('wait', WAIT * site.n);
}

export const waits = ({ requesting, token }: State): boolean => requesting && !token;

/** The token has come. */
export function arrived(my: State, site: NaimiTrehelSite): void {
  if (my.inquiry.queried) becomeRoot(my, site);
  else calmDown(my, site);
}

export function becomeRoot(my: State, site: NaimiTrehelSite): void {
  newTree(my, site, site.me, my.epoch + 1);
  for (const j of site.others) site.send(j, { type: 'ELECTED', epoch: my.epoch });
}

export function newTree(my: State, site: NaimiTrehelSite, root: NodeId, epoch: number): void {
  my.epoch = epoch;
  my.last = root;
  my.next = null;
  my.nextN = 0;
  my.inquiry.queried = false;
  calmDown(my, site);
}

/** Our inquiry is over. */
export function calmDown(my: State, site: NaimiTrehelSite): void {
  my.inquiry.stage = CALM;
  site.timer('elect', 0);
  site.timer('wait', waits(my) ? WAIT * site.n : 0);
}
