import type { Mode } from '../core/algorithm.ts';
import { clone } from '../core/plain.ts';
import type { TraceEvent, TraceSend, TraceStep } from '../core/trace.ts';
import type { Mishap } from './network.ts';
import { DELIVER, DELIVER_IN_ORDER, EXIT, PEER, REQUEST, START, TIMER } from './queue.ts';
import type { Run } from './run.ts';
import { DOWN, IDLE } from './sites.ts';

/** Writes a run down, step by step, in the format that all tools share. */
export class Recorder {
  readonly #run: Run;
  readonly #write: (step: TraceStep) => void;
  #steps = 0;

  constructor(run: Run, write: (step: TraceStep) => void) {
    this.#run = run;
    this.#write = write;
  }

  /** The event in the queue's hands has happened. If its step `failed`, nothing of it left the site. */
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
    this.#emit(event, sends, isStep && !failed && effects.entered);
  }

  /** A message was lost or doubled on its way to the site that is named. */
  mishap({ event, from, to, id, message }: Mishap): void {
    this.#emit({ site: to, event, from, id, message: clone(message) }, [], false);
  }

  #emit(event: TraceEvent & { site: number }, sends: readonly TraceSend[], enters: boolean): void {
    const { now, sites } = this.#run;
    const { site, ...what } = event;
    const isUp = site >= 0 && sites.phase[site] !== DOWN;
    const state = isUp ? clone(sites.states[site]) : null;
    this.#write({ step: ++this.#steps, time: now, site, ...what, sends, enters, state });
  }

  /** The event in the queue's hands, and whether the algorithm was stepped for it. */
  #describe(): { event: TraceEvent & { site: number }; isStep: boolean } {
    const { queue, sites, timers, casualties } = this.#run;
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
        // It is not idle after that if it has asked again in the same step.
        if (sites.phase[site] === IDLE) return did({ site, event: 'exit' });
        return did({ site, event: 'again', mode: modeOf(sites.shared[site]!) });
      case TIMER:
        return did({ site, event: 'timer', timer: timers.names[from]! });
      case PEER:
        return did({ site, event: 'peer', peer: from, alive: clock % 2 === 1 });
    }
    const { action } = casualties;
    switch (action.kind) {
      case 'restart':
        return did({ site: action.site, event: 'restart' });
      case 'crash':
        return { event: { site: action.site, event: 'crash' }, isStep: false };
      case 'partition':
        return { event: { site: -1, event: 'partition', sides: action.sides }, isStep: false };
      case 'heal':
        return { event: { site: -1, event: 'heal', sides: [] }, isStep: false };
    }
  }
}

const modeOf = (shared: number): Mode => (shared === 1 ? 'shared' : 'exclusive');
const did = (event: TraceEvent & { site: number }) => ({ event, isStep: true });
