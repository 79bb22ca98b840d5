import type { Fence } from './backend.ts';

/**
 * A fence as one integer: the epoch, shifted by 22 bits, plus the Lamport clock of the lock.
 *
 * Within a view the clock grows: an entry happens after the exit before it. From view to view the epoch
 * grows, by at least the milliseconds that have passed; so the clock may outgrow its 22 bits and still
 * stay below the next view's, unless someone entered four million times in a millisecond. The sum fits
 * 63 bits until the year 2094, and so a database's BIGINT.
 */
export const fenceValue = ({ epoch, clock }: Fence): bigint =>
  (BigInt(epoch) << 22n) + BigInt(clock);

/** Epochs count from here. */
export const EPOCH_ZERO = 1_735_689_600_000; // 2025-01-01T00:00:00Z, in ms since 1970

/** The smallest number from `least` on that is this one's of so many, to whom all numbers are dealt out. */
export const dealt = (least: number, index: number, size: number): number =>
  least + ((index - (least % size) + size) % size);
