/**
 * To have a lock at once or not at all. No paper has that; their sites wait, and what is asked cannot be
 * unasked. So a try first asks all members who of theirs is inside, unless our site would enter without a
 * message. If nobody is, it asks like everyone else; and whoever gets in before it says so, and it gives
 * up: its place in the algorithm's line is passed on when it comes.
 */
import type { Mode } from '../core/algorithm.ts';
import type { Home } from './home.ts';
import type { Instance } from './instance.ts';

/** Neither our turn nor word of everyone: some member is silent, and what it has nobody knows. */
const PATIENCE_MS = 2000;

/** Tell who tries, under this number, when more than it knows of are inside. */
export interface Watch {
  readonly mode: Mode;
  readonly probe: number;
  /** −1: nothing yet. */
  readonly known: number;
}

export class Tries {
  /** How many of the lock's waiting requests are tries. */
  count = 0;
  readonly #lock: Instance;
  readonly #home: Home;
  /** The number of the question we have out, and the mode it is about; 0 for none. */
  #probe = 0;
  #mode: Mode = 'exclusive';
  #lastProbe = 0;
  /** How many are inside at each member that has answered. */
  #counts: Map<string, number> | null = null;
  #watchers: Map<string, Watch> | null = null;
  #giveUp: (() => void) | null = null;

  constructor(lock: Instance, home: Home) {
    this.#lock = lock;
    this.#home = home;
  }

  /** Every member has said that it is free for that mode. */
  isClear(mode: Mode): boolean {
    const haveAllAnswered = this.#counts?.size === this.#home.size - 1;
    return mode === this.#mode && haveAllAnswered && !this.#isTaken(mode);
  }

  /** There are tries waiting: refuse them, or see to it that they hear. */
  settle(): void {
    const home = this.#home;
    const { how, mode } = this.#lock.queue.first!;
    if (mode !== this.#mode) this.#forget();
    const isLeftOver = home.hasBegun && !home.isOpen(this.#lock);
    if (how !== 'try' || isLeftOver || this.#isTaken(mode)) this.#refuseAll();
    else if (this.#probe === 0 && home.hasBegun) {
      this.#probe = ++this.#lastProbe;
      this.#mode = mode;
      home.probe(this.#lock, { mode, probe: this.#probe, known: -1 });
    }
    if (this.count > 0) this.#giveUp ??= home.later(PATIENCE_MS, () => this.#refuseAll());
  }

  heard(member: string, probe: number, count: number): void {
    if (probe !== this.#probe || this.count === 0) return;
    this.#counts ??= new Map();
    this.#counts.set(member, count);
    this.#lock.pump();
  }

  #isTaken(mode: Mode): boolean {
    let taken = this.#lock.holding(mode);
    for (const count of this.#counts?.values() ?? []) taken += count;
    return taken >= Math.max(1, this.#lock.permits);
  }

  #refuseAll(): void {
    for (const request of this.#lock.queue) if (request.how === 'try') this.#lock.refuse(request);
  }

  /** None is left. */
  end(): void {
    this.#forget();
    this.#giveUp?.();
    this.#giveUp = null;
  }

  /** What was asked and answered is of no use any more. */
  #forget(): void {
    this.#probe = 0;
    this.#counts = null;
  }

  /** Someone at another member tries. */
  watched(member: string, watch: Watch): void {
    this.#watchers ??= new Map();
    this.#watchers.set(member, watch);
    this.granted();
  }

  /** Who is inside here, and keeps out who wants that mode; and who waits to write, for it comes first. */
  #inTheWay(mode: Mode): number {
    const { first } = this.#lock.queue;
    const comesFirst = first !== null && first.how !== 'try' && first.mode === 'exclusive';
    return this.#lock.holding(mode) + (comesFirst ? 1 : 0);
  }

  /** Perhaps someone here has been let in. */
  granted(): void {
    if (this.#watchers === null) return;
    for (const [member, watch] of this.#watchers) {
      const count = this.#inTheWay(watch.mode);
      if (count <= watch.known) continue;
      this.#watchers.set(member, { ...watch, known: count });
      this.#home.held(this.#lock, watch.probe, count, member);
    }
  }
}
