/** Limits that the lock API, the daemon and its clients share. */

/**
 * The largest number of permits of a semaphore. A member keeps one site of the algorithm for each permit, and
 * some algorithms send a message to each: memory and messages grow with the permits.
 */
export const MAX_PERMITS = 128;
