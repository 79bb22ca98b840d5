import type { NodeId } from '../core/algorithm.ts';
import { A_WRITER, ANY, type Freed, NONE } from './measures.ts';

export const IDLE = 0;
export const WAITING = 1;
export const INSIDE = 2;
export const DOWN = 3;

/** The state of each site, as columns: a million sites are a few arrays. */
export class Sites {
  readonly n: number;
  /** The algorithm's own states. */
  readonly states: unknown[];
  readonly phase: Uint8Array;
  /** 1 where the outstanding request is for sharing. */
  readonly shared: Uint8Array;
  /** Where the outstanding request stands in the script; −1 for none. */
  readonly place: Int32Array;
  /** How often each site has crashed: events that were planned before a crash are void after it. */
  readonly life: Int32Array;
  /** How often each site has entered: the end of an earlier stay is void. */
  readonly requests: Int32Array;
  /** Lamport's clocks, unseen by the algorithm. */
  readonly clock: Int32Array;

  waiting = 0;
  waitingWriters = 0;
  inside = 0;
  writersInside = 0;

  constructor(n: number, init: (site: NodeId) => unknown) {
    this.n = n;
    this.states = new Array(n);
    for (let site = 0; site < n; site++) this.states[site] = init(site);
    this.phase = new Uint8Array(n);
    this.shared = new Uint8Array(n);
    this.place = new Int32Array(n);
    this.life = new Int32Array(n);
    this.requests = new Int32Array(n);
    this.clock = new Int32Array(n);
  }

  request(site: NodeId, shared: boolean, place: number): void {
    this.phase[site] = WAITING;
    this.shared[site] = shared ? 1 : 0;
    this.place[site] = place;
    this.#count(site, 1);
  }

  enter(site: NodeId): void {
    this.#count(site, -1);
    this.phase[site] = INSIDE;
    this.requests[site]! += 1;
    this.#count(site, 1);
  }

  /** To IDLE or DOWN. */
  leave(site: NodeId, to: number): void {
    this.#count(site, -1);
    this.phase[site] = to;
  }

  /** The sites that the site which has just left had kept out; `wasFull` if k had been inside with it. */
  freed(site: NodeId, wasFull: boolean): Freed {
    if (this.shared[site] === 0) return wasFull && this.waiting > 0 ? ANY : NONE;
    return this.inside === 0 && this.waitingWriters > 0 ? A_WRITER : NONE;
  }

  #count(site: NodeId, by: number): void {
    const writers = this.shared[site] === 1 ? 0 : by;
    if (this.phase[site] === WAITING) {
      this.waiting += by;
      this.waitingWriters += writers;
    } else if (this.phase[site] === INSIDE) {
      this.inside += by;
      this.writersInside += writers;
    }
  }

  inPhase(phase: number): NodeId[] {
    const sites: NodeId[] = [];
    for (let site = 0; site < this.n; site++) if (this.phase[site] === phase) sites.push(site);
    return sites;
  }
}
