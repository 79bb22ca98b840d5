import { performance } from 'node:perf_hooks';
import { nextTick } from 'node:process';

/** Time as the links know it. Tests and simulations have their own. */
export interface Clock {
  /** Milliseconds since some moment; never goes back. */
  now(): number;
  /** Calls back after so many milliseconds; returns how to cancel that. */
  later(ms: number, callback: () => void): () => void;
  /** Calls back once the work at hand is done, before anything new is looked at. */
  soon(callback: () => void): void;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  later(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
  soon: (callback) => nextTick(callback),
};
