/**
 * Maekawa as the survey tells it: an arbiter tells a site that it FAILED only when that site's own
 * REQUEST arrives.
 *
 * A REQUEST that arrives first in the queue and is then displaced by an earlier one is never told. Its
 * site takes itself for one that may yet succeed, and keeps its other locks. All sites wait for each other.
 */
import type { Printed } from '../../core/printed.ts';
import { maekawa, rules } from '../maekawa.ts';
import { arbitration } from '../shared/arbiter.ts';

const { on } = arbitration({ ...rules, fails: () => 'newcomers' });
const algorithm: typeof maekawa = { ...maekawa, links: 'fifo', on };

export const original: Printed = {
  name: 'original',
  quote: {
    where: 'the survey, section 5, on Maekawa',
    text:
      "If any request in the queue has a lower sequence number than that of i's, a failed message is " +
      'sent to node i.',
  },
  reading:
    'Only the request that arrives is told. One that waits already is not told of an earlier one.',
  about:
    'An earlier request displaces one that waits at the head of an arbiter’s queue. The displaced ' +
    'request is not told that it FAILED, so its site keeps its other locks: deadlock.',
  charitable: {
    reading:
      'We know of none. Of Sanders’ algorithm the survey tells the rule that is missing here: “A fail ' +
      'message is sent to a node with a larger timestamp that has not yet been sent one.”',
  },
  published:
    'Yes: B. A. Sanders, “The Information Structure of Distributed Mutual Exclusion Algorithms”, ACM ' +
    'Transactions on Computer Systems 5(3), 1987, says that Maekawa’s algorithm can deadlock, and adds ' +
    'the rule.',
  correction:
    'A request that is displaced at the head of the queue is told FAILED too, as Sanders proposed. Its ' +
    'site then gives back the locks that it is inquired about.',
  algorithm,
  shows: {
    nodes: 4,
    entries: [1, 1, 1, 0],
    links: 'fifo',
    topology: 'majority',
    violates: 'deadlock-freedom',
  },
};
