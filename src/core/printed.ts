import type { AnyAlgorithm, Links } from './algorithm.ts';

/** A world small enough for the checker, and what is violated in it. */
export interface Shows {
  readonly nodes: number;
  readonly entries: readonly number[];
  readonly links?: Links;
  readonly topology?: string;
  readonly options?: readonly string[];
  readonly crashes?: number;
  readonly violates: string;
}

/**
 * An algorithm as its paper prints it, where ours departs: what the text says, how it is read, and the
 * smallest world in which the checker shows what is wrong with it. All texts are whole sentences.
 */
export interface Printed {
  readonly name: string;
  /** The form of which this is one error alone, where the others would hide it. */
  readonly within?: string;
  /** The words that are run, and where they stand. What is in square brackets is ours. */
  readonly quote: { readonly where: string; readonly text: string };
  /** How these words are read here, and why. */
  readonly reading: string;
  /** What goes wrong, and why. */
  readonly about: string;
  /**
   * The reading that makes the best of the text. `algorithm` is what it gives, to be run in the same
   * world, over other `links` if the reading needs them. Without it, the text allows no better reading.
   */
  readonly charitable: {
    readonly reading: string;
    readonly algorithm?: AnyAlgorithm;
    readonly links?: Links;
  };
  /** Whether the error is known to have been published. */
  readonly published: string;
  /** What ours does instead, and why that is enough. */
  readonly correction: string;
  readonly algorithm: AnyAlgorithm;
  /** The smallest world in which it goes wrong so: with one site or one entry less, it does not. */
  readonly shows: Shows;
  /** Another section that goes wrong for the same reason, in a world of its own. */
  readonly also?: Also;
}

export interface Also {
  readonly quote: { readonly where: string; readonly text: string };
  readonly about: string;
  readonly shows: Shows;
}
