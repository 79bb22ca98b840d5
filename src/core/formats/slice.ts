/**
 * The causes of what went wrong: the steps of a trace that happen before it, in Lamport's sense. What did
 * not happen before could as well not have happened. That is so of something done; of something that is
 * not done, such as an answer that never comes, the causes are everywhere.
 */
import type { NodeId } from '../algorithm.ts';
import type { TraceStep } from '../trace.ts';
import type { Trace } from './native.ts';
import { isOfMessage, TraceState } from './trace-state.ts';

/** The steps that matter, in order; all of them where nothing is said to be wrong, or with everything. */
export function causesOf({ header, steps }: Trace): TraceStep[] {
  const involved = involvedIn({ header, steps });
  if (involved === undefined) return [...steps];
  const matters = new Set<number>(); // places in `steps`
  const sentAt = new Map<number, number>(); // by the number of the message
  const lastOf = new Map<NodeId, number>(); // by site, while going through
  const before: (number | undefined)[] = []; // the step of the same site before
  steps.forEach(({ site, sends }, i) => {
    before.push(lastOf.get(site));
    lastOf.set(site, i);
    for (const { id } of sends) sentAt.set(id, i);
  });
  const todo = [steps.length - 1, ...involved.flatMap((site) => lastOf.get(site) ?? [])];
  for (let i = todo.pop(); i !== undefined; i = todo.pop()) {
    if (matters.has(i)) continue;
    matters.add(i);
    const step = steps[i]!;
    // What a failure detector says comes after what it says it of.
    const crash = step.event === 'peer' ? lastStepOf(steps, step.peer, i) : undefined;
    for (const cause of [before[i], isOfMessage(step) ? sentAt.get(step.id) : undefined, crash]) {
      if (cause !== undefined) todo.push(cause);
    }
  }
  return steps.filter((_, i) => matters.has(i));
}

function lastStepOf(steps: readonly TraceStep[], site: NodeId, before: number): number | undefined {
  for (let i = before - 1; i >= 0; i--) if (steps[i]!.site === site) return i;
  return undefined;
}

/** Whose state it is that is wrong; undefined if that of the whole. */
function involvedIn({ header, steps }: Trace): readonly NodeId[] | undefined {
  const isOfAll = ({ site }: TraceStep) => site < 0; // a partition
  if (steps.length === 0 || steps.some(isOfAll)) return undefined;
  const traceState = new TraceState(header.nodes, header.links);
  for (const step of steps) traceState.apply(step);
  switch (header.violation?.property) {
    case 'mutual-exclusion':
      return traceState.inPhase('inside');
    case 'fcfs':
      return [...traceState.inPhase('inside'), ...traceState.inPhase('waiting')];
    case 'assertion':
    case 'entry-on-request':
      return []; // nobody but who took the last step
    default:
      return undefined;
  }
}
