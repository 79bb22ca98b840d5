import type { NodeId } from '../core/algorithm.ts';
import { UsageError } from '../core/errors.ts';
import { canRestart } from '../core/machine.ts';
import { EXIT, REQUEST } from './events.ts';
import type { FaultAction } from './faults.ts';
import type { Intervention, MessageIntervention } from './interventions.ts';
import type { Run } from './run.ts';
import type { SiteRequests } from './site-requests.ts';
import { DOWN, IDLE, INSIDE } from './sites.ts';

const PHASES = ['idle', 'waiting', 'inside', 'down'];

/** Performs the interventions of a run, each right after its step. */
export class Interventions {
  /** The number of the step after which the next intervention is due. */
  next: number;
  readonly #run: Run;
  readonly #requests: SiteRequests;
  readonly #list: readonly Intervention[];
  #done = 0;

  constructor(run: Run, requests: SiteRequests, list: readonly Intervention[]) {
    this.#run = run;
    this.#requests = requests;
    this.#list = list;
    this.next = list[0]?.after ?? Number.POSITIVE_INFINITY;
  }

  /** Performs the interventions that are due. Each makes a step of its own. */
  apply(): void {
    const intervention = this.#list[this.#done++]!;
    this.next = this.#list[this.#done]?.after ?? Number.POSITIVE_INFINITY;
    this.#run.isForced = true;
    this.#perform(intervention);
    this.#run.isForced = false;
  }

  /** The run has ended: an intervention after a later step is an error in the list. */
  refuseUnreached(): void {
    if (this.next === Number.POSITIVE_INFINITY) return;
    throw new UsageError(
      `an intervention after step ${this.next} is never made: the run ends with step ${this.#run.steps}`,
    );
  }

  #perform(intervention: Intervention): void {
    const { queue, sites, failures } = this.#run;
    switch (intervention.kind) {
      case 'fault':
        this.#checkLife(intervention.action, intervention.after);
        failures.strike(intervention.action);
        return;
      case 'request':
        this.#check(intervention.site, IDLE, 'ask', intervention.after);
        queue.present(REQUEST, intervention.site, sites.life[intervention.site]!, -1);
        this.#requests.requestNow(intervention.mode);
        return;
      case 'exit': {
        const { site, after } = intervention;
        this.#check(site, INSIDE, 'leave', after);
        queue.present(EXIT, site, sites.life[site]!, sites.requests[site]!);
        this.#requests.exit();
        return;
      }
      default:
        this.#disturb(intervention, intervention.after);
    }
  }

  #checkLife(action: FaultAction, after: number): void {
    if (action.kind !== 'crash' && action.kind !== 'restart') return;
    const { algorithm, machine, sites } = this.#run;
    const { kind, site } = action;
    if (kind === 'restart') this.#check(site, DOWN, 'restart', after);
    if (kind === 'restart' && !canRestart(algorithm, machine.site)) {
      throw new UsageError(
        `${algorithm.id} cannot restart: it keeps nothing stable; leave the restart of ${site} after step ${after} out`,
      );
    }
    if (kind === 'crash' && sites.phase[site] === DOWN) {
      throw new UsageError(`site ${site} cannot crash after step ${after}: it is down already`);
    }
  }

  #check(site: NodeId, phase: number, verb: string, after: number): void {
    const is = this.#run.sites.phase[site]!;
    if (is === phase) return;
    throw new UsageError(
      `site ${site} cannot ${verb} after step ${after}: it is ${PHASES[is]}, and that takes one that is ${PHASES[phase]}`,
    );
  }

  #disturb({ kind, id, to, by }: MessageIntervention, after: number): void {
    const { network, failures } = this.#run;
    const copies = network.underWay().filter((m) => m.id === id && (to ?? m.to) === m.to);
    if (copies.length === 0) {
      const where = to === undefined ? '' : ` to ${to}`;
      throw new UsageError(`message ${id} is not under way${where} after step ${after}`);
    }
    for (const { from, to: receiver, message, arrives } of copies) {
      if (kind === 'delay' && arrives === null) {
        throw new UsageError(
          `message ${id} cannot be delayed after step ${after}: a cut holds it back`,
        );
      }
      const taken = network.take(id, receiver)!;
      const mishap = { event: kind, from, to: receiver, id, message };
      if (kind === 'lose') failures.lose(mishap);
      else if (kind === 'delay') {
        network.put(taken, arrives! + by);
        this.#run.recordMishap({ ...mishap, by });
      } else {
        network.restore(taken);
        network.repeat(taken);
        this.#run.recordMishap(mishap);
      }
    }
  }
}
