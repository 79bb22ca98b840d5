/**
 * The order of requests: by sequence number, then site, with its bounding (section 6.4), its
 * increments (6.5), its readers (6.6) and its names of sites (7.1). All forms but one share it.
 */
import type { Mode, NodeId, World } from '../../core/algorithm.ts';
import type { Options } from './options.ts';

/** What a site knows of sequence numbers. */
export type Numbers = {
  requesting: boolean; //   Requesting_Critical_Section: from request to release, the stay included
  mode: Mode; //            of our request; exclusive while we have none
  ours: number; //          Our_Sequence_Number
  highest: number; //       Highest_Sequence_Number seen in any REQUEST, our own included
  readersOnly: boolean; //  with `bounded`: whether all that we know to have the highest are readers
};

export const noNumbers = (): Numbers => ({
  requesting: false,
  mode: 'exclusive',
  ours: 0,
  highest: 0,
  readersOnly: false,
});

type Known = Pick<World<'complete', Options>, 'n' | 'options'>;
type Me = Known & { readonly me: NodeId };

/** Takes a number for a new request, higher than all seen. */
export function takeNumber(
  my: Numbers,
  site: Me & { random(below: number): number },
  mode: Mode,
): void {
  const { bounded } = site.options;
  const increment = incrementOf(site);
  my.requesting = true;
  my.mode = mode;
  let step = 1;
  if (increment === 'random') step += site.random(site.n);
  if (increment === 'priority') step += site.me; // site 0 has the highest
  if (bounded && my.readersOnly && mode === 'shared') step = 0;
  // The paper's code does not count our own number as seen, though its comment does. It matters with
  // `bounded` (`printed/ricart-agrawala.ts`), and to newcomers.
  my.ours = bounded ? (my.highest + step) % modulus(site) : my.highest + step;
  see(my, site, my.ours, mode);
}

/** Keeps the highest number seen. */
export function see(my: Numbers, site: Known, seq: number, mode: Mode): void {
  const later = lead(seq, my.highest, site);
  if (later > 0) my.highest = seq;
  if (site.options.bounded && later >= 0) {
    my.readersOnly = mode === 'shared' && (later > 0 || my.readersOnly);
  }
}

/** Our request is over. */
export function dropNumber(my: Numbers): void {
  my.requesting = false;
  my.mode = 'exclusive';
}

/**
 * Defer_it: whether our request comes before the other's, and must. Readers never defer readers.
 *
 * Not so with `bounded`, whose residues compare only while no site enters before a lower number: one
 * slow reader would see the others' numbers go round. So there a reader waits for lower numbers, and
 * takes for itself the number of the readers it knows of.
 */
export function defers(my: Numbers, site: Me, from: NodeId, seq: number, mode: Mode): boolean {
  if (!my.requesting) return false;
  const later = lead(seq, my.ours, site);
  if (my.mode === 'shared' && mode === 'shared') return site.options.bounded && later > 0;
  return later > 0 || (later === 0 && nameOf(site.me, site) < nameOf(from, site));
}

/**
 * NAMES, with `names`: the numbers by which equal sequence numbers are ordered come from a larger range than
 * 1 … N, and in another order than the sites' places in the table.
 */
export const nameOf = (j: NodeId, { n, options: { names } }: Known): number =>
  names ? 1000 * (n - j) : j;

/** How numbers grow, if not by one. */
const incrementOf = ({ options }: Known) =>
  options.increment ?? (options['delay-acting'] ? 'priority' : undefined);

/**
 * How much higher a is than b. With `bounded` they are residues, and all that meet are so close
 * together that the shorter way round is the right one.
 */
function lead(a: number, b: number, site: Known): number {
  const difference = a - b;
  if (!site.options.bounded) return difference;
  if (difference > range(site)) return difference - modulus(site);
  if (difference < -range(site)) return difference + modulus(site);
  return difference;
}

/** No two numbers that meet are further apart: each of N sites took one step above another's. */
const range = (site: Known): number =>
  (site.n - 1) * (incrementOf(site) === undefined ? 1 : site.n);
/** The paper's M ≥ 2N−1: the fewest residues in which such numbers compare. */
const modulus = (site: Known): number => 2 * range(site) + 1;
