import type { Home } from './home.ts';

/**
 * Who goes in again and again without a message never gives its process a chance to hear that others want
 * in: after some turns, and after each if others have asked of late, it pauses to listen.
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
  }

  /** Whether nobody may be served now. Then there is a pause, and after it we go on. */
  get mustPause(): boolean {
    if (this.#isPausing) return true;
    if (this.#inARow < (this.#isContended ? 1 : this.#home.turns)) return false;
    this.#isPausing = true;
    this.#home.soon(() => {
      this.#isPausing = false;
      this.#isContended = false;
      this.#inARow = 0;
      this.#goOn();
    });
    return true;
  }
}
