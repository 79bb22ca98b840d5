/**
 * Maekawa as the paper of 1985 has it: an arbiter tells a site that it FAILED only when that site's
 * own REQUEST arrives.
 *
 * A REQUEST that arrives first in the queue and is then displaced by an earlier one is never told. It
 * takes itself for one that may yet succeed, keeps its other locks, and everyone waits for everyone.
 */
import type { Printed } from '../../core/algorithm.ts';
import { maekawa, rules } from '../maekawa.ts';
import { arbitration } from '../shared/arbiter.ts';

const { on } = arbitration({ ...rules, fails: () => 'newcomers' });
const algorithm: typeof maekawa = { ...maekawa, links: 'fifo', on };

export const original: Printed = {
  name: 'original',
  about:
    'a waiting request that an earlier one displaces at the head of an arbiter’s queue is not told ' +
    'that it FAILED, so it keeps its other locks: deadlock',
  correction:
    'whoever is displaced at the head of the queue is told FAILED too, as Sanders proposed: ' +
    'it then gives back what it is inquired about',
  algorithm,
  shows: {
    nodes: 4,
    entries: [1, 1, 1, 0],
    links: 'fifo',
    topology: 'majority',
    violates: 'deadlock-freedom',
  },
};
