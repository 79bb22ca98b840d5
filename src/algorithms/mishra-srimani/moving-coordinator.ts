/**
 * Mishra and Srimani's second algorithm, of which the survey says no more than that "a central
 * coordination control for mutual exclusion is moved among the nodes in the system" and that there is
 * one coordinator at any time. The rest is a reconstruction.
 *
 * The site that is inside, or was last, is the coordinator and has the queue of the sites that wait; when it
 * leaves, the first of them becomes coordinator and takes over the queue. A site that wants to enter asks the site
 * that it knows to have asked last. That one will be coordinator if it is not yet, so that it keeps the
 * request until then; or it has been, and passes the request on. Nothing is recovered after a failure.
 */
import type { NodeId } from '../../core/algorithm.ts';
import { assert } from '../../core/assert.ts';
import { list, type Messages, type Payload } from '../../core/message.ts';
import type { MishraSrimaniSite, State } from '../mishra-srimani.ts';

export const messages = {
  COORDINATE: { origin: 'node' }, //      this site wants in: put it into the queue, or pass it on
  COORDINATOR: { queue: list('node') }, // you are the coordinator now, and these wait
} as const satisfies Messages;

export function request(my: State, site: MishraSrimaniSite): void {
  my.requesting = true;
  if (my.token !== null) site.enter();
  else site.send(my.coordinator, { type: 'COORDINATE', origin: site.me });
}

export function release(my: State, site: MishraSrimaniSite): void {
  my.requesting = false;
  const [next, ...queue] = my.token!.queue;
  if (next === undefined) return;
  my.coordinator = queue.at(-1) ?? next;
  my.token = null;
  site.send(next, { type: 'COORDINATOR', queue });
}

export const on = {
  COORDINATE(
    my: State,
    site: MishraSrimaniSite,
    _: NodeId,
    { origin }: Payload<typeof messages, 'COORDINATE'>,
  ): void {
    if (my.requesting) {
      (my.token?.queue ?? my.kept).push(origin);
    } else if (my.token !== null) {
      assert(my.token.queue.length === 0, 'no site waits for a coordinator that is out');
      my.token = null;
      my.coordinator = origin;
      site.send(origin, { type: 'COORDINATOR', queue: [] });
    } else {
      site.send(my.coordinator, { type: 'COORDINATE', origin });
      my.coordinator = origin;
    }
  },

  COORDINATOR(
    my: State,
    site: MishraSrimaniSite,
    _: NodeId,
    { queue }: Payload<typeof messages, 'COORDINATOR'>,
  ): void {
    assert(my.requesting, 'only a site that asked becomes coordinator');
    my.token = { queue: [...queue, ...my.kept], granted: [] };
    my.kept = [];
    site.enter();
  },
};
