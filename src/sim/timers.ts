import type { AnyAlgorithm, NodeId } from '../core/algorithm.ts';
import { TIMER } from './events.ts';
import type { EventQueue } from './queue.ts';

/**
 * The timers of all sites. A tick is one unit of simulated time. An event in the queue cannot be taken
 * out, so each setting has a number, and only the event with the latest number counts.
 */
export class Timers {
  /** How many timers are set. */
  live = 0;
  readonly names: readonly string[];
  /** What each timer may assume when it fires: see `Timer` in the core. */
  readonly fires: readonly ('anytime' | 'drained' | 'quiet' | 'idle')[];
  readonly #queue: EventQueue;
  readonly #setting: Int32Array;
  readonly #isSet: Uint8Array;
  readonly #due: Float64Array;

  constructor(algorithm: AnyAlgorithm, n: number, queue: EventQueue) {
    const timers = Object.entries(algorithm.timers ?? {});
    this.names = timers.map(([name]) => name);
    this.fires = timers.map(([, timer]) => timer.fires);
    this.#queue = queue;
    this.#setting = new Int32Array(n * timers.length);
    this.#isSet = new Uint8Array(n * timers.length);
    this.#due = new Float64Array(n * timers.length);
  }

  set(site: NodeId, name: string, ticks: number, now: number): void {
    const timer = this.names.indexOf(name);
    const at = site * this.names.length + timer;
    this.live -= this.#isSet[at]!;
    this.#isSet[at] = ticks > 0 ? 1 : 0;
    this.live += this.#isSet[at]!;
    this.#setting[at]! += 1;
    this.#due[at] = now + ticks;
    if (ticks > 0) this.#queue.push(now + ticks, TIMER, site, timer, this.#setting[at]!);
  }

  /** Whether the setting of that number is the latest one of its timer. */
  isDue(site: NodeId, timer: number, setting: number): boolean {
    const at = site * this.names.length + timer;
    return this.#isSet[at] === 1 && this.#setting[at] === setting;
  }

  expired(site: NodeId, timer: number): void {
    this.#isSet[site * this.names.length + timer] = 0;
    this.live--;
  }

  /** The timers that are set, and when each is due. A timer that outlasts the messages under way may fire later. */
  pending(): { site: NodeId; timer: string; due: number }[] {
    const all = Array.from(this.#isSet, (isSet, at) => ({ isSet, at }));
    return all
      .filter(({ isSet }) => isSet === 1)
      .map(({ at }) => ({
        site: Math.floor(at / this.names.length),
        timer: this.names[at % this.names.length]!,
        due: this.#due[at]!,
      }));
  }

  cancelAll(site: NodeId): void {
    for (const name of this.names) this.set(site, name, 0, 0);
  }
}
