/** Mishra–Srimani: the steps of a site that waits for the token, and tries to make a new one. */
import type { MishraSrimaniSite, State } from '../mishra-srimani.ts';

/** How long to wait for the token, for each site that may be served before us. */
const WAIT = 200;
/** How long to wait for answers: three delays. */
const ANSWERS = 100;

/** Waits for the token, and does nothing else. */
export function wait(my: State, site: MishraSrimaniSite): void {
  stop(my, site);
  site.timer('missing', WAIT * site.n);
}

function stop(my: State, site: MishraSrimaniSite): void {
  my.trying = 'no';
  my.answered.fill(false);
  my.youngest = 0;
  my.rebuilt.fill(0);
  site.timer('answers', 0);
}

/** The token is here: each site that is trying to make one, ourselves included, stops. */
export function found(my: State, site: MishraSrimaniSite): void {
  if (my.trying !== 'no') tell(site, 'FALSE_ALARM');
  for (const j of site.others) if (my.rivals[j]) site.send(j, { type: 'REP_CRITICAL' });
  stop(my, site);
  my.rivals.fill(false);
  site.timer('missing', 0);
}

/** The time-out is over: asks all others for the token. */
export function check(my: State, site: MishraSrimaniSite): void {
  my.trying = 'checking';
  my.youngest = my.generation;
  for (const j of site.others) site.send(j, { type: 'PRIVILEGE_CHECK' });
  my.rivals.fill(false);
  site.timer('answers', ANSWERS);
}

/** All sites that are alive have answered. */
export function conclude(my: State, site: MishraSrimaniSite): void {
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

export function regenerate(my: State, site: MishraSrimaniSite): void {
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

export function tell(site: MishraSrimaniSite, type: 'FALSE_ALARM' | 'RESUME'): void {
  for (const j of site.others) site.send(j, { type });
}

/** How many have not answered. */
export function silent({ answered }: State, { others }: MishraSrimaniSite): number {
  return others.filter((j) => !answered[j]).length;
}
