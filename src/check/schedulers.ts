/** Schedulers: which of the possible steps a random schedule takes next. */
import type { NodeId } from '../core/algorithm.ts';
import type { Space } from './space.ts';

/** A whole number from 0 to below − 1. */
export type Draw = (below: number) => number;

/**
 * An event that may happen next. `isFault` is true for a fault that the settings allow, not for its
 * consequences.
 */
export interface PossibleEvent {
  readonly site: NodeId;
  readonly event: number;
  readonly isFault: boolean;
}
type Possible = readonly PossibleEvent[];

/** Given the possible events, the index of the one that happens; −1 ends the schedule. */
export type Scheduler = (possible: Possible) => number;

/** All possible events are equally likely. */
export const uniform =
  (draw: Draw): Scheduler =>
  (possible) =>
    draw(possible.length);

/**
 * PCT, after Burckhardt, Kothari, Musuvathi and Nagarakatte (2010), for messages. A source of steps
 * is a site's application or a link, and has a random priority. The possible step with the highest
 * priority is taken. At depth − 1 random steps its source gets the lowest priority instead.
 * `length` is the expected length of a schedule.
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

/**
 * Schedules faults. If faults were drawn like other steps, nearly all of them would come at the
 * very beginning. Each schedule therefore draws its own faults, from none to as many as are
 * allowed: their kinds, sites and times. Another scheduler chooses all other steps. Schedules with
 * few kinds of faults find errors that schedules with all kinds hide (swarm testing: Groce, Zhang,
 * Eide, Chen and Regehr, 2012).
 */
export function swarm(space: Space, draw: Draw, length: number, next: Scheduler): Scheduler {
  const { crashes, losses, duplications } = space.settings;
  const allowed = { crash: crashes, lose: losses, duplicate: duplications };
  const planned: { kind: string; from: number }[] = [];
  for (const [kind, most] of Object.entries(allowed)) {
    for (let i = draw(most + 1); i > 0; i--) planned.push({ kind, from: draw(length) });
  }
  const spared = space.settings.entries.map(() => draw(2) === 0);
  if (spared.every(Boolean)) spared.fill(false);
  let step = 0;
  return (possible) => {
    const like = (kind: string) =>
      possible.filter(
        ({ site, event, isFault }) =>
          isFault && !spared[site] && space.steps.event(event).kind === kind,
      );
    const at = step++;
    const due = planned.findIndex(({ kind, from }) => from <= at && like(kind).length > 0);
    if (due >= 0) {
      const faults = like(planned.splice(due, 1)[0]!.kind);
      return possible.indexOf(faults[draw(faults.length)]!);
    }
    const others = possible.filter(({ isFault }) => !isFault);
    return others.length === 0 ? -1 : possible.indexOf(others[next(others)]!);
  };
}
