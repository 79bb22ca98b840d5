import type { Mode, NodeId } from '../core/algorithm.ts';
import { EXIT } from './events.ts';
import type { ProgressWatch } from './progress-watch.ts';
import type { Run } from './run.ts';
import { DOWN, IDLE, INSIDE, WAITING } from './sites.ts';

/** Lets sites ask, enter and leave as the workload demands, and measures it. */
export class SiteRequests {
  readonly #run: Run;
  readonly #progress: ProgressWatch;
  readonly #k: number;

  constructor(run: Run, progress: ProgressWatch, k: number) {
    this.#run = run;
    this.#progress = progress;
    this.#k = k;
  }

  /** A request is due, and is made if the workload admits it. False if the run is over. */
  request(): boolean {
    const run = this.#run;
    const { queue, sites, workload } = run;
    const { site, clock: place } = queue;
    // Only requests are left: a site that waits now would wait for ever without another request.
    const isLater = queue.time > run.now;
    if (isLater && this.#progress.isAtRest && (sites.waiting > 0 || workload.isOver)) return false;
    const phase = sites.phase[site]!;
    if (phase === DOWN || (place < 0 && queue.from !== sites.life[site])) return true;
    if (!workload.admits(site, place, phase === IDLE)) return true;
    this.#request(site, place, workload.isShared(site, place));
    return true;
  }

  /** For an intervention: the idle site of the event asks now. The workload does not count the request. */
  requestNow(mode: Mode): void {
    this.#request(this.#run.queue.site, -1, mode === 'shared');
  }

  #request(site: NodeId, place: number, shared: boolean): void {
    const run = this.#run;
    run.tick(site, 0);
    if (run.sites.waiting === 0) this.#progress.renew();
    const mode = this.#ask(site, place, shared);
    run.machine.request(site, run.sites.states[site], mode);
    run.carryOut(site);
  }

  #ask(site: NodeId, place: number, shared: boolean): Mode {
    const { sites, measures, now } = this.#run;
    sites.request(site, shared, place);
    measures.requested(site, now);
    return shared ? 'shared' : 'exclusive';
  }

  /** The site has entered. */
  enter(site: NodeId): void {
    const { sites, judge, measures, traffic, workload, queue, now } = this.#run;
    if (sites.phase[site] !== WAITING) {
      judge.enteredUnasked(site);
      return;
    }
    sites.enter(site);
    measures.entered(site, now, sites.shared[site] === 0, traffic.messages);
    this.#progress.renew();
    const stay = workload.stay(sites.place[site]!);
    queue.push(now + stay, EXIT, site, sites.life[site]!, sites.requests[site]!);
    judge.entered(site);
  }

  /** The stay of a site is over. */
  exit(): void {
    const run = this.#run;
    const { queue, sites, workload, machine } = run;
    const { site } = queue;
    if (queue.from !== sites.life[site] || queue.clock !== sites.requests[site]) return;
    if (sites.phase[site] !== INSIDE) return;
    run.tick(site, 0);
    const wasFull = sites.writersInside === this.#k;
    sites.leave(site, IDLE);
    run.measures.left(site, run.now, sites.freed(site, wasFull));
    const my = sites.states[site];
    if (machine.savesByRerequest(my) && workload.rerequests()) {
      machine.rerequest(site, my, this.#ask(site, -1, workload.isShared(site, -1)));
      run.carryOut(site);
      return;
    }
    machine.release(site, my);
    run.carryOut(site);
    workload.becameIdle(site, run.now, sites.life[site]!);
    this.#progress.checkWants();
  }
}
