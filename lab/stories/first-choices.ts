/** What the views begin with, until the reader chooses. No other file of the page names an algorithm, but the stories. */
import type { PaperId } from '../../src/papers/row.ts';
import type { CheckSpec } from '../engine/protocol.ts';

/** The token walks through a tree: the picture that explains itself soonest. */
export const FIRST_ALGORITHM = 'raymond';

/** A tree, a broadcast, the permission of all, the permission of a quorum. */
export const FIRST_COMPARED: readonly string[] = [
  ...['raymond', 'suzuki-kasami', 'ricart-agrawala', 'maekawa'],
];

/** A deadlock that was published, in the smallest world that has it. */
export const FIRST_SEARCH: Omit<CheckSpec, 'maxStates'> = {
  ...{ algorithm: 'maekawa', printed: 'original', nodes: 4, entries: [1, 1, 1, 0] },
  ...{ links: 'fifo', topology: 'majority', options: [], crashes: 0, losses: 0 },
};

export const FIRST_PAPER: PaperId = 'raymond';
