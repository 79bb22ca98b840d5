/**
 * Shortens a counterexample by leaving steps out: delta debugging. A schedule with gaps is still a
 * schedule, because steps that are no longer possible are skipped.
 */

import type { PathStep } from './path.ts';
import { Properties } from './properties.ts';
import type { Choice, Space } from './space.ts';
import type { StepError } from './steps.ts';

/** A schedule that was executed: the steps that were possible, up to the first violation. */
interface Execution {
  readonly path: readonly PathStep[];
  readonly violation: StepError | undefined;
}

/** Executes the choices in order, and skips those that are not possible. */
function execute(space: Space, choices: readonly Choice[]): Execution {
  const properties = new Properties(space);
  const path: PathStep[] = [];
  let before = space.initial();
  for (const choice of choices) {
    const after = new Int32Array(space.width);
    const error = space.take(choice, before, after);
    if (error === undefined) continue;
    path.push({ site: choice.site, event: choice.event, before, after });
    const violation = error === -1 ? properties.judge(after) : space.errors[error];
    if (violation !== undefined) return { path, violation };
    before = after;
  }
  return { path, violation: undefined };
}

/** The same violation in fewer steps. No single step of the result can be left out. */
export function shrink(space: Space, path: readonly PathStep[], property: string): Execution {
  let best = execute(space, choicesOf(space, path));
  for (let size = Math.ceil(best.path.length / 2); size >= 1; ) {
    const shorter = withoutSome(space, best, size, property);
    if (shorter !== undefined) {
      best = shorter;
      size = Math.min(size, Math.ceil(best.path.length / 2));
    } else {
      size = size === 1 ? 0 : Math.ceil(size / 2);
    }
  }
  return best;
}

/**
 * The first shorter schedule that omits `size` consecutive steps and still violates the same
 * property.
 */
function withoutSome(
  space: Space,
  { path }: Execution,
  size: number,
  property: string,
): Execution | undefined {
  const choices = choicesOf(space, path);
  // From the end, because earlier steps prepare later ones.
  for (let at = choices.length - size; at > -size; at -= size) {
    const rest = choices.toSpliced(Math.max(0, at), size + Math.min(0, at));
    const executed = execute(space, rest);
    if (executed.violation?.property === property && executed.path.length < path.length)
      return executed;
  }
  return undefined;
}

function choicesOf(space: Space, path: readonly PathStep[]): Choice[] {
  return path.map(({ site, event, before, after }) => ({
    site,
    event,
    outcome: space.outcomeOf(site, event, before, after),
  }));
}
