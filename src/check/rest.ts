/**
 * A site at rest: it has asked as often as it will, holds no token, has set no timer, and whatever
 * reaches it now it only takes note of. Such a delivery concerns nobody else and may as well come at
 * once: of all the steps of a state, that one is enough.
 *
 * Whether a site is really at rest shows while the search goes on. All letters that reach it at rest, in
 * all the states in which they may, must change nothing that others see, and in any two orders lead to
 * the same. If one does not, the assumption was wrong, and the search with it.
 */
import type { NodeId } from '../core/algorithm.ts';
import { HAS_MAIL } from './cells.ts';
import type { Space } from './space.ts';

/** A clock that every letter advances has no end: beyond so many states a site is not called at rest. */
const MOST_LOCALS = 5_000;

const UNKNOWN = 0;
const YES = 1;
const NO = 2;

export class Rest {
  /** A site that was taken to be at rest was not. */
  refuted = false;
  readonly #space: Space;
  /** By site: the states in which it is at rest, and what reaches it there. */
  readonly #locals: Set<number>[];
  readonly #letters: Set<number>[];
  #isAtRest = new Uint8Array(1024); // by cell that has mail
  #site: NodeId = -1;
  #event = -1;

  constructor(space: Space) {
    this.#space = space;
    this.#locals = Array.from({ length: space.world.n }, () => new Set());
    this.#letters = Array.from({ length: space.world.n }, () => new Set());
  }

  /** The reduction is about the steps of this state from now on. */
  begin(_: number, state: Int32Array): void {
    const { cells, world } = this.#space;
    this.#site = -1;
    for (let site = 0; site < world.n; site++) {
      const cell = state[site]!;
      if ((cells.flags[cell]! & HAS_MAIL) === 0 || !this.#rests(cell)) continue;
      this.#site = site;
      const mail = cells.mail(cell);
      this.#event = mail[cells.next(mail)[0]!]!;
      return;
    }
  }

  readonly isAsleep = (site: NodeId, event: number): boolean =>
    this.#site !== -1 && (site !== this.#site || event !== this.#event);

  #rests(cell: number): boolean {
    if (cell >= this.#isAtRest.length) {
      const grown = new Uint8Array(2 * cell);
      grown.set(this.#isAtRest);
      this.#isAtRest = grown;
    }
    if (this.#isAtRest[cell] === UNKNOWN) {
      const { cells } = this.#space;
      // What is under way to it may be a token, too.
      const rests = cells.tokens[cell] === 0 && this.#isDone(cells.local(cell));
      if (rests) this.#admit(cell);
      this.#isAtRest[cell] = rests ? YES : NO;
    }
    return this.#isAtRest[cell] === YES;
  }

  #isDone(local: number): boolean {
    const { phase, left, timers, started } = this.#space.steps.local(local);
    return phase === 'idle' && left === 0 && timers.length === 0 && started;
  }

  /** Adds what is in a cell to what is known of its site at rest, with all that comes of it. */
  #admit(cell: number): void {
    const { cells } = this.#space;
    const { site } = this.#space.local(cell);
    const [locals, letters] = [this.#locals[site]!, this.#letters[site]!];
    const added = [cells.local(cell)];
    const noted = (local: number, letter: number): void => {
      const next = this.#after(local, letter);
      if (next === -1 || !this.#commutes(local, letter, letters)) this.refuted = true;
      else added.push(next);
    };
    for (const letter of cells.mail(cell)) {
      if (letters.has(letter)) continue;
      letters.add(letter);
      for (const local of locals) noted(local, letter);
    }
    for (let local = added.pop(); local !== undefined && !this.refuted; local = added.pop()) {
      if (locals.has(local)) continue;
      locals.add(local);
      if (locals.size > MOST_LOCALS) this.refuted = true;
      for (const letter of letters) noted(local, letter);
    }
  }

  /** The local after a delivery that nobody else notices, or −1. */
  #after(local: number, letter: number): number {
    const { steps, cells } = this.#space;
    const outcomes = steps.of(local, letter);
    const { local: next, letters, error } = outcomes[0]!;
    const isSilent = outcomes.length === 1 && letters.length === 0 && error === undefined;
    return isSilent && this.#isDone(next) && cells.tokens[cells.id(next, [])] === 0 ? next : -1;
  }

  #commutes(local: number, letter: number, letters: ReadonlySet<number>): boolean {
    for (const other of letters) {
      const [one, two] = [this.#after(local, letter), this.#after(local, other)];
      if (two === -1 || this.#after(one, other) !== this.#after(two, letter)) return false;
    }
    return true;
  }
}
