import type { Mode } from '../core/algorithm.ts';
import type { Home } from './home.ts';
import type { Request } from './request.ts';
import type { Entrance, Sites } from './sites.ts';

/**
 * How the sites of a lock leave. Where it saves messages to leave and ask again in one step, we must know
 * whether a caller here wants in again. Most who will say so within their turn, and so we wait for its end;
 * but the others wait too. So if someone came the last time, we take it that someone will: we ask at once,
 * and the hand-over leaves before our callers have had their say. If nobody has come when it is our turn, we
 * pass it on, and the next time we wait and see.
 */
export class Leaving {
  readonly #sites: Sites;
  readonly #home: Home;
  /** Whoever may ask next, if someone waits. */
  readonly #next: () => Request | null;
  readonly #goOn: () => void;
  /** Its view is over: it does nothing more. */
  isOver = false;
  #isFollowed = false;

  constructor(sites: Sites, home: Home, next: () => Request | null, goOn: () => void) {
    this.#sites = sites;
    this.#home = home;
    this.#next = next;
    this.#goOn = goOn;
  }

  leave(entrance: Entrance): void {
    if (!this.#sites.savesByAgain(entrance)) {
      this.#sites.release(entrance);
      return;
    }
    // We came in for nobody.
    if (entrance.turns === 0) this.#isFollowed = false;
    const next = this.#next();
    if (next !== null) this.#again(entrance, next.mode);
    // Through a reader's site no writer could get in.
    else if (this.#isFollowed && entrance.mode === 'exclusive') this.#again(entrance, 'exclusive');
    else {
      entrance.phase = 'leaving';
      this.#home.atEndOfTurn(this.#turnEnds);
    }
  }

  #again(entrance: Entrance, mode: Mode): void {
    this.#home.hurry(() => this.#sites.again(entrance, mode));
  }

  readonly #turnEnds = (): void => {
    if (this.isOver) return;
    this.#isFollowed = this.#next() !== null;
    for (const entrance of this.#sites.entrances) {
      if (entrance.phase !== 'leaving') continue;
      const next = this.#next();
      if (next === null) this.#sites.release(entrance);
      else this.#sites.again(entrance, next.mode);
    }
    this.#goOn();
  };
}
