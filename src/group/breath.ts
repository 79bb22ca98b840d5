import type { Home } from './home.ts';

/** How long a process waits to hear others who have asked of late, before it helps itself again. */
const LISTEN_MS = 1;

/**
 * Who can go in again and again without a message never gives its process a chance to hear that others want
 * in: after some turns it pauses for a moment to listen. If others have asked of late it does so after
 * every turn, until it hears one of them or some time has passed: what they ask may have to come by way of
 * a third process, and one that spins keeps a processor from that one, too.
 */
export class Breath {
  readonly #home: Home;
  /** What to go on with after a pause. */
  readonly #goOn: () => void;
  /** How many were served since this process last listened to the others. */
  #inARow = 0;
  /** Others have asked since then. */
  #isContended = false;
  #isPausing = false;
  /** Ends a pause before its time. */
  #cancel: (() => void) | null = null;

  constructor(home: Home, goOn: () => void) {
    this.#home = home;
    this.#goOn = goOn;
  }

  served(): void {
    this.#inARow++;
  }

  heard(): void {
    this.#inARow = 0;
    this.#isContended = true;
    if (this.#cancel === null) return;
    this.#cancel();
    this.#cancel = null;
    this.#isPausing = false;
  }

  get isDue(): boolean {
    return this.#isPausing || this.#inARow >= (this.#isContended ? 1 : this.#home.turns);
  }

  pause(): void {
    if (this.#isPausing) return;
    this.#isPausing = true;
    const end = () => {
      this.#isPausing = false;
      this.#isContended = false;
      this.#inARow = 0;
      this.#cancel = null;
      this.#goOn();
    };
    if (this.#isContended) this.#cancel = this.#home.later(LISTEN_MS, end);
    else this.#home.soon(end);
  }
}
