/**
 * Judges a state by rules that are written independently of the checker's, so that a counterexample
 * does not depend on the checker alone. The properties have the checker's names.
 */
import type { NodeId } from '../../core/algorithm.ts';
import type { InFlight } from '../../core/formats/trace-state.ts';
import { listed } from '../../core/formats/words.ts';
import { key } from '../../core/plain.ts';
import type { StepError } from '../steps.ts';
import type { Rerun } from './rerun.ts';

/** Every violation in the current state. */
export function violations(rerun: Rerun): StepError[] {
  return [
    exclusionViolation(rerun),
    tokenViolation(rerun),
    orderViolation(rerun),
    deadlockViolation(rerun),
    ...invariantViolations(rerun),
  ].filter((wrong) => wrong !== undefined);
}

/** More sites are inside than allowed. */
export function exclusionViolation({ traceState, world }: Rerun): StepError | undefined {
  const inside = traceState.inPhase('inside');
  const writers = inside.filter((site) => traceState.modes[site] === 'exclusive');
  if (writers.length <= world.k && (writers.length === 0 || writers.length === inside.length)) {
    return undefined;
  }
  const limit = world.k > 1 ? `, and k is ${world.k}` : '';
  return {
    property: 'mutual-exclusion',
    why: `${listed(inside)} are inside at once${limit}`,
  };
}

function tokenViolation(rerun: Rerun): StepError | undefined {
  const { algorithm, traceState, world, states } = rerun;
  const { tokens } = algorithm;
  if (tokens === undefined || rerun.hadFaults) return undefined;
  let count = 0;
  for (const [site, my] of states.entries()) count += tokens.held(my, siteOf(rerun, site));
  for (const { message, copies } of traceState.inFlight()) {
    if (tokens.carriers.includes(message.type)) count += copies;
  }
  if (count === (algorithm.k ? world.k : 1)) return undefined;
  const why = count === 0 ? 'there is no token any more' : `there are ${count} tokens`;
  return { property: 'token-uniqueness', why };
}

function orderViolation(rerun: Rerun): StepError | undefined {
  const { algorithm, traceState, states } = rerun;
  const { ticket } = algorithm.claims;
  if (ticket === undefined) return undefined;
  const ticketOf = (site: NodeId) => ticket(states[site], siteOf(rerun, site));
  for (const waiter of traceState.inPhase('waiting')) {
    for (const holder of traceState.inPhase('inside')) {
      const modes = [waiter, holder].map((site) => traceState.modes[site]);
      if (!modes.includes('exclusive')) continue; // two readers do not exclude each other
      const [theirs, its] = [ticketOf(waiter), ticketOf(holder)];
      const first = theirs.findIndex((part, i) => part !== its[i]);
      if (first >= 0 && theirs[first]! < its[first]!) {
        return {
          property: 'fcfs',
          why: `${holder} is inside, and ${waiter}, which waits, asked before`,
        };
      }
    }
  }
  return undefined;
}

function deadlockViolation(rerun: Rerun): StepError | undefined {
  const { traceState, timers, started, restarts } = rerun;
  const waiting = traceState.inPhase('waiting');
  const goesOn =
    traceState.phases.includes('inside') ||
    (restarts && traceState.phases.includes('down')) ||
    timers.some((set) => set.size > 0) ||
    started.some((has, site) => !has && willStart(rerun, site)) ||
    rerun.arriving().length > 0;
  if (waiting.length === 0 || goesOn) return undefined;
  const sites = `${listed(waiting)} ${waiting.length === 1 ? 'waits' : 'wait'}`;
  return {
    property: 'deadlock-freedom',
    why: `${sites}; no site is inside and nothing is under way`,
  };
}

/** Whether a site has not started yet, and its start would have an effect. */
export function willStart(rerun: Rerun, site: NodeId): boolean {
  const event = { event: 'start' } as const;
  if (rerun.objection(site, event) !== undefined) return false;
  const { sends, enters, timers, my } = rerun.outcomes(site, event).next().value!;
  return sends.length + timers.length > 0 || enters || key(my) !== key(rerun.states[site]);
}

/** The invariants of the paper that do not hold. */
function invariantViolations({ algorithm, traceState, world, states }: Rerun): StepError[] {
  const global = {
    sites: states,
    inside: traceState.phases.map((phase) => phase === 'inside'),
    up: traceState.phases.map((phase) => phase !== 'down'),
    inFlight: traceState.inFlight().flatMap((sent) => Array<InFlight>(sent.copies).fill(sent)),
  };
  return Object.entries(algorithm.invariants ?? {})
    .filter(([, holds]) => !holds(global, world))
    .map(([claim]) => ({ property: claim, why: `it is not true that ${claim}` }));
}

function siteOf({ machine }: Rerun, site: NodeId) {
  machine.site.begin(site);
  return machine.site;
}
