import type { Fence } from './backend.ts';

/** The clock of a view has so many values for each millisecond that the view lasts. */
const BITS = 22;

/**
 * A fence as one integer: the epoch of the view, shifted by 22 bits, plus the member's Lamport clock.
 *
 * Within a view the clock grows: an entry happens after the exit before it. It counts from 0 at the beginning
 * of each view. Epochs grow by at least the milliseconds that have passed; so the clock may outgrow its 22
 * bits and still stay below the next view's, unless there were four million entries in a millisecond. The
 * sum fits 63 bits until the year 2094, and so a database's BIGINT.
 */
export const fenceValue = ({ epoch, clock }: Fence): bigint =>
  (BigInt(epoch) << BigInt(BITS)) + BigInt(clock);

/** Epochs count from here. */
export const EPOCH_ZERO = 1_735_689_600_000; // 2025-01-01T00:00:00Z, in ms since 1970

/** Members adopt a view, and their clocks run, at somewhat different times. */
const SLACK_MS = 60_000;

/** The largest clock that a member can have, so many milliseconds after the view came. */
export const mostClock = (ms: number): number => (Math.max(0, ms) + SLACK_MS) * 2 ** BITS;

/** The smallest `x >= least` with `x % size === index`: each member has clock values and epochs of its own. */
export const clockFor = (least: number, index: number, size: number): number =>
  least + ((index - (least % size) + size) % size);
