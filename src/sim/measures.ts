import type { NodeId } from '../core/algorithm.ts';
import { Samples, type Spread } from './samples.ts';

/** The sites that an exit lets in and that were kept out before. */
export const NONE = 0;
export const ANY = 1;
export const A_WRITER = 2;
export type Freed = typeof NONE | typeof ANY | typeof A_WRITER;

/** Whole rounds of a saturated run: the first is left out, and the last, in which sites stop asking. */
export interface Steady {
  readonly entries: number;
  readonly messagesPerEntry: number;
}

/** The measurements of a run, besides its messages. */
export class Measures {
  entries = 0;
  /** The time of the last exit. */
  lastExit = 0;
  readonly #n: number;
  readonly #requestedAt: Float64Array;
  /** By site: how many entries there were before its request. */
  readonly #entriesBefore: Float64Array;
  readonly #entriesBy: Float64Array;
  readonly #waiting = new Samples();
  readonly #response = new Samples();

  #maxBypass = 0;

  #freed: Freed = NONE;
  #freedAt = 0;
  #handOvers = 0;
  #handOverSum = 0;
  #handOverMax = 0;

  readonly #steadyFrom: number;
  readonly #steadyTo: number;
  #steadyMessages = 0;

  /** `rounds` is how many entries a saturated run will have, and 0 for every other. */
  constructor(n: number, rounds: number) {
    this.#n = n;
    this.#requestedAt = new Float64Array(n);
    this.#entriesBefore = new Float64Array(n);
    this.#entriesBy = new Float64Array(n);
    this.#steadyFrom = n;
    this.#steadyTo = Math.max(n, n * Math.floor((rounds - n) / n));
  }

  requested(site: NodeId, now: number): void {
    this.#requestedAt[site] = now;
    this.#entriesBefore[site] = this.entries;
  }

  /** `messages` is how many were sent so far. */
  entered(site: NodeId, now: number, exclusive: boolean, messages: number): void {
    this.#waiting.add(now - this.#requestedAt[site]!);
    // All entries since the request are of other sites, because this site was waiting.
    this.#maxBypass = Math.max(this.#maxBypass, this.entries - this.#entriesBefore[site]!);
    this.#entriesBy[site]! += 1;
    this.entries++;
    if (this.#freed === ANY || (this.#freed === A_WRITER && exclusive)) {
      const delay = now - this.#freedAt;
      this.#handOvers++;
      this.#handOverSum += delay;
      this.#handOverMax = Math.max(this.#handOverMax, delay);
    }
    this.#freed = NONE;
    if (this.entries === this.#steadyFrom) this.#steadyMessages -= messages;
    if (this.entries === this.#steadyTo) this.#steadyMessages += messages;
  }

  left(site: NodeId, now: number, freed: Freed): void {
    this.#response.add(now - this.#requestedAt[site]!);
    this.lastExit = now;
    // With k > 1 a second exit may come before the next entry: the place was free since the first.
    if (this.#freed !== NONE) return;
    this.#freed = freed;
    this.#freedAt = now;
  }

  /** The waiting sites have crashed: the next entry is no hand-over. */
  noneWaits(): void {
    this.#freed = NONE;
  }

  get responseTime(): Spread {
    return this.#response.spread();
  }

  get waitingTime(): Spread {
    return this.#waiting.spread();
  }

  /**
   * From an exit to the next entry, where a site waited at the exit and could not have gone in
   * before it: with k > 1 only exits from a full house count, with readers only a writer's exit, and
   * the last reader's while a writer waits. `count` is how often that was so.
   */
  get synchronizationDelay(): { mean: number; max: number; count: number } {
    const count = this.#handOvers;
    const mean = count === 0 ? 0 : this.#handOverSum / count;
    return { mean, max: this.#handOverMax, count };
  }

  /** Entries per time unit, until the last exit. */
  get throughput(): number {
    return this.lastExit === 0 ? 0 : this.entries / this.lastExit;
  }

  /**
   * Jain's index of the entries by site: 1 when all had the same, 1/n when one had them all; and the
   * most entries of others that came between a request and its own.
   */
  get fairness(): { jain: number; maxBypass: number; entriesByNode: number[] } {
    let sum = 0;
    let squares = 0;
    for (const entries of this.#entriesBy) {
      sum += entries;
      squares += entries * entries;
    }
    const jain = squares === 0 ? 1 : (sum * sum) / (this.#n * squares);
    return { jain, maxBypass: this.#maxBypass, entriesByNode: Array.from(this.#entriesBy) };
  }

  get steady(): Steady | null {
    const entries = this.#steadyTo - this.#steadyFrom;
    if (entries === 0 || this.entries < this.#steadyTo) return null;
    return { entries, messagesPerEntry: this.#steadyMessages / entries };
  }
}
