import type { AnyAlgorithm, AnyWorld, NodeId } from '../core/algorithm.ts';
import { blame, type Reason } from '../core/blame.ts';
import { whatFaultsDid } from './explain.ts';
import type { Violation } from './judge.ts';
import type { UnderWay } from './network.ts';
import { Run } from './run.ts';
import { checkSettings, type Settings } from './settings.ts';
import { type Result, resultOf } from './simulate.ts';

export type Phase = 'idle' | 'waiting' | 'inside' | 'down';
const PHASES: readonly Phase[] = ['idle', 'waiting', 'inside', 'down'];

/** A simulation that stops after any step, to be looked at. */
export interface OpenRun {
  /** How many steps were made: the number of the last one in the trace. */
  readonly at: number;
  /** The simulated time. */
  readonly time: number;
  /** Nothing more will happen. */
  readonly isOver: boolean;
  readonly violation: Violation | undefined;
  /** The states of all sites, as the algorithm keeps them: look, and change nothing. */
  readonly states: readonly unknown[];
  readonly phases: readonly Phase[];
  /** How many tokens each site holds; empty where the algorithm has none. */
  readonly tokens: readonly number[];
  /**
   * Makes so many steps, or as many as there are, and returns how many it made. Losses and duplications come with
   * the step of their message, so that it may be a few more.
   */
  advance(steps: number): number;
  /** The messages under way, in the order of their sending. */
  underWay(): readonly UnderWay[];
  /** The timers that are set, and when each is due. */
  timers(): readonly { readonly site: NodeId; readonly timer: string; readonly due: number }[];
  /** Why a site waits: at least one reason, unless it does not wait. */
  waits(site: NodeId): readonly Reason[];
  /** What the run has measured so far. */
  result(): Result;
}

/**
 * Opens a run that `advance` takes further, step by step: `simulate` makes the same steps. To go back, open the run
 * again and advance to the earlier step: 100,000 steps take about a tenth of a second.
 *
 * @example
 * ```ts
 * import { find } from 'latchkey/algorithms';
 * import { makeWorld, openRun } from 'latchkey/sim';
 *
 * const raymond = find('raymond');
 * const run = openRun(raymond, makeWorld(raymond, { nodes: 7 }), { seed: 3 });
 * run.advance(40);
 * const waiter = run.phases.indexOf('waiting');
 * run.waits(waiter); // [{ kind: 'inside', site: 6, text: '6 is inside, 3 hops away, with the token' }]
 * ```
 */
export function openRun(
  algorithm: AnyAlgorithm,
  world: AnyWorld,
  settings: Settings = {},
): OpenRun {
  const checked = checkSettings(algorithm, world, settings);
  const run = new Run(algorithm, world, checked, settings);
  const { sites } = run;
  const phases = () => Array.from(sites.phase, (phase) => PHASES[phase]!);
  return {
    get at() {
      return run.steps;
    },
    get time() {
      return run.now;
    },
    get isOver() {
      return run.isOver;
    },
    get violation() {
      return run.judge.violation;
    },
    states: sites.states,
    get phases() {
      return phases();
    },
    get tokens() {
      return run.tokens === undefined ? [] : sites.states.map((_, j) => run.tokens!.heldBy(j));
    },
    advance(steps) {
      const before = run.steps;
      run.advance(steps);
      return run.steps - before;
    },
    underWay: () => run.network.underWay(),
    timers: () => run.timers.pending(),
    waits(site) {
      const messages = run.network.underWay().map(({ id, from, to, message, arrives }) => ({
        ...{ id, from, to, message },
        isHeld: arrives === null,
      }));
      const mine = run.timers.pending().filter((timer) => timer.site === site);
      const moment = {
        ...{ algorithm, world, states: sites.states, phases: phases(), underWay: messages },
        timers: mine.map(({ timer }) => timer),
        losses: whatFaultsDid(run),
      };
      return blame(moment, site);
    },
    result: () => resultOf(run, checked.seed, 0),
  };
}
