/** Limits that the members, the lock API, the daemon and its clients share. */

/** Longer names would not fit into what members send each other. */
export const LONGEST_NAME = 65_536;

/**
 * The largest number of permits of a semaphore. A member keeps one site of the algorithm for each permit, and
 * some algorithms send a message to each: memory and messages grow with the permits.
 */
export const MAX_PERMITS = 128;

/** How many locks may wait at a member until it may ask the group for them: see admission.ts. */
export const MOST_DEFERRED = 10_000;

/** How many names a member keeps. Above that, it forgets locks that have been idle for a while: see lock-table.ts. */
export const NAMES_KEPT = 100_000;

/** How many idle locks stay open at a member: one that is used again and again is not made anew each time. */
export const LOCKS_KEPT_OPEN = 64;
