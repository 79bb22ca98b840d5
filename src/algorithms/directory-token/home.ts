/** How the token goes home to the directory, and how sites then forget what they know of the lock. */
import type { Site } from '../../core/algorithm.ts';
import type { messages, State } from '../directory-token.ts';
import { DIRECTORY, FIRST_READ, freeToken, NONE } from './line.ts';

type DirectorySite = Site<typeof messages>;

/** A site that has not been asked for long sends the token home, and forgets where else it went. */
export function askToForget(my: State, site: DirectorySite): void {
  if (my.token !== null) {
    if (my.lent.length > 0) return;
    my.forgets = 'asked';
    goHome(my, site, true);
  } else if (my.holder !== null || my.n !== 0 || my.r !== FIRST_READ) {
    my.forgets = 'asked';
    site.send(DIRECTORY, { type: 'FORGET' });
  }
}

/** Only the directory has a `last`, and is at home. */
export function mayGoHome({ token, lent, last }: State): boolean {
  return token?.roams === true && lent.length === 0 && last === null;
}

export function goHome(my: State, site: DirectorySite, forget: boolean): void {
  my.token = null;
  my.holder = DIRECTORY;
  site.send(DIRECTORY, { type: 'HOME', forget });
}

/**
 * While the token is here, no request needs the way that the token took before. So a site that has not asked
 * since may forget its part of that way. A request that still goes there comes back to the directory.
 */
export function letForget(my: State, site: DirectorySite): void {
  if (my.token === null) return;
  for (const j of my.forgetting) {
    if (my.last!.site === j) my.last = { site: DIRECTORY, n: my.n };
    site.send(j, { type: 'FORGOTTEN' });
  }
  my.forgetting = NONE;
}

/** The directory is as it was at first, once the token is back and no site is the last to have asked. */
export function forgetHere(my: State, { n }: DirectorySite): void {
  if (my.token === null || my.lent.length > 0 || my.last!.site !== DIRECTORY) return;
  my.token = freeToken(n, false);
  [my.n, my.r] = [0, FIRST_READ];
  my.last = { site: DIRECTORY, n: 0 };
  my.holder = null;
}
