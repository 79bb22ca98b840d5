/** Which of the possible steps a random schedule takes next. */
import type { NodeId } from '../core/algorithm.ts';
import type { Space } from './space.ts';

type Draw = (below: number) => number;
type Possible = readonly { readonly site: NodeId; readonly event: number }[];

/** Given what is possible, the index of what happens. */
export type Scheduler = (possible: Possible) => number;

/** All alike. */
export const uniform =
  (draw: Draw): Scheduler =>
  (possible) =>
    draw(possible.length);

/**
 * PCT, after Burckhardt, Kothari, Musuvathi and Nagarakatte (2010), for messages: a source of steps is
 * a site's application or a link, each with a random priority. The possible step with the highest one
 * is taken; at depth − 1 random moments it is put last instead. `length` is how long schedules are
 * expected to be.
 */
export function priorities(space: Space, draw: Draw, depth: number, length: number): Scheduler {
  const priority = new Map<string, number>();
  const changes = new Set<number>();
  for (let i = 1; i < depth; i++) changes.add(draw(Math.max(length, 50)));
  let step = 0;
  let last = -1;
  const source = (site: NodeId, event: number): string => {
    const what = space.steps.event(event);
    return 'from' in what ? `${what.from}→${site}` : `${site}`;
  };
  return (possible) => {
    const sources = possible.map(({ site, event }) => source(site, event));
    for (const name of sources) if (!priority.has(name)) priority.set(name, draw(2 ** 30));
    const first = () => {
      const highest = Math.max(...sources.map((name) => priority.get(name)!));
      const ties = sources.flatMap((name, i) => (priority.get(name) === highest ? [i] : []));
      return ties[draw(ties.length)]!;
    };
    let chosen = first();
    if (changes.has(step++)) {
      priority.set(sources[chosen]!, last--);
      chosen = first();
    }
    return chosen;
  };
}
