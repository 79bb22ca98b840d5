/**
 * Drives an algorithm by the schedule of a trace that is another's: the printed form's, or its own before
 * it was mended. What is not possible is passed over; what is left when the schedule is over is finished,
 * so that a deadlock shows.
 */
import type { AnyAlgorithm, AnyWorld, NodeId } from '../../core/algorithm.ts';
import type { Trace } from '../../core/formats/native.ts';
import { isOfMessage } from '../../core/formats/onlooker.ts';
import { key } from '../../core/plain.ts';
import type { TraceEvent, TraceStep } from '../../core/trace.ts';
import type { StepError } from '../steps.ts';
import { wrongs } from './judgement.ts';
import { Rerun } from './rerun.ts';

export interface Followed {
  /** The steps that were possible, then those that finished what was left. */
  readonly steps: readonly TraceStep[];
  /** How many of them are the trace's. */
  readonly followed: number;
  readonly wrong: StepError | undefined;
}

/** A protocol that never falls silent has no end. */
const LONGEST = 10_000;

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
    wrong = error ?? wrongs(rerun)[0];
    return true;
  };
  for (const { site, ...event } of steps) {
    const ours = isOfMessage(event) ? likeIt(rerun, site, event) : event;
    if (ours !== undefined) attempt(site, ours);
  }
  const followed = taken.length;
  const goOn = () => next(rerun).some(({ site, event }) => attempt(site, event));
  while (taken.length < LONGEST && goOn());
  return { steps: taken, followed, wrong };
}

type OfMessage = Extract<TraceEvent, { readonly event: 'deliver' | 'lose' | 'duplicate' }>;

/** The same of our messages: one with the same contents, or else the oldest of its type. */
function likeIt(rerun: Rerun, site: NodeId, theirs: OfMessage): OfMessage | undefined {
  const letters = rerun.onlooker
    .lettersTo(site)
    .filter(({ from, message }) => from === theirs.from && message.type === theirs.message.type);
  const same = letters.find(({ message }) => key(message) === key(theirs.message)) ?? letters[0];
  return same && { event: theirs.event, from: same.from, id: same.id, message: same.message };
}

/** What may come next by itself, messages oldest first: nobody asks any more, and nothing fails. */
export function next({ onlooker, timers, started }: Rerun): { site: NodeId; event: TraceEvent }[] {
  const letters = onlooker.underWay().sort((a, b) => a.id - b.id);
  return [
    ...onlooker.inPhase('inside').map((site) => ({ site, event: { event: 'exit' } as const })),
    ...started.flatMap((has, site) => (has ? [] : [{ site, event: { event: 'start' } as const }])),
    ...letters.map(({ to, from, id, message }) => {
      return { site: to, event: { event: 'deliver', from, id, message } as const };
    }),
    ...onlooker.inPhase('down').map((site) => ({ site, event: { event: 'restart' } as const })),
    ...timers.flatMap((set, site) =>
      [...set].map((timer) => ({ site, event: { event: 'timer', timer } as const })),
    ),
  ];
}
