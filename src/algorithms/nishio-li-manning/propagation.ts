/**
 * Nishio–Li–Manning with `propagation`: the controller's memory is lost in a crash, and the site learns from the
 * others what it needs. The survey says only that "a mechanism that uses information propagation is described for
 * the recovery from these failures"; this is a reconstruction.
 *
 * A site that is back first waits until whatever was under way has arrived. Then it asks every other site for its
 * age and for the numbers of all requests (RECOVER, KNOWLEDGE). The highest age among the answers is at least what
 * the site had promised, for the site that proposed that age knows it too. Its own past requests count as granted.
 * Until all have answered it neither accepts a token nor agrees to a new one: so a token that reaches it too early
 * is lost, and is replaced later. A new node is a site that has never known anything, and joins in the same way.
 */
import type { NodeId } from '../../core/algorithm.ts';
import type { Payload } from '../../core/message.ts';
import { ask, WAIT } from './replacement.ts';
import { type messages, type NishioSite, type State, stop } from './token.ts';

/** Begins to recover: all that was known is lost. */
export function forget(my: State, site: NishioSite): void {
  stop(my);
  my.trying = 'recovering';
  my.asked.fill(0);
  my.granted = 0;
  my.token = null;
  my.age = 0;
  site.timer('missing', WAIT * site.n);
}

/** Asks the sites that have not answered yet. */
export function inquire(my: State, site: NishioSite): void {
  for (const j of site.others) if (!my.answered[j]) site.send(j, { type: 'RECOVER' });
  site.timer('missing', WAIT * site.n);
}

export const on = {
  RECOVER(my: State, site: NishioSite, from: NodeId) {
    if (my.trying === 'recovering') return; // we know nothing ourselves, and are asked again
    site.send(from, { type: 'KNOWLEDGE', age: my.age, asked: my.asked.slice() });
  },

  KNOWLEDGE(
    my: State,
    site: NishioSite,
    from: NodeId,
    { age, asked }: Payload<typeof messages, 'KNOWLEDGE'>,
  ) {
    if (my.trying !== 'recovering') return;
    my.age = Math.max(my.age, age);
    my.asked = my.asked.map((n, j) => Math.max(n, asked[j]!));
    my.answered[from] = true;
    if (site.others.some((j) => !my.answered[j])) return;
    stop(my);
    site.timer('missing', 0);
    my.granted = my.asked[site.me]!;
    if (!my.requesting) return;
    my.asked[site.me]! += 1;
    ask(my, site);
  },
};
