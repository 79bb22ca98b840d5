/**
 * The causes of a violation: the steps of a trace that happen before it, in Lamport's sense. A step
 * that did not happen before it has no influence on it. This is true of an action; the causes of a
 * missing action, such as an answer that never comes, are everywhere.
 */
import type { NodeId } from '../algorithm.ts';
import type { TraceStep } from '../trace.ts';
import type { Trace } from './native.ts';
import { isOfMessage, TraceState } from './trace-state.ts';

/**
 * The steps that led to the violation, in order; all steps where there is none, or where it
 * concerns the whole system.
 */
export function causesOf({ header, steps }: Trace): TraceStep[] {
  const involved = involvedIn({ header, steps });
  if (involved === undefined) return [...steps];
  const matters = new Set<number>(); // indices of `steps`
  const sentAt = new Map<number, number>(); // by the number of the message
  const lastOf = new Map<NodeId, number>(); // by site, up to the current step
  const before: (number | undefined)[] = []; // the previous step of the same site
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
    // The report of a failure detector comes after the crash or restart that it reports.
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

/** The sites whose states violate the property; undefined if it concerns the whole system. */
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
      return []; // only the site that took the last step
    default:
      return undefined;
  }
}
