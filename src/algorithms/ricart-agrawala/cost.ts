/** What each form of Ricart and Agrawala's algorithm costs. */
import type { World } from '../../core/algorithm.ts';
import { hasMembership, type Options } from './options.ts';

/** In messages per entry; when it is light, the least of it, but for REPLYs that no sites share. */
export function cost(world: World<'complete', Options>, load: 'light' | 'any') {
  const { n, options } = world;
  const between = (least: number, most: number) => ({
    least,
    most: load === 'light' ? least : most,
  });
  const asking = options.broadcast ? 1 : n - 1;
  if (options['broadcast-sequenced']) return between(2, 2);
  if (n === 1) return between(0, 0);
  if (options.ring) return between(n, n);
  if (options['ring-marked']) return between(n, 2 * n - 1);
  if (options['broadcast-replies']) return load === 'light' ? between(n, n) : between(2, n);
  if (options['implicit-reply']) return between(asking, asking + 2 * (n - 1));
  if (!hasMembership(world)) return between(asking + n - 1, asking + n - 1);
  // To join, to find a number, to ask and to leave; and probes, as long as a site stays.
  // A sponsor must be found, asks all, tells all and answers.
  const telling = options['join-broadcast'] ? 1 : n - 1;
  const joining = options.sponsor ? 6 * (n - 1) + 1 : telling + n - 1;
  return { least: 0, most: load === 'light' ? joining + 6 * (n - 1) : Number.POSITIVE_INFINITY };
}
