/**
 * Nishio–Li–Manning: a token with an age, so that a lost token can be replaced and an old one is recognized.
 *
 * S. Nishio, K. F. Li and E. G. Manning. "A Resilient Mutual Exclusion Algorithm for Computer
 * Networks". IEEE Transactions on Parallel and Distributed Systems 1(3):344–355, July 1990.
 * Reconstructed from the survey, which describes it in words.
 *
 * Sites ask as in Suzuki and Kasami's algorithm. The token goes to the next site round a ring that waits, as in
 * Ricart and Agrawala's. A site that waits too long proposes a new token with a higher age (TOKEN_MISSING). All
 * other sites must agree (ACK): to agree is to promise that older tokens will be refused. A site that has the
 * token, or knows of a higher age, does not agree (NACK). So wherever the old token is, no site will accept it, and
 * no assumption about delays or failures is needed for that. But while a site is down, no token is replaced: each
 * site has a communication controller whose memory outlives a crash, and is waited for.
 *
 * Example with three sites: site 1 sends its REQUEST to both others, and the token that site 0 sends it is lost.
 * When its time-out is over, site 1 asks both whether they have the token. Neither has it (ACK). Site 1 proposes a
 * token with a higher age to both, and both agree. It makes the token and enters. That is eleven messages with the
 * lost one.
 *
 * The survey has one round of TOKEN_MISSING. Then all sites that agreed before the holder disagreed would refuse a
 * token that is only in use for long. Here there are two rounds: the first asks if any site has the token, the
 * second proposes. And a site that has the token by then lets it take the proposed age.
 *
 * With `propagation` that memory is lost as well, and restored from the others
 * (`nishio-li-manning/propagation.ts`).
 *
 * The survey calls a token a duplicate if its age is "not older or equal"; it means older.
 */
import type { Algorithm } from '../core/algorithm.ts';
import { each } from '../core/plain.ts';
import * as propagation from './nishio-li-manning/propagation.ts';
import * as replacement from './nishio-li-manning/replacement.ts';
import { accepts, grant, messages, options, type State, take } from './nishio-li-manning/token.ts';

export const nishioLiManning: Algorithm<State, typeof messages, 'complete', typeof options> = {
  id: 'nishio-li-manning',
  title: 'Nishio, Li & Manning 1990',
  year: 1990,
  paper: 'IEEE Transactions on Parallel and Distributed Systems 1(3):344–355, July 1990',
  family: 'token',
  modes: ['exclusive'],
  k: false,
  topology: 'complete',
  defaultTopology: 'complete',
  links: 'any',
  options,
  messages,
  claims: {
    messages: { formula: 'N, or 0 for the holder', bounds: ({ n }) => ({ least: 0, most: n }) },
    synchronizationDelay: 'T',
  },
  recovers: [
    'any sites crash, at any moment and at the same time, and restart with the memory of their controllers; a lost token is replaced when all are up',
    'with `propagation`: one site at a time crashes, loses all that it knew, and restarts; delays have a bound',
    'any messages are lost, or arrive twice',
    'a time-out that is too short, however often: no second token comes of it',
  ],

  init: ({ me, n }) => ({
    requesting: false,
    asked: each(n, 0),
    granted: 0,
    token: me === 0 ? each(n, 0) : null,
    age: 0,
    trying: 'no',
    answered: each(n, false),
    highest: 0,
    rebuilt: each(n, 0),
  }),

  request(my, site) {
    my.requesting = true;
    if (my.trying === 'recovering') return; // we do not know the number of our next request
    if (my.token !== null) return site.enter();
    my.asked[site.me]! += 1;
    replacement.ask(my, site);
  },

  release(my, site) {
    my.requesting = false;
    grant(my, site);
  },

  on: {
    REQUEST(my, site, from, { n }) {
      my.asked[from] = Math.max(my.asked[from]!, n);
      if (my.token !== null && !my.requesting) grant(my, site);
    },

    TOKEN(my, site, _, token) {
      if (accepts(my, site.me, token)) take(my, site, token.granted.slice(), token.age);
    },

    ...replacement.on,
    ...propagation.on,
  },

  timers: replacement.timers,

  stable: ['asked', 'granted', 'token', 'age'],
  // What we wanted died with the processor: if we have the token, it is for others.
  restart(my, site) {
    if (site.options.propagation) return propagation.forget(my, site);
    if (my.token !== null) grant(my, site);
  },

  fields: { asked: 'RN', granted: 'last granted', token: 'LN', age: 'token age' },
  turn: (sites) => sites.findIndex(({ token }) => token !== null),
  awaits: ({ token }, { others }) => (token === null ? others : []), // any of them may have it
  // No `tokens`: one that all sites have promised to refuse may still be under way when it is replaced.
  invariants: {
    'there are no two tokens that sites accept': ({ sites, inFlight }) => {
      const held = sites.filter(({ token }) => token !== null).length;
      const accepted = inFlight.filter(
        ({ to, message }) => message.type === 'TOKEN' && accepts(sites[to]!, to, message),
      );
      // Of two copies of one message, only the first is accepted.
      const receivers = new Set(accepted.map(({ to }) => to));
      return held + receivers.size <= 1;
    },
  },
};
