/**
 * Makes a counterexample as short as leaving steps out can make it: delta debugging. A schedule with
 * holes is still a schedule: what is no longer possible is passed over.
 */

import type { PathStep } from './path.ts';
import { Properties } from './properties.ts';
import type { Choice, Space } from './space.ts';
import type { StepError } from './steps.ts';

/** A schedule that was run: the steps that were possible, up to the first violation if there was one. */
interface Execution {
  readonly path: readonly PathStep[];
  readonly violation: StepError | undefined;
}

/** Runs the choices in order, passing over those that are not possible. */
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

/** The same violation in fewer steps: none of those left can be left out by itself. */
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

/** The first shorter schedule that leaves out `size` steps in a row and still fails in the same way. */
function withoutSome(
  space: Space,
  { path }: Execution,
  size: number,
  property: string,
): Execution | undefined {
  const choices = choicesOf(space, path);
  // From the end: what happened last is what the earlier steps were for.
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
