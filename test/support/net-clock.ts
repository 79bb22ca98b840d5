import type { Clock } from '../../src/net/clock.ts';

/** A clock that the test advances. Callbacks due at the same time run in the order of their calls. */
export class ManualClock implements Clock {
  #now = 0;
  #order = 0;
  #soon: (() => void)[] = [];
  #afterReading: (() => void)[] = [];
  readonly #waiting = new Map<number, { readonly at: number; readonly callback: () => void }>();

  now(): number {
    return this.#now;
  }

  later(ms: number, callback: () => void): () => void {
    const key = this.#order++;
    this.#waiting.set(key, { at: this.#now + Math.max(0, ms), callback });
    return () => this.#waiting.delete(key);
  }

  soon(callback: () => void): void {
    this.#soon.push(callback);
  }

  afterReading(callback: () => void): void {
    this.#afterReading.push(callback);
  }

  /** How many callbacks are waiting. */
  get size(): number {
    return this.#waiting.size;
  }

  /** Lets so much time pass. It does not wait for promises. */
  advance(ms: number): void {
    const until = this.#now + ms;
    this.#runQueued();
    for (;;) {
      let first: number | undefined;
      for (const [key, { at }] of this.#waiting) {
        if (first === undefined || at < this.#waiting.get(first)!.at) first = key;
      }
      if (first === undefined || this.#waiting.get(first)!.at > until) break;
      const { at, callback } = this.#waiting.get(first)!;
      this.#waiting.delete(first);
      this.#now = Math.max(this.#now, at);
      callback();
      this.#runQueued();
    }
    this.#now = until;
  }

  #runQueued(): void {
    for (;;) {
      const next = this.#soon.shift() ?? this.#afterReading.shift();
      if (next === undefined) return;
      next();
    }
  }
}
