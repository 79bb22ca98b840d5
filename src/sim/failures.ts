import type { NodeId } from '../core/algorithm.ts';
import { FAULT, PEER } from './events.ts';
import type { FaultAction, Faults } from './faults.ts';
import type { Mishap } from './network.ts';
import type { Run } from './run.ts';
import { DOWN, IDLE, WAITING } from './sites.ts';

type NoticeDelay = (site: NodeId, life: number) => number;

/**
 * Crashes, restarts and partitions, as they were planned; and the failure detector, which is perfect:
 * a site that is up learns of every crash, after all messages sent before it have arrived, and of nothing
 * else. A site that would restart before all others know of its crash restarts when they do.
 */
export class Failures {
  /** How many faults, and reports of faults, are still to come. */
  pending: number;
  /** False in a run without faults: then the run need not look for faults at every event. */
  readonly mayHappen: boolean;
  /** What became of a token, for the sites that wait for it. */
  fateOfToken: string | undefined;

  readonly #run: Run;
  readonly #actions: FaultAction[];
  readonly #noticeDelay: NoticeDelay;
  /** When the crash of each site that is down is known to all. */
  readonly #noticedAt = new Map<NodeId, number>();

  /** The notice of a crash takes as long as a message. */
  constructor(run: Run, { actions, interventions }: Faults, noticeDelay: NoticeDelay) {
    this.#run = run;
    this.#actions = [...actions];
    this.#noticeDelay = noticeDelay;
    this.pending = actions.length;
    this.mayHappen = actions.length + interventions.length > 0;
  }

  start(): void {
    this.#actions.forEach(({ at }, place) => {
      this.#run.queue.push(at, FAULT, -1, place, 0);
    });
  }

  /** Performs an action now, for an intervention. */
  strike(action: FaultAction): void {
    this.pending++;
    this.#run.queue.present(FAULT, -1, this.#actions.push(action) - 1, 0);
    this.perform();
  }

  /** The action of the event of kind FAULT that was taken from the queue. */
  get action(): FaultAction {
    return this.#actions[this.#run.queue.from]!;
  }

  /** Performs the action that is due. */
  perform(): void {
    const { queue, network } = this.#run;
    const { action } = this;
    this.pending--;
    switch (action.kind) {
      case 'crash':
        this.#crash(action.site);
        return;
      case 'restart':
        this.#restart(action.site);
        return;
      case 'partition':
        network.partition(queue.time, action.sides);
        this.#run.happened();
        return;
      case 'heal':
        network.heal(queue.time, action.link);
        this.#run.happened();
        return;
      case 'cut':
        network.cut(action.link);
        this.#run.happened();
        return;
    }
  }

  #crash(site: NodeId): void {
    const { sites, machine, timers, workload, tokens, measures, algorithm } = this.#run;
    const wasWaiting = sites.phase[site] === WAITING;
    const wasDown = sites.phase[site] === DOWN; // its restart was postponed, and happens now
    sites.life[site]! += 1;
    if (wasDown) return;
    if (tokens !== undefined && tokens.heldBy(site) > 0)
      this.fateOfToken = `${site} crashed holding the token`;
    tokens?.gone(site);
    this.#run.judge.excuseTokens();
    sites.states[site] = machine.afterCrash(site, sites.states[site]);
    sites.leave(site, DOWN);
    timers.cancelAll(site);
    workload.crashed(site, wasWaiting);
    if (sites.waiting === 0) measures.noneWaits();
    this.#run.happened();
    workload.resume(this.#run.now, sites);
    if (algorithm.peer === undefined) return;
    // The news of a crash reaches others without a message, and with no clock.
    this.#run.judge.excuseFences();
    const { network, now } = this.#run;
    const at = Math.max(network.latest, now + this.#noticeDelay(site, sites.life[site]!));
    this.#noticedAt.set(site, at);
    this.#tellOthers(site, at, false);
  }

  #restart(site: NodeId): void {
    const { sites, machine, queue, workload, algorithm } = this.#run;
    const noticed = this.#noticedAt.get(site) ?? 0;
    if (queue.time < noticed) {
      // The number of the life tells whether the site has crashed again since.
      this.pending++;
      queue.push(noticed, FAULT, -1, queue.from, sites.life[site]!);
      return;
    }
    if (queue.clock > 0 && queue.clock !== sites.life[site]) return;
    this.#noticedAt.delete(site);
    sites.phase[site] = IDLE;
    this.#run.judge.excuseFences();
    this.#run.tick(site, 0);
    if (algorithm.peer !== undefined) this.#tellOthers(site, this.#run.now, true);
    machine.restart(site, sites.states[site]);
    this.#run.carryOut(site);
    for (const [peer, at] of this.#noticedAt) {
      this.#tell(site, peer, Math.max(at, this.#run.now), false);
    }
    workload.becameIdle(site, this.#run.now, sites.life[site]!);
  }

  #tellOthers(peer: NodeId, at: number, alive: boolean): void {
    const { sites } = this.#run;
    for (let site = 0; site < sites.n; site++) {
      if (site !== peer && sites.phase[site] !== DOWN) this.#tell(site, peer, at, alive);
    }
  }

  #tell(site: NodeId, peer: NodeId, at: number, alive: boolean): void {
    const { queue, sites } = this.#run;
    this.pending++;
    queue.push(at, PEER, site, peer, 2 * sites.life[site]! + (alive ? 1 : 0));
  }

  /** A report of the detector arrives at a site, unless a partition is in between or the site has crashed since. */
  tell(): void {
    const { queue, sites, machine, network } = this.#run;
    const { site, from: peer, clock } = queue;
    if (network.holdIfCut()) return;
    this.pending--;
    const life = Math.floor(clock / 2);
    if (sites.phase[site] === DOWN || sites.life[site] !== life) return;
    this.#run.tick(site, 0);
    machine.peer(site, sites.states[site], peer, clock % 2 === 1);
    this.#run.carryOut(site);
  }

  /** Whether the message that was taken from the queue does not reach its receiver: it is held back, or lost. */
  stops(): boolean {
    const { queue, sites, network } = this.#run;
    if (network.holdIfCut()) return true;
    if (sites.phase[queue.site] !== DOWN) return false;
    const { from, site: to, id, message } = queue;
    this.#run.now = queue.time;
    this.#run.events++;
    this.lose({ event: 'lose', from, to, id, message: message! });
    return true;
  }

  /** A message that is under way does not arrive. */
  lose(mishap: Mishap): void {
    const { network } = this.#run;
    network.inFlight--;
    network.lost++;
    this.#run.recordMishap(mishap);
  }

  /** A message was lost or doubled: if it carried a token, their number may be wrong from now on. */
  recordMishap({ event, from, to, message }: Mishap): void {
    const { tokens } = this.#run;
    if (event !== 'delay') this.#run.judge.excuseTokens();
    if (!tokens?.isCarrier(message)) return;
    if (event === 'duplicate') {
      tokens.sent(message);
      return;
    }
    if (event === 'delay') return;
    tokens.received(message);
    this.fateOfToken = `the token was lost on its way from ${from} to ${to}`;
  }
}
