/** Runs an algorithm among its sites, one given step at a time. */
import type { AnyAlgorithm, AnyWorld, NodeId } from '../../core/algorithm.ts';
import { InvariantViolation } from '../../core/assert.ts';
import { type InFlight, TraceState } from '../../core/formats/trace-state.ts';
import { Machine } from '../../core/machine.ts';
import { clone } from '../../core/plain.ts';
import type { TraceEvent, TraceHeader, TraceSend, TraceStep } from '../../core/trace.ts';
import { Choices } from '../choices.ts';
import type { StepError } from '../steps.ts';

/** The outcome of an event at a site. */
export interface Outcome {
  readonly sends: readonly TraceSend[];
  readonly enters: boolean;
  /**
   * The state as a trace shows it. The simulator's trace shows no state for a site that is down.
   */
  readonly state: unknown;
  readonly my: unknown;
  readonly timers: readonly { readonly name: string; readonly ticks: number }[];
  readonly error: StepError | undefined;
}

export class Rerun {
  readonly algorithm: AnyAlgorithm;
  readonly world: AnyWorld;
  readonly machine: Machine;
  readonly traceState: TraceState;
  readonly states: unknown[];
  readonly timers: Set<string>[];
  readonly started: boolean[];
  /** Whether a site that is down may restart. */
  readonly restarts: boolean;
  /** True after a loss, a duplication or a crash: tokens may be lost. */
  hadFaults = false;
  readonly #simulated: boolean;
  #sent = 0;
  readonly #choices = new Choices();

  constructor(algorithm: AnyAlgorithm, world: AnyWorld, header: TraceHeader) {
    const sites = Array.from({ length: world.n }, (_, site) => site);
    this.algorithm = algorithm;
    this.world = world;
    this.machine = new Machine(algorithm, world, (below) => this.#choices.draw(below));
    this.traceState = new TraceState(world.n, header.links);
    this.states = sites.map((site) => this.machine.init(site));
    this.timers = sites.map(() => new Set());
    this.started = sites.map(() => !this.machine.hasStart);
    this.restarts = this.machine.canRestart;
    this.#simulated = header.source === 'simulate';
  }

  /** The messages that may still arrive. None arrives at a site that is down for good. */
  arriving(): InFlight[] {
    const isLost = ({ to }: InFlight) => this.traceState.phases[to] === 'down' && !this.restarts;
    return this.traceState.inFlight().filter((sent) => !isLost(sent));
  }

  /** Why this event is impossible now, if it is. */
  objection(site: NodeId, event: TraceEvent): string | undefined {
    const { start, peer, modes, id } = this.algorithm;
    if ('mode' in event && !modes.includes(event.mode)) return `${id} has no ${event.mode} mode`;
    switch (event.event) {
      case 'start':
        if (start === undefined) return `${id} has nothing to start`;
        if (this.started[site]) return `site ${site} has started already`;
        break;
      case 'restart':
        if (!this.restarts) return `${id} cannot restart`;
        break;
      case 'peer':
        if (peer === undefined) return `${id} listens to no failure detector`;
        break;
      case 'downgrade':
        if (!this.machine.canDowngrade) return `${id} cannot downgrade to reading`;
        if (this.traceState.modes[site] === 'shared') return `site ${site} waits to read already`;
        break;
      case 'rerequest':
        if (!this.machine.savesByRerequest(this.states[site]))
          return `${id} would save nothing by it`;
        break;
      case 'timer':
        return this.#tooEarly(site, event.timer) ?? this.traceState.objection(site, event);
    }
    return this.traceState.objection(site, event);
  }

  #tooEarly(site: NodeId, timer: string): string | undefined {
    if (!this.timers[site]!.has(timer)) return `the timer ${timer} of site ${site} is not set`;
    const { fires } = this.algorithm.timers![timer]!;
    if (fires === 'anytime') return undefined;
    const concerns = ({ from, to }: InFlight) => fires === 'quiet' || from === site || to === site;
    const late = this.arriving().find(concerns);
    return late && `the timer ${timer} outlasts message ${late.id}, which is under way`;
  }

  /**
   * The possible outcomes of the event. There are several only where the algorithm draws random
   * numbers, which a trace does not show. Each outcome is valid until the next is requested.
   */
  outcomes(site: NodeId, event: TraceEvent): Generator<Outcome> {
    return this.#choices.each(() => this.#outcome(site, event));
  }

  #outcome(site: NodeId, event: TraceEvent): Outcome {
    const effects = this.machine.site;
    const phase = this.traceState.phases[site];
    effects.begin(site);
    const my = clone(this.states[site]);
    let after = my;
    let error: StepError | undefined;
    try {
      if (event.event === 'crash') after = this.machine.afterCrash(site, my);
      else this.#perform(site, my, event);
    } catch (thrown) {
      if (!(thrown instanceof InvariantViolation)) throw thrown;
      error = { property: 'assertion', why: `site ${site} finds it untrue that ${thrown.message}` };
    }
    const { entered } = effects;
    const asks = event.event === 'request' || event.event === 'rerequest';
    if (entered && phase !== 'waiting' && !asks) {
      error ??= { property: 'entry-on-request', why: `site ${site} goes in without having asked` };
    }
    // In the simulator a site whose step failed sends nothing.
    const isVoid = this.#simulated && error?.property === 'assertion';
    const messages = effects.messages.slice(0, isVoid ? 0 : effects.sends);
    const isDown = event.event === 'crash' || (phase === 'down' && event.event !== 'restart');
    return {
      sends: messages.map((message, i) => ({
        id: this.#sent + i + 1,
        to: effects.to[i]!,
        message: clone(message),
      })),
      // In a trace of the checker a site enters only if it was not inside before.
      enters: entered && !isVoid && (this.#simulated || phase !== 'inside' || asks),
      state: site < 0 || (isDown && this.#simulated) ? null : after,
      my: after,
      timers: [...effects.timers],
      error,
    };
  }

  #perform(site: NodeId, my: unknown, event: TraceEvent): void {
    const { machine } = this;
    if (event.event === 'start') machine.start(site, my);
    else if (event.event === 'request') machine.request(site, my, event.mode);
    else if (event.event === 'rerequest') machine.rerequest(site, my, event.mode);
    else if (event.event === 'downgrade') machine.downgrade(site, my);
    else if (event.event === 'exit') machine.release(site, my);
    else if (event.event === 'deliver') machine.receive(site, my, event.from, event.message);
    else if (event.event === 'timer') machine.expire(site, my, event.timer);
    else if (event.event === 'peer') machine.peer(site, my, event.peer, event.alive);
    else if (event.event === 'restart') machine.restart(site, my);
  }

  /** Records that the step had this outcome. */
  take(step: TraceStep, { my, timers }: Outcome): void {
    const { site, event } = step;
    this.traceState.apply(step);
    this.#sent += step.sends.length;
    if (event === 'crash' || event === 'lose' || event === 'duplicate') this.hadFaults = true;
    if (site < 0) return;
    this.states[site] = my;
    if (event === 'start' || event === 'crash') this.started[site] = true;
    const set = this.timers[site]!;
    if (event === 'crash') set.clear();
    if (event === 'timer') set.delete(step.timer);
    for (const { name, ticks } of timers) {
      if (ticks > 0) set.add(name);
      else set.delete(name);
    }
  }
}
