/**
 * Nishio–Li–Manning: how a token that may be lost is replaced. A site that waits too long first asks if any other
 * has it, then proposes another, of a higher age.
 */
import type { NodeId } from '../../core/algorithm.ts';
import type { Payload } from '../../core/message.ts';
import { inquire } from './propagation.ts';
import { type messages, type NishioSite, type State, stop, take } from './token.ts';

type Of<K extends keyof typeof messages> = Payload<typeof messages, K>;

/** How long to wait for the token, for each site that may be served before us; and for answers. */
export const WAIT = 200;

export const on = {
  TOKEN_MISSING(my: State, site: NishioSite, from: NodeId, { age: proposed }: Of<'TOKEN_MISSING'>) {
    if (my.trying === 'recovering') return; // silence starts the procedure again
    const agrees = my.token === null && (proposed === 0 || proposed > my.age);
    if (proposed > my.age) my.age = proposed; // also of our token: the others may have agreed
    if (!agrees) return site.send(from, { type: 'NACK', proposed });
    if (proposed > 0 && my.trying === 'proposing') ask(my, site); // the higher age goes on
    const { age, granted } = my;
    site.send(from, { type: 'ACK', proposed, age, granted });
  },

  ACK(my: State, site: NishioSite, from: NodeId, { proposed, age, granted }: Of<'ACK'>) {
    if (!isCurrent(my, proposed)) return;
    my.highest = Math.max(my.highest, age);
    my.rebuilt[from] = granted;
    my.answered[from] = true;
    if (site.others.some((j) => !my.answered[j])) return;
    if (my.trying === 'asking') propose(my, site);
    else replace(my, site);
  },

  NACK(my: State, site: NishioSite, _: NodeId, { proposed }: Of<'NACK'>) {
    if (isCurrent(my, proposed)) ask(my, site);
  },
};

export const timers = {
  // It may be too short for some delay: then no site enters wrongly, but work is done in vain.
  missing: {
    fires: 'quiet',
    expired(my: State, site: NishioSite) {
      if (my.trying === 'recovering') return inquire(my, site);
      stop(my);
      my.trying = 'asking';
      for (const j of site.others) site.send(j, { type: 'TOKEN_MISSING', age: 0 });
      site.timer('missing', WAIT * site.n);
    },
  },
} as const;

/** Sends our request, for the first time or again, and waits for the token. */
export function ask(my: State, site: NishioSite): void {
  stop(my);
  for (const j of site.others) site.send(j, { type: 'REQUEST', n: my.asked[site.me]! });
  site.timer('missing', WAIT * site.n);
}

/** Whether this answers the question we are asking. */
function isCurrent({ trying, age }: State, proposed: number): boolean {
  if (trying === 'no' || trying === 'recovering') return false;
  return proposed === (trying === 'asking' ? 0 : age);
}

/** No site has the token. An age is a number and, to tell proposals apart, the site that proposed it. */
function propose(my: State, site: NishioSite): void {
  const highest = Math.max(my.highest, my.age);
  stop(my);
  my.trying = 'proposing';
  my.age = (Math.floor(highest / site.n) + 1) * site.n + site.me;
  for (const j of site.others) site.send(j, { type: 'TOKEN_MISSING', age: my.age });
}

function replace(my: State, site: NishioSite): void {
  take(my, site, my.rebuilt.with(site.me, my.granted), my.age);
}
