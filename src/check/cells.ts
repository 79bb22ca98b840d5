/**
 * A cell is one site together with the deliveries in flight to it. A step of the site depends on
 * nothing else. A delivery is an interned event: a message, or a notice of the failure detector.
 * Cells are interned, and so is adding a delivery to a cell.
 */
import type { AnyAlgorithm, Links } from '../core/algorithm.ts';
import type { Local, Steps } from './steps.ts';
import { PairTable } from './tables.ts';

/** The flags of a cell, which the properties are judged by. */
export const WAITING = 1;
export const INSIDE_EXCLUSIVE = 2;
export const INSIDE_SHARED = 4;
export const INSIDE = INSIDE_EXCLUSIVE | INSIDE_SHARED;
export const HAS_INCOMING = 8;
export const HAS_TIMER = 16;
export const WILL_REQUEST = 32;
export const CAN_RESTART = 64;
export const WILL_START = 128;

export class Cells {
  readonly #algorithm: AnyAlgorithm;
  readonly #links: Links;
  readonly #steps: Steps;
  readonly #locals: number[] = [];
  readonly #incoming: (readonly number[])[] = [];
  readonly #ids = new Map<string, number>();
  readonly #withDelivery = new PairTable(); // (cell, delivery)
  /**
   * By cell: its flags; the senders of its incoming messages, a bit each; the number of tokens in
   * it.
   */
  flags = new Uint8Array(1024);
  senders = new Int32Array(1024);
  tokens = new Uint8Array(1024);

  constructor(algorithm: AnyAlgorithm, links: Links, steps: Steps) {
    this.#algorithm = algorithm;
    this.#links = links;
    this.#steps = steps;
  }

  get size(): number {
    return this.#locals.length;
  }

  /** The number of the local in this cell. */
  local(cell: number): number {
    return this.#locals[cell]!;
  }

  /** The deliveries in flight to this cell, in the order that `sorted` keeps. */
  incoming(cell: number): readonly number[] {
    return this.#incoming[cell]!;
  }

  /** The cell of this local with these deliveries, which must be in the order of `sorted`. */
  id(local: number, incoming: readonly number[]): number {
    const name = `${local}:${incoming.join()}`;
    const known = this.#ids.get(name);
    if (known !== undefined) return known;
    const id = this.#locals.length;
    this.#ids.set(name, id);
    this.#locals.push(local);
    this.#incoming.push(incoming);
    if (id === this.flags.length) this.#grow();
    this.flags[id] = this.#flagsOf(this.#steps.local(local), incoming);
    this.senders[id] = this.#sendersOf(incoming);
    this.tokens[id] = this.#tokensOf(this.#steps.local(local), incoming);
    return id;
  }

  #grow(): void {
    const grown = <A extends Uint8Array | Int32Array>(from: A, to: A): A => {
      to.set(from);
      return to;
    };
    const size = 2 * this.flags.length;
    this.flags = grown(this.flags, new Uint8Array(size));
    this.tokens = grown(this.tokens, new Uint8Array(size));
    this.senders = grown(this.senders, new Int32Array(size));
  }

  #flagsOf({ phase, started, mode, left, timers }: Local, incoming: readonly number[]): number {
    let flags = 0;
    if (phase === 'waiting') flags |= WAITING;
    if (!started) flags |= WILL_START;
    if (phase === 'inside') flags |= mode === 'exclusive' ? INSIDE_EXCLUSIVE : INSIDE_SHARED;
    if (phase === 'idle' && left > 0) flags |= WILL_REQUEST;
    if (phase === 'down' && this.#steps.machine.canRestart) flags |= CAN_RESTART;
    if (incoming.length > 0) flags |= HAS_INCOMING;
    if (timers.length > 0) flags |= HAS_TIMER;
    return flags;
  }

  #sendersOf(incoming: readonly number[]): number {
    let senders = 0;
    for (const delivery of incoming) {
      const event = this.#steps.event(delivery);
      senders |= 1 << (event.kind === 'deliver' ? event.from : 31); // bit 31: the failure detector
    }
    return senders;
  }

  #tokensOf(local: Local, incoming: readonly number[]): number {
    const { tokens } = this.#algorithm;
    if (tokens === undefined) return 0;
    this.#steps.machine.site.begin(local.site);
    let count = local.phase === 'down' ? 0 : tokens.held(local.my, this.#steps.machine.site);
    for (const delivery of incoming) {
      const event = this.#steps.event(delivery);
      if (event.kind === 'deliver' && tokens.carriers.includes(event.message.type)) count++;
    }
    return count;
  }

  /** The cell with one more delivery in flight to it. */
  enqueue(cell: number, delivery: number): number {
    const known = this.#withDelivery.get(cell, delivery);
    if (known !== -1) return known;
    const local = this.#locals[cell]!;
    // A site that is down for good receives nothing. A site that will restart may still lose what
    // arrives before.
    const gone = this.#steps.local(local).phase === 'down' && !this.#steps.machine.canRestart;
    const id = gone ? cell : this.id(local, this.sorted(this.#incoming[cell]!, delivery));
    this.#withDelivery.add(cell, delivery, id);
    return id;
  }

  /**
   * Inserts a delivery so that equal sets of deliveries have one order. Where links may reorder,
   * deliveries form a multiset and are sorted. Where links keep order, the deliveries of each
   * sender stay in order, grouped by sender.
   */
  sorted(incoming: readonly number[], delivery: number): number[] {
    const rank = this.#rank(delivery);
    let at = incoming.length;
    while (at > 0 && this.#rank(incoming[at - 1]!) > rank) at--;
    return [...incoming.slice(0, at), delivery, ...incoming.slice(at)];
  }

  #rank(delivery: number): number {
    const event = this.#steps.event(delivery);
    if (event.kind !== 'deliver') return -2 - delivery; // a notice of the failure detector is a channel of its own
    if (event.ordered) return -1; // a totally ordered broadcast keeps its order on any links
    return this.#links === 'any' ? delivery : event.from;
  }

  /**
   * The positions of the deliveries that may come next: one of each kind, or the first of each
   * sender.
   */
  deliverable(incoming: readonly number[]): number[] {
    const next: number[] = [];
    for (let i = 0; i < incoming.length; i++) {
      const event = this.#steps.event(incoming[i]!);
      if (event.kind === 'peer') {
        // A perfect failure detector reports a crash only after every message of the crashed site
        // has arrived.
        const pending = incoming.some((l) => {
          const other = this.#steps.event(l);
          return other.kind === 'deliver' && other.from === event.peer;
        });
        if (!pending) next.push(i);
        continue;
      }
      const first = i === 0 || this.#rank(incoming[i - 1]!) !== this.#rank(incoming[i]!);
      if (first) next.push(i);
    }
    return next;
  }
}
