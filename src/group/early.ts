import type { Control } from './messages.ts';

type OfAView = Control & { readonly epoch: number };
interface Kept {
  readonly from: string;
  readonly message: OfAView;
}

/** More than anyone has to say about a view that we have not heard of yet. */
const MOST = 100_000;

/** What members say about a view that they know of before we do. */
export class Early {
  #kept: Kept[] = [];

  /** Throws if there is no room: a view of which we know only a part must not begin. */
  keep(from: string, message: OfAView): void {
    if (this.#kept.length === MOST) throw new Error('of a view to come more is said than is kept');
    this.#kept.push({ from, message });
  }

  /** Its process is gone, and its words with it. */
  forget(member: string): void {
    this.#kept = this.#kept.filter(({ from }) => from !== member);
  }

  /** The view is here: what was said of it, in order. */
  take(epoch: number): readonly Kept[] {
    const due = this.#kept.filter(({ message }) => message.epoch === epoch);
    this.#kept = this.#kept.filter(({ message }) => message.epoch > epoch);
    return due;
  }
}
