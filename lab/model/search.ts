/** Searches that nobody has changed yet. */
import type { CheckSpec } from '../engine/protocol.ts';
import { FIRST_SEARCH as CHOICE } from '../stories/first-choices.ts';
import { MOST_STATES } from './link.ts';

export const FIRST_SEARCH: CheckSpec = { ...CHOICE, maxStates: MOST_STATES };

/** What another view asks for differs from this: the algorithm as it is, with one entry for each site. */
export const PLAIN_SEARCH: CheckSpec = {
  ...FIRST_SEARCH,
  ...{ printed: '', links: '', topology: '', entries: [1] },
};
