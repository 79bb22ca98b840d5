/** Whether a run has returned to an earlier state, fairly, while a site waited throughout. */
import type { NodeId } from '../../core/algorithm.ts';
import { key } from '../../core/plain.ts';
import type { TraceEvent, TraceStep } from '../../core/trace.ts';
import { next } from './follow.ts';
import { willStart } from './judgement.ts';
import type { Outcome, Rerun } from './rerun.ts';

/** A state of the run, and the step that led to it. */
interface Snapshot {
  readonly state: string;
  readonly waiting: readonly NodeId[];
  /**
   * The obligations that are possible next, and the timers that are set, whether or not they may
   * fire.
   */
  readonly possible: ReadonlySet<string>;
  readonly timers: ReadonlySet<string>;
  /** The names of the step, and of the timers that it set. */
  readonly done: readonly string[];
}

/** The same event at different times has one name: the numbers of messages are left out. */
const nameOf = (site: NodeId, event: TraceEvent): string =>
  key([site, event.event, 'timer' in event && event.timer, 'from' in event && event.from]) +
  ('message' in event ? key(event.message) : '');

const timerName = (site: NodeId, timer: string) => nameOf(site, { event: 'timer', timer });

export class Cycle {
  readonly #rerun: Rerun;
  readonly #snapshots: Snapshot[] = [];

  constructor(rerun: Rerun) {
    this.#rerun = rerun;
    this.#note([]);
  }

  /** Records a step of the run. */
  note(step: TraceStep, { timers }: Outcome): void {
    const { site } = step;
    const set = timers.filter(({ ticks }) => ticks > 0).map(({ name }) => timerName(site, name));
    // A site that releases and re-requests in one step has left.
    const left = step.event === 'rerequest' ? [nameOf(site, { event: 'exit' })] : [];
    this.#note([nameOf(site, step), ...left, ...set]);
  }

  #note(done: readonly string[]): void {
    const { traceState, states, started, timers } = this.#rerun;
    const inFlight = traceState.inFlight().sort((a, b) => traceState.compare(a, b));
    const messages = inFlight.map(({ to, from, message, copies }) => [to, from, message, copies]);
    const { phases, modes } = traceState;
    const isPossible = ({ site, event }: { site: NodeId; event: TraceEvent }) =>
      this.#rerun.objection(site, event) === undefined &&
      (event.event !== 'start' || willStart(this.#rerun, site));
    this.#snapshots.push({
      state: key([states, started, phases, modes, timers.map((set) => [...set].sort()), messages]),
      waiting: traceState.inPhase('waiting'),
      possible: new Set(
        next(this.#rerun)
          .filter(isPossible)
          .map(({ site, event }) => nameOf(site, event)),
      ),
      timers: new Set(timers.flatMap((set, site) => [...set].map((t) => timerName(site, t)))),
      done,
    });
  }

  /** True if the run has returned; `loop` is the first step of the cycle, where it is known. */
  closes(loop: number | undefined): boolean {
    const end = this.#snapshots.length - 1;
    if (loop !== undefined) return loop <= end && this.#closesAt(loop - 1);
    return this.#snapshots.slice(0, end).some((_, begin) => this.#closesAt(begin));
  }

  #closesAt(begin: number): boolean {
    const [first, ...around] = this.#snapshots.slice(begin);
    if (around.at(-1)?.state !== first!.state) return false;
    const all = around.map(({ waiting }) => new Set(waiting));
    if (!first!.waiting.some((site) => all.every((waiting) => waiting.has(site)))) return false;
    const done = new Set(around.flatMap((snapshot) => snapshot.done));
    const everywhere = (among: 'possible' | 'timers') =>
      [...first![among]].filter((duty) => around.every((snapshot) => snapshot[among].has(duty)));
    // A timer that is set throughout need not be able to fire throughout: once is enough.
    const overdue = everywhere('timers').filter((timer) =>
      around.some(({ possible }) => possible.has(timer)),
    );
    return [...everywhere('possible'), ...overdue].every((duty) => done.has(duty));
  }
}
