/**
 * Naimi and Trehel's recovery, reconstructed from the survey. A site that waits for longer than Twait
 * (the timer `wait`) finds out, step by step, each as long as Telec (the timer `elect`), what was lost:
 *
 *   consulting  is a live site my predecessor? If so, that site inquires.
 *   query       has any site the token? If so, only requests were lost.
 *   candidate   does any smaller site do the same? If not, I make a token.
 *
 * It assumes that crashes are for good and delays bounded. Telec must outlast three delays: a question,
 * a token that is under way meanwhile, and the answer of its receiver. If it is too short, there
 * may be two tokens. If Twait is, a site inquires in vain.
 *
 * Where ours departs from the survey:
 * - Trees have an epoch. A REQUEST of the old tree that comes late would put its origin, which has
 *   asked again, into the queue twice; and so would the old token give one more.
 * - If the token exists, the survey lets the inquirer wait on. But its REQUEST may have died with a
 *   site on the way, and then it waits for ever. Here the holder of the token becomes the root of a new
 *   tree, just as one that is elected does, and every site that waits asks it again. A holder that is to
 *   be (the token is under way to it) does so when it has the token: queries are recorded, as the
 *   survey says.
 * - A site that is consulted, and waits as well, inquires at once: the first of the queue must do it.
 * - A site that observes another's inquiry must not wait for its end for ever: the other may have crashed. Here it
 *   inquires itself after another Twait.
 */
import type { NodeId } from '../../core/algorithm.ts';
import type { Messages, Payload } from '../../core/message.ts';
import type { NaimiTrehelSite, State } from '../naimi-trehel.ts';
import {
  becomeRoot,
  CALM,
  CANDIDATE,
  CONSULTING,
  calmDown,
  goOn,
  inquire,
  newTree,
  observe,
  wait,
  waits,
} from './inquiry.ts';
import { sendRequest } from './queue.ts';

export const messages = {
  // With `recovery`, in place of REQUEST and TOKEN, and about the n-th request of its origin:
  EPOCH_REQUEST: { origin: 'node', n: 'int', epoch: 'int' },
  EPOCH_TOKEN: { epoch: 'int' },
  CONSULT: { n: 'int' }, //      am I, with this request, your NEXT?
  CONSULT_YES: {}, //            you are
  QUERY: { epoch: 'int' }, //    do you have the token of this epoch?
  ELECTION: { epoch: 'int' }, // no site has: I make another
  ELECTED: { epoch: 'int' }, //  I have the token, and am the root of a new tree
} as const satisfies Messages;
type Of<K extends keyof typeof messages> = Payload<typeof messages, K>;

export const recovers = [
  'with `recovery`: any sites crash for good, at any moment, also inside or while they inquire; delays have a bound',
];

export const timers = {
  wait: {
    fires: 'quiet',
    expired: (my: State, site: NaimiTrehelSite) => inquire(my, site, CONSULTING),
  },
  elect: { fires: 'quiet', expired: goOn },
} as const;

export const on = {
  CONSULT(my: State, site: NaimiTrehelSite, from: NodeId, { n }: Of<'CONSULT'>) {
    if (my.next !== from || my.nextN !== n) return observe(my, site);
    site.send(from, { type: 'CONSULT_YES' });
    // If it has waited too long, so have we.
    if (waits(my) && my.inquiry.stage === CALM) inquire(my, site, CONSULTING);
  },

  CONSULT_YES(my: State, site: NaimiTrehelSite) {
    if (my.inquiry.stage === CONSULTING) calmDown(my, site);
  },

  QUERY(my: State, site: NaimiTrehelSite, _: NodeId, { epoch }: Of<'QUERY'>) {
    if (epoch !== my.epoch) return;
    if (my.token) return becomeRoot(my, site);
    my.inquiry.queried = true;
    observe(my, site);
  },

  ELECTION(my: State, site: NaimiTrehelSite, from: NodeId, { epoch }: Of<'ELECTION'>) {
    if (epoch !== my.epoch) return;
    if (my.inquiry.stage === CANDIDATE && site.me < from) return; // it will hear of us
    if (my.inquiry.stage !== CALM) calmDown(my, site);
    observe(my, site);
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
};
