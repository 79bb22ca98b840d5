/** What a search needs of a state space of the service. A state is a row of integers, with a process for each member first. */
import type { StepError } from '../steps.ts';
import type { Facts } from './facts.ts';
import type { Outcome, ServiceEvent } from './processes.ts';

/** An event at a member, by number. */
export interface Step {
  readonly site: number;
  readonly event: number;
}

export interface SearchSpace {
  readonly members: number;
  readonly width: number;
  /** The names of the properties. */
  readonly properties: readonly string[];
  /** Whether the lock's algorithm has readers. */
  readonly canShare: boolean;
  /** A random schedule ends after this many steps, if it has no end of its own. */
  readonly longest: number;
  initial(): Int32Array;
  /** Calls `found` for each step of `state`, with its successor in `into`, until it answers false. */
  successors(
    state: Int32Array,
    into: Int32Array,
    found: (site: number, event: number, error: StepError | undefined) => boolean,
  ): void;
  /** What is wrong with a state. */
  judge(state: Int32Array): StepError | undefined;
  event(id: number): ServiceEvent;
  outcomeAt(
    state: Int32Array,
    site: number,
    event: number,
  ): Pick<Outcome, 'sends' | 'grants' | 'local'>;
  facts(local: number): Facts;
  /** Whether a step can be part of a cycle: all others use up a request or a fault, of which there are few. */
  canRecur(event: number): boolean;
  /** Whether the step is taken sooner or later if it stays possible. */
  isObligation(event: number): boolean;
}
