import type { Mode } from '../core/algorithm.ts';
import { clone } from '../core/plain.ts';
import type { TraceEvent, TraceSend, TraceStep } from '../core/trace.ts';
import { DELIVER, DELIVER_IN_ORDER, EXIT, PEER, REQUEST, START, TIMER } from './events.ts';
import type { Mishap } from './network.ts';
import type { Run } from './run.ts';
import { DOWN, IDLE } from './sites.ts';

/** Called with every step of a run. */
export interface Observer {
  /** The event that was taken from the queue has happened. If its step `failed`, the site has sent nothing. */
  step(failed: boolean): void;
  /** A message was lost, doubled or delayed on its way to the site that is named. */
  mishap(mishap: Mishap): void;
}

/** Records a run, step by step, in the format that all tools share. */
export class Recorder implements Observer {
  readonly #run: Run;
  readonly #write: (step: TraceStep) => void;

  constructor(run: Run, write: (step: TraceStep) => void) {
    this.#run = run;
    this.#write = write;
  }

  step(failed: boolean): void {
    const { machine, network } = this.#run;
    const { event, isStep } = this.#describe();
    const effects = machine.site;
    const count = isStep && !failed ? effects.sends : 0;
    const sends: TraceSend[] = [];
    for (let i = 0; i < count; i++) {
      const id = network.sent - count + 1 + i;
      sends.push({ id, to: effects.to[i]!, message: clone(effects.messages[i]!) });
    }
    const { drawn } = this.#run;
    const more = isStep
      ? {
          ...(drawn.length > 0 && { draws: [...drawn] }),
          ...(effects.timers.length > 0 && { timers: effects.timers.map((t) => ({ ...t })) }),
        }
      : {};
    this.#emit(event, sends, isStep && !failed && effects.entered, more);
  }

  mishap({ event, from, to, id, message, by = 0 }: Mishap): void {
    const what = { site: to, from, id, message: clone(message) };
    this.#emit(event === 'delay' ? { ...what, event, by } : { ...what, event }, [], false, {});
  }

  #emit(
    event: TraceEvent & { site: number },
    sends: readonly TraceSend[],
    enters: boolean,
    more: Pick<TraceStep, 'draws' | 'timers'>,
  ): void {
    const { now, sites, steps: step, isForced } = this.#run;
    const { site, ...what } = event;
    const isUp = site >= 0 && sites.phase[site] !== DOWN;
    const state = isUp ? clone(sites.states[site]) : null;
    const forced = isForced ? { forced: true as const } : {};
    this.#write({ step, time: now, site, ...what, sends, enters, state, ...more, ...forced });
  }

  /** The event that was taken from the queue, and whether the algorithm made a step for it. */
  #describe(): { event: TraceEvent & { site: number }; isStep: boolean } {
    const { queue, sites, timers, failures } = this.#run;
    const { site, from, id, message, clock } = queue;
    switch (queue.kind) {
      case DELIVER:
      case DELIVER_IN_ORDER:
        return did({ site, event: 'deliver', from, id, message: clone(message!) });
      case REQUEST:
        return did({ site, event: 'request', mode: modeOf(sites.shared[site]!) });
      case START:
        return did({ site, event: 'start' });
      case EXIT:
        // After an exit, the site is not idle if it has re-requested in the same step.
        if (sites.phase[site] === IDLE) return did({ site, event: 'exit' });
        return did({ site, event: 'rerequest', mode: modeOf(sites.shared[site]!) });
      case TIMER:
        return did({ site, event: 'timer', timer: timers.names[from]! });
      case PEER:
        return did({ site, event: 'peer', peer: from, alive: clock % 2 === 1 });
    }
    const { action } = failures;
    switch (action.kind) {
      case 'restart':
        return did({ site: action.site, event: 'restart' });
      case 'crash':
        return { event: { site: action.site, event: 'crash' }, isStep: false };
      case 'partition':
        return { event: { site: -1, event: 'partition', sides: action.sides }, isStep: false };
      case 'heal': {
        const link = action.link && { link: action.link };
        return { event: { site: -1, event: 'heal', sides: [], ...link }, isStep: false };
      }
      case 'cut':
        return { event: { site: -1, event: 'cut', link: action.link }, isStep: false };
    }
  }
}

const modeOf = (shared: number): Mode => (shared === 1 ? 'shared' : 'exclusive');
const did = (event: TraceEvent & { site: number }) => ({ event, isStep: true });
