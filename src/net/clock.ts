import { performance } from 'node:perf_hooks';
import { nextTick } from 'node:process';

/** The time source of the links. Tests and simulations have their own. */
export interface Clock {
  /** Milliseconds since some moment; monotonic. */
  now(): number;
  /** Runs the callback after so many milliseconds. The returned function cancels it. */
  later(ms: number, callback: () => void): () => void;
  /** Runs the callback after the current task, before any new event is handled. */
  soon(callback: () => void): void;
  /** Runs the callback when the process has read what has arrived by now. */
  afterReading(callback: () => void): void;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  later(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
  soon: (callback) => nextTick(callback),
  afterReading: (callback) => void setImmediate(callback),
};
