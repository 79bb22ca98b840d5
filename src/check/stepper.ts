/**
 * Runs an algorithm among its sites without time: at every step, the caller chooses among all possible events.
 * Counterexamples and the figures of papers are stepped and forked with it.
 */
import type { AnyAlgorithm, AnyWorld, Links, Mode, NodeId } from '../core/algorithm.ts';
import { blame, type Reason } from '../core/blame.ts';
import { UsageError } from '../core/errors.ts';
import type { InFlight, Phase } from '../core/formats/trace-state.ts';
import { key } from '../core/plain.ts';
import type { TraceEvent, TraceStep } from '../core/trace.ts';
import { violations } from './replay/judgement.ts';
import { Rerun } from './replay/rerun.ts';
import type { StepError } from './steps.ts';

/** An event that is possible now; where the site draws random numbers, one of its outcomes. */
export type Enabled = TraceEvent & {
  readonly site: NodeId;
  /** The number of the outcome, from 0. There are several only where the site draws random numbers. */
  readonly outcome: number;
  /** True for a fault, which is no step of the algorithm. */
  readonly isFault: boolean;
};

export interface StepperSettings {
  /** Default: the links that the algorithm asks for. */
  readonly links?: Links | undefined;
  /** Lists losses, duplications and crashes among what is enabled. Default false. */
  readonly faults?: boolean | undefined;
}

/** A run without time, at one moment. */
export class Stepper {
  readonly steps: TraceStep[] = [];
  /** The first thing that went wrong. */
  wrong: (StepError & { readonly step: number }) | undefined;
  readonly #rerun: Rerun;
  readonly #hasFaults: boolean;
  readonly #modes: readonly Mode[];

  constructor(algorithm: AnyAlgorithm, world: AnyWorld, settings: StepperSettings = {}) {
    const { links = algorithm.links, faults = false } = settings;
    this.#hasFaults = faults;
    this.#modes = algorithm.modes;
    this.#rerun = new Rerun(algorithm, world, {
      ...{ latchkey: 'trace', version: 1, source: 'check', algorithm: algorithm.id },
      ...{ nodes: world.n, k: world.k, links, topology: '', options: [] },
    });
  }

  get at(): number {
    return this.steps.length;
  }

  get states(): readonly unknown[] {
    return this.#rerun.states;
  }

  get phases(): readonly Phase[] {
    return this.#rerun.traceState.phases;
  }

  underWay(): InFlight[] {
    return this.#rerun.arriving();
  }

  /** All events that are possible now, site by site. */
  enabled(): Enabled[] {
    return this.#candidates().flatMap(({ site, event, isFault }) => {
      if (this.#rerun.objection(site, event) !== undefined) return [];
      const ways = [...this.#rerun.outcomes(site, event)].length;
      return Array.from({ length: ways }, (_, outcome) => ({ ...event, site, outcome, isFault }));
    });
  }

  #candidates(): { site: NodeId; event: TraceEvent; isFault: boolean }[] {
    const { traceState, timers, started, restarts, algorithm, machine } = this.#rerun;
    const all: { site: NodeId; event: TraceEvent; isFault: boolean }[] = [];
    for (let site = 0; site < traceState.phases.length; site++) {
      const add = (event: TraceEvent, isFault = false) => all.push({ site, event, isFault });
      if (!started[site]) add({ event: 'start' });
      for (const { id, from, message } of traceState.inFlightTo(site)) {
        add({ event: 'deliver', id, from, message });
        if (!this.#hasFaults) continue;
        add({ event: 'lose', id, from, message }, true);
        add({ event: 'duplicate', id, from, message }, true);
      }
      const saves = machine.savesByRerequest(this.states[site]);
      for (const mode of this.#modes) {
        add({ event: 'request', mode });
        if (saves) add({ event: 'rerequest', mode });
      }
      add({ event: 'exit' });
      for (const timer of timers[site]!) add({ event: 'timer', timer });
      if (this.#hasFaults) add({ event: 'crash' }, true);
      if (restarts) add({ event: 'restart' });
      if (algorithm.peer === undefined) continue;
      for (const [peer, phase] of traceState.phases.entries()) {
        // A perfect detector reports only real crashes and restarts, and a report may arrive at any time.
        if (peer !== site && phase === 'down') add({ event: 'peer', peer, alive: false });
      }
    }
    return all;
  }

  /** Makes one step. Throws a UsageError with the reason if it is impossible now. */
  take({ site, outcome = 0, ...rest }: TraceEvent & { site: NodeId; outcome?: number }): TraceStep {
    const { isFault: _, ...event } = rest as TraceEvent & { isFault?: boolean };
    const objection = this.#rerun.objection(site, event);
    if (objection !== undefined) throw new UsageError(`step ${this.at + 1}: ${objection}`);
    let way = 0;
    for (const result of this.#rerun.outcomes(site, event)) {
      if (way++ !== outcome) continue;
      const { sends, enters, state, error } = result;
      const number = this.at + 1;
      const step: TraceStep = { ...event, step: number, time: number, site, sends, enters, state };
      this.#rerun.take(step, result);
      this.steps.push(step);
      const wrong = error ?? violations(this.#rerun)[0];
      if (wrong !== undefined) this.wrong ??= { ...wrong, step: number };
      return step;
    }
    throw new UsageError(`step ${this.at + 1}: ${event.event} at ${site} has ${way} outcomes`);
  }

  /** Makes the steps of a trace, up to that many. Each must go as the trace records it. */
  follow(steps: readonly TraceStep[], count = steps.length): void {
    for (const step of steps.slice(0, count)) {
      const { site, sends, enters, state, ...event } = step;
      const sameWay = [...this.#rerun.outcomes(site, event)].findIndex(
        (way) => key([way.sends, way.enters, way.state]) === key([sends, enters, state]),
      );
      this.take({ ...eventOf(step), site, outcome: Math.max(0, sameWay) });
    }
  }

  /** Why that site waits: at least one reason, if it waits. */
  waits(site: NodeId): Reason[] {
    const { algorithm, world, timers, traceState } = this.#rerun;
    const underWay = this.underWay().map(({ id, from, to, message }) => ({
      ...{ id, from, to, message },
      isHeld: false,
    }));
    const down = traceState.inPhase('down').map((j) => `${j} crashed`);
    const lost = this.steps.filter(({ event }) => event === 'lose').length;
    return blame(
      {
        ...{ algorithm, world, states: this.states, phases: this.phases, underWay },
        timers: [...timers[site]!],
        losses: [...down, ...(lost > 0 ? [`${lost} messages were lost`] : [])],
      },
      site,
    );
  }
}

/** The event of a step, without its effects. */
function eventOf(step: TraceStep): TraceEvent {
  const { step: _, time, site, sends, enters, state, draws, timers, forced, ...event } = step;
  return event as TraceEvent;
}
