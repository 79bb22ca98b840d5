/**
 * Runs a trace again, step by step, on the algorithm itself: finds the first step that does not go as it
 * is written, and says whether what the header says went wrong is so at the end.
 */
import type { AnyAlgorithm, AnyWorld } from '../core/algorithm.ts';
import type { Trace } from '../core/formats/native.ts';
import type { TraceStep } from '../core/trace.ts';
import { Cycle } from './replay/cycle.ts';
import { exclusionViolation, violations } from './replay/judgement.ts';
import { type Outcome, Rerun } from './replay/rerun.ts';
import type { StepError } from './steps.ts';

export interface Replayed {
  /** How many steps went as they are written. */
  readonly steps: number;
  readonly divergence: Divergence | null;
  /** The first thing that went wrong, whether the header names it or not. */
  readonly found: (StepError & { readonly step: number }) | null;
  /**
   * Whether what the header says went wrong is so at the last step. Null where it names nothing, or
   * nothing that a run can show, or where the last step was not reached.
   */
  readonly confirmed: boolean | null;
}

export interface Divergence {
  readonly step: number;
  /** Where in the step, as in `sends[1].message.at`; `event` if it cannot happen at all. */
  readonly field: string;
  /** What the trace says … */
  readonly expected: unknown;
  /** … and what the algorithm does. */
  readonly got: unknown;
}

/**
 * Runs a trace again on the algorithm as it is now. So a counterexample that was kept is a test: as long
 * as it is `confirmed`, what it shows is still so.
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

/** Numbers that an algorithm drew are not in the trace: beyond so many tries they are given up. */
const MAX_TRIES = 100_000;

/** The outcome that the trace shows, or how the first that the algorithm would have differs. */
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

/** The first place where two plain values differ. The order of fields means nothing. */
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
