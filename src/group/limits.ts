/** Longer names would not fit into what members send each other. */
export const LONGEST_NAME = 65_536;

/** A semaphore runs one site for each permit at each member, so its cost grows with the permits. */
export const MOST_PERMITS = 128;
