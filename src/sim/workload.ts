import type { NodeId } from '../core/algorithm.ts';
import type { Draws, Random } from '../core/random.ts';
import { REQUEST } from './events.ts';
import type { EventQueue } from './queue.ts';
import type { ScriptedRequest } from './script.ts';
import { DOWN, IDLE, type Sites } from './sites.ts';

/** Which sites ask, and when: see `Settings.workload`. */
export type WorkloadKind = 'once' | 'saturated' | 'poisson' | 'solo' | 'script';
export const WORKLOADS: readonly WorkloadKind[] = [
  'once',
  'saturated',
  'poisson',
  'solo',
  'script',
];

/**
 * Which sites ask, and when. It puts requests into the queue. When the time of a request has come, `admits` decides
 * whether it is made, so that exactly `limit` are made in all.
 */
export class Workload {
  readonly kind: WorkloadKind;
  /** How many requests to make in all. */
  readonly limit: number;
  /** How many requests were made, without the requests that were lost with a crashed site. */
  issued = 0;

  readonly #n: number;
  readonly #queue: EventQueue;
  readonly #times: Draws;
  readonly #solo: Random;
  readonly #modes: Draws;
  /** How many think times, and how many modes, each site has drawn. */
  readonly #timesDrawn: Int32Array;
  readonly #modesDrawn: Int32Array;
  readonly #think: number;
  readonly #readers: number;
  readonly #stay: number;
  readonly #script: readonly ScriptedRequest[];
  /** The requests of each site that came while it was busy, as places in the script. */
  readonly #backlog = new Map<NodeId, number[]>();
  /** Which sites have a request in the queue. */
  readonly #pending: Uint8Array;
  #alone = false;

  constructor(
    n: number,
    queue: EventQueue,
    streams: { readonly workload: Draws; readonly solo: Random; readonly modes: Draws },
    settings: {
      readonly workload: WorkloadKind;
      readonly limit: number;
      readonly rate: number;
      readonly readers: number;
      readonly cs: number;
      readonly script: readonly ScriptedRequest[];
    },
  ) {
    this.kind = settings.workload;
    this.limit = settings.limit;
    this.#n = n;
    this.#queue = queue;
    this.#times = streams.workload;
    this.#solo = streams.solo;
    this.#modes = streams.modes;
    this.#timesDrawn = new Int32Array(n);
    this.#modesDrawn = new Int32Array(settings.readers > 0 ? n : 0);
    this.#think = 1 / settings.rate;
    this.#readers = settings.readers;
    this.#stay = settings.cs;
    this.#script = settings.script;
    this.#pending = new Uint8Array(n);
  }

  start(): void {
    if (this.kind === 'solo') return;
    if (this.kind === 'script') {
      this.#script.forEach(({ at, site }, place) => {
        this.#queue.push(at, REQUEST, site, 0, place);
      });
      return;
    }
    const askers = this.kind === 'once' ? this.limit : this.#n;
    for (let site = 0; site < askers; site++) this.#ask(site, 0, 0);
  }

  get isOver(): boolean {
    return this.issued >= this.limit;
  }

  /** The site is idle or up again: plans its next request. `life` is the number of its restarts. */
  becameIdle(site: NodeId, now: number, life: number): void {
    if (this.kind === 'script') {
      const place = this.#backlog.get(site)?.shift();
      if (place !== undefined) this.#queue.push(now, REQUEST, site, life, place);
    } else if ((this.kind === 'saturated' || this.kind === 'poisson') && !this.isOver) {
      this.#ask(site, now, life);
    }
  }

  /** Whether a site that leaves re-requests in the same step. If so, counts the request. */
  rerequests(): boolean {
    if (this.kind !== 'saturated' || this.isOver) return false;
    this.issued++;
    return true;
  }

  #ask(site: NodeId, now: number, life: number): void {
    if (this.#pending[site] === 1) return;
    const think = this.kind === 'poisson' ? this.#thinkTime(site) : 0;
    this.#pending[site] = 1;
    this.#queue.push(now + think, REQUEST, site, life, -1);
  }

  #thinkTime(site: NodeId): number {
    const count = this.#timesDrawn[site]!;
    this.#timesDrawn[site] = count + 1;
    return this.#times.at(site, count).exponential(this.#think);
  }

  /** For `solo`, when all is quiet: one of the sites that are up asks, any of them. */
  askAlone(now: number, sites: Sites): void {
    if (this.#alone || this.isOver) return;
    let site = this.#solo.below(this.#n);
    // So many sites in a row are down: no other site is left.
    for (let draws = 0; sites.phase[site] === DOWN; draws++) {
      if (draws > 64 + 16 * this.#n) return;
      site = this.#solo.below(this.#n);
    }
    this.#alone = true;
    this.#pending[site] = 1;
    this.#queue.push(now, REQUEST, site, sites.life[site]!, -1);
  }

  /** The time of a request has come: true if it is to be made now. */
  admits(site: NodeId, place: number, isIdle: boolean): boolean {
    this.#alone = false;
    this.#pending[site] = 0;
    if (this.isOver) return false;
    if (isIdle) {
      this.issued++;
      return true;
    }
    // An intervention made the site ask earlier: it thinks anew when it has left.
    if (this.kind !== 'script') return false;
    const backlog = this.#backlog.get(site);
    if (backlog === undefined) this.#backlog.set(site, [place]);
    else backlog.push(place);
    return false;
  }

  /** Whether the request about to be made is for sharing. */
  isShared(site: NodeId, place: number): boolean {
    if (place >= 0) return this.#script[place]!.shared;
    if (this.#readers === 0) return false;
    const count = this.#modesDrawn[site]!;
    this.#modesDrawn[site] = count + 1;
    return this.#modes.at(site, count).uniform() < this.#readers;
  }

  stay(place: number): number {
    return place < 0 ? this.#stay : (this.#script[place]!.stay ?? this.#stay);
  }

  /** The site is down: its planned request is void, and its outstanding request no longer counts. */
  crashed(site: NodeId, wasWaiting: boolean): void {
    this.#backlog.delete(site);
    if (this.#pending[site] === 1) this.#alone = false;
    this.#pending[site] = 0;
    if (wasWaiting) this.issued--;
  }

  /** Requests are left again: the sites that had stopped asking go on. */
  resume(now: number, sites: Sites): void {
    if (this.isOver) return;
    for (let site = 0; site < this.#n; site++) {
      if (this.#pending[site] === 1 || sites.phase[site] !== IDLE) continue;
      this.becameIdle(site, now, sites.life[site]!);
    }
  }
}
