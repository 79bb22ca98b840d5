/** What Mizuno, Neilsen and Rao's algorithm costs with given sets. */
import type { NodeId } from '../../core/algorithm.ts';
import type { Agreement } from '../../core/topology.ts';

/**
 * A REQUEST is relayed once by each site that receives it, and again to each later holder by those it
 * tells that it is one: twice |R|−1, twice |A|−1, our own RELAY and the PRIVILEGE.
 */
export function mostMessages(topology: Agreement): number {
  return 2 * (largest(topology.request) - 1) + 2 * (largest(topology.acquired) - 1) + 2;
}

/** No other site waits: what is relayed is one request, by the sites that are in R and A. */
export function mostMessagesAlone({ request, acquired }: Agreement): number {
  const [r, a] = [largest(request), largest(acquired)];
  return r - 1 + (a - 1) + 1 + Math.min(r, a);
}

function largest(sets: readonly (readonly NodeId[])[]): number {
  return sets.reduce((most, { length }) => Math.max(most, length), 0);
}
