/** What a paper says, in its order and its words, and what became of each sentence here. */
import type { Reading } from './row.ts';

/**
 * A claim in the paper's own words, verbatim but for white space and hyphens at the ends of lines; … stands
 * for words that are left out. It has rows, by what was run for them; or it says what others say whose rows
 * it names, by their whole ids; or it has the reason why it is not run.
 */
export type Sentence = { readonly quote: string } & (
  | { readonly [R in Reading]?: readonly string[] }
  | { readonly see: readonly string[] }
  | { readonly notRun: string }
);

export interface Section {
  /** As the paper numbers it: "5.1 Heavy demand". */
  readonly title: string;
  readonly sentences: readonly Sentence[];
}
