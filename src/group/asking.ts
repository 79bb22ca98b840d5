import type { Breath } from './breath.ts';
import type { Request } from './request.ts';
import type { Entrance, Sites } from './sites.ts';
import type { Tries } from './tries.ts';

/** When, and through which of its sites, a lock asks the group. */
export class Asking {
  readonly #sites: Sites;
  readonly #tries: Tries;
  readonly #breath: Breath;

  constructor(sites: Sites, tries: Tries, breath: Breath) {
    this.#sites = sites;
    this.#tries = tries;
    this.#breath = breath;
  }

  /** For the first of so many that wait: until as many sites ask as there are callers for. */
  ask(first: Request, waiting: number): void {
    const { entrances } = this.#sites;
    // One who wanted to write has given up, or was expected and has not come.
    if (first.mode === 'shared') this.#sites.settle();
    let asking = 0;
    for (const { phase } of entrances) if (phase === 'asking') asking++;
    for (const entrance of entrances) {
      if (asking >= waiting) return;
      if (entrance.phase !== 'idle') continue;
      if (!this.#mayAskThrough(entrance, first)) return;
      this.#sites.request(entrance, first.mode);
      asking++;
    }
  }

  #mayAskThrough(entrance: Entrance, { how, mode }: Request): boolean {
    const wouldEnter = () => this.#sites.wouldEnter(entrance, mode);
    // Whoever only tries must not leave a place in the line behind, unless it is likely to be served.
    if (how === 'try') return this.#tries.isClear(mode) || wouldEnter();
    if (how === 'steal' || !this.#breath.isDue || !wouldEnter()) return true;
    this.#breath.pause();
    return false;
  }
}
