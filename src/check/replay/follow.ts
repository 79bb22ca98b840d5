/**
 * Drives an algorithm by the schedule of another algorithm's trace: of the printed form, or of a
 * version before a fix. Steps that are not possible are skipped. When the schedule is over,
 * everything that is left runs to its end, so that a deadlock shows.
 */
import type { AnyAlgorithm, AnyWorld, NodeId } from '../../core/algorithm.ts';
import type { Trace } from '../../core/formats/native.ts';
import { isOfMessage } from '../../core/formats/trace-state.ts';
import { key } from '../../core/plain.ts';
import type { TraceEvent, TraceStep } from '../../core/trace.ts';
import type { StepError } from '../steps.ts';
import { violations } from './judgement.ts';
import { Rerun } from './rerun.ts';

export interface Followed {
  /** The steps of the schedule that were possible, then the steps that ran to the end. */
  readonly steps: readonly TraceStep[];
  /** How many of the steps come from the schedule. */
  readonly followed: number;
  readonly wrong: StepError | undefined;
}

/** A protocol that never stops sending has no end. */
const MAX_STEPS = 10_000;

export function follow(
  algorithm: AnyAlgorithm,
  world: AnyWorld,
  { header, steps }: Trace,
): Followed {
  const rerun = new Rerun(algorithm, world, header);
  const taken: TraceStep[] = [];
  let wrong: StepError | undefined;
  const attempt = (site: NodeId, event: TraceEvent): boolean => {
    if (wrong !== undefined || rerun.objection(site, event) !== undefined) return false;
    const outcome = rerun.outcomes(site, event).next().value!;
    const { sends, enters, state, error } = outcome;
    const number = taken.length + 1;
    const step: TraceStep = { ...event, step: number, time: number, site, sends, enters, state };
    rerun.take(step, outcome);
    taken.push(step);
    wrong = error ?? violations(rerun)[0];
    return true;
  };
  for (const { site, ...event } of steps) {
    const ours = isOfMessage(event) ? matching(rerun, site, event) : event;
    if (ours !== undefined) attempt(site, ours);
  }
  const followed = taken.length;
  const goOn = () => next(rerun).some(({ site, event }) => attempt(site, event));
  while (taken.length < MAX_STEPS && goOn());
  return { steps: taken, followed, wrong };
}

type OfMessage = Extract<TraceEvent, { readonly event: 'deliver' | 'lose' | 'duplicate' }>;

/** Our message that matches one of the trace: the same contents, or else the oldest of its type. */
function matching(rerun: Rerun, site: NodeId, theirs: OfMessage): OfMessage | undefined {
  const messages = rerun.traceState
    .inFlightTo(site)
    .filter(({ from, message }) => from === theirs.from && message.type === theirs.message.type);
  const same = messages.find(({ message }) => key(message) === key(theirs.message)) ?? messages[0];
  return same && { event: theirs.event, from: same.from, id: same.id, message: same.message };
}

/** The events that may come next without a request or a fault, messages oldest first. */
export function next({
  traceState,
  timers,
  started,
}: Rerun): { site: NodeId; event: TraceEvent }[] {
  const messages = traceState.inFlight().sort((a, b) => a.id - b.id);
  return [
    ...traceState.inPhase('inside').map((site) => ({ site, event: { event: 'exit' } as const })),
    ...started.flatMap((has, site) => (has ? [] : [{ site, event: { event: 'start' } as const }])),
    ...messages.map(({ to, from, id, message }) => {
      return { site: to, event: { event: 'deliver', from, id, message } as const };
    }),
    ...traceState.inPhase('down').map((site) => ({ site, event: { event: 'restart' } as const })),
    ...timers.flatMap((set, site) =>
      [...set].map((timer) => ({ site, event: { event: 'timer', timer } as const })),
    ),
  ];
}
