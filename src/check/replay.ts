/**
 * Runs a trace again, step by step, on the algorithm itself. It finds the first step that differs
 * from the trace, and checks whether the violation in the header is there at the end.
 */
import type { AnyAlgorithm, AnyWorld } from '../core/algorithm.ts';
import type { Trace } from '../core/formats/native.ts';
import type { TraceStep } from '../core/trace.ts';
import { Cycle } from './replay/cycle.ts';
import { exclusionViolation, violations } from './replay/judgement.ts';
import { type Outcome, Rerun } from './replay/rerun.ts';
import type { StepError } from './steps.ts';

export interface Replayed {
  /** How many steps went as the trace records them. */
  readonly steps: number;
  readonly divergence: Divergence | null;
  /** The first violation, whether or not the header names it. */
  readonly found: (StepError & { readonly step: number }) | null;
  /**
   * Whether the violation in the header is there at the last step. Null where the header names
   * none, or none that a run can show, or where the run did not reach the last step.
   */
  readonly confirmed: boolean | null;
}

export interface Divergence {
  readonly step: number;
  /** The path to the field, such as `sends[1].message.at`; `event` if the event is impossible. */
  readonly field: string;
  /** The value in the trace … */
  readonly expected: unknown;
  /** … and the value that the algorithm produces. */
  readonly got: unknown;
}

/**
 * Runs a trace again on the algorithm as it is now. A counterexample that was kept is therefore a
 * test: while it is `confirmed`, the violation is still there.
 *
 * @example
 * ```ts
 * import { readFileSync } from 'node:fs';
 * import { find } from 'latchkey/algorithms';
 * import { makeWorld, parseTrace, replay } from 'latchkey/check';
 *
 * const trace = parseTrace(readFileSync('lamport.jsonl', 'utf8'));
 * const lamport = find(trace.header.algorithm);
 * const { confirmed, divergence } = replay(lamport, makeWorld(lamport, { nodes: 2 }), trace);
 * ```
 */
export function replay(algorithm: AnyAlgorithm, world: AnyWorld, trace: Trace): Replayed {
  const { header, steps } = trace;
  const rerun = new Rerun(algorithm, world, header);
  const claimed = header.violation?.property;
  const cycle = claimed === 'starvation-freedom' ? new Cycle(rerun) : undefined;
  let found: Replayed['found'] = null;
  let error: StepError | undefined;
  for (const [done, step] of steps.entries()) {
    const way = wayOf(rerun, step);
    if ('field' in way) {
      return { steps: done, divergence: { step: step.step, ...way }, found, confirmed: null };
    }
    rerun.take(step, way);
    cycle?.note(step, way);
    error = way.error;
    const wrong = error ?? (step.enters ? exclusionViolation(rerun) : undefined);
    if (wrong !== undefined) found ??= { step: step.step, ...wrong };
  }
  const atEnd = [...(error ? [error] : []), ...violations(rerun)];
  if (atEnd[0] !== undefined) found ??= { step: steps.length, ...atEnd[0] };
  const isThere = cycle?.closes(header.loop) ?? atEnd.some(({ property }) => property === claimed);
  const canShow = claimed !== undefined && !claimed.startsWith('sometimes');
  return { steps: steps.length, divergence: null, found, confirmed: canShow ? isThere : null };
}

/**
 * A trace does not record the random numbers that an algorithm drew. After this many combinations
 * the replay gives up.
 */
const MAX_TRIES = 100_000;

/** The outcome that the trace records, or how the first possible outcome differs from it. */
function wayOf(rerun: Rerun, step: TraceStep): Outcome | Omit<Divergence, 'step'> {
  const objection = rerun.objection(step.site, step);
  if (objection !== undefined) return { field: 'event', expected: step.event, got: objection };
  let first: Omit<Divergence, 'step'> | undefined;
  let tries = 0;
  for (const outcome of rerun.outcomes(step.site, step)) {
    const different =
      difference('sends', step.sends, outcome.sends) ??
      difference('enters', step.enters, outcome.enters) ??
      difference('state', step.state, outcome.state);
    if (different === undefined) return outcome;
    first ??= different;
    if (++tries === MAX_TRIES) break;
  }
  return first!;
}

/** The first field in which two plain values differ. The order of fields does not matter. */
function difference(
  field: string,
  expected: unknown,
  got: unknown,
): Omit<Divergence, 'step'> | undefined {
  if (expected === got) return undefined;
  if (Array.isArray(expected) !== Array.isArray(got) || !isNested(expected) || !isNested(got)) {
    return { field, expected, got };
  }
  for (const name of Object.keys({ ...expected, ...got })) {
    const inner = Array.isArray(expected) ? `${field}[${name}]` : `${field}.${name}`;
    const deeper = difference(inner, expected[name], got[name]);
    if (deeper !== undefined) return deeper;
  }
  return undefined;
}

const isNested = (value: unknown): value is { readonly [field: string]: unknown } =>
  typeof value === 'object' && value !== null;
