/** Relative consensus voting: where a request roams. */
import type { NodeId, Site } from '../../core/algorithm.ts';
import type { Messages } from '../../core/message.ts';
import { choice, type OptionDeclarations } from '../../core/option.ts';

export const options = {
  routing: choice(
    'where a request roams next: to the next site it has not visited, or to any such',
    ['cyclic', 'random'],
  ),
} as const satisfies OptionDeclarations;

/** One of the sites that a request has not visited, if any are left. */
export function route(
  site: Site<Messages, 'complete', typeof options>,
  unvisited: readonly boolean[],
): NodeId | undefined {
  const left = site.others.filter((j) => unvisited[j]);
  const isRandom = site.options.routing === 'random' && left.length > 0;
  return isRandom ? left[site.random(left.length)] : (left.find((j) => j > site.me) ?? left[0]);
}
