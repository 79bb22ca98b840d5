/** Naimi–Trehel: the queue, of which each waiting site has one link. */
import type { NodeId } from '../../core/algorithm.ts';
import { assert } from '../../core/assert.ts';
import type { NaimiTrehelSite, State } from '../naimi-trehel.ts';

/** Puts the n-th request of `origin` behind us, if we are the end of the queue, or passes it on. */
export function putInQueue(my: State, site: NaimiTrehelSite, origin: NodeId, n: number): void {
  if (my.last !== site.me) {
    sendRequest(my, site, origin, n);
  } else if (my.requesting) {
    // The survey says so only of an end that is inside. One that still waits must remember its
    // successor too: else, of two sites that ask a third, the second is forgotten.
    assert(my.next === null, 'the end of the queue has no successor');
    my.next = origin;
    my.nextN = n;
  } else {
    assert(my.token, 'the end of an empty queue holds the token');
    sendToken(my, site, origin);
  }
  my.last = origin;
}

export function sendRequest(
  { last, epoch }: State,
  site: NaimiTrehelSite,
  origin: NodeId,
  n: number,
): void {
  if (!site.options.recovery) site.send(last, { type: 'REQUEST', origin });
  else site.send(last, { type: 'EPOCH_REQUEST', origin, n, epoch });
}

export function sendToken(my: State, site: NaimiTrehelSite, to: NodeId): void {
  my.token = false;
  if (!site.options.recovery) site.send(to, { type: 'TOKEN' });
  else site.send(to, { type: 'EPOCH_TOKEN', epoch: my.epoch });
}
