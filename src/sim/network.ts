import type { Links, NodeId } from '../core/algorithm.ts';
import { EVERYONE_IN_ORDER } from '../core/machine.ts';
import type { AnyMessage } from '../core/message.ts';
import type { Random } from '../core/random.ts';
import { Channels } from './channels.ts';
import type { Delay } from './delay.ts';
import type { FaultWindow } from './faults.ts';
import { DELIVER, DELIVER_IN_ORDER, type EventQueue, type TakenEvent } from './queue.ts';

/** A message that was lost or doubled. */
export interface Mishap {
  readonly event: 'lose' | 'duplicate';
  readonly from: NodeId;
  readonly to: NodeId;
  readonly id: number;
  readonly message: AnyMessage;
}

const isMessage = ({ kind }: { readonly kind: number }) =>
  kind === DELIVER || kind === DELIVER_IN_ORDER;

/**
 * The links between the sites: how long messages take, whether they may overtake, and what faults
 * do to them.
 *
 * A broadcast takes its own time to each receiver. One in total order reaches everyone, its sender
 * included, in the order in which the medium was given them.
 */
export class Network {
  /** Messages under way, those held back by a partition included. */
  inFlight = 0;
  /** How many were sent so far; the last one's number. A broadcast is one message. */
  sent = 0;
  /** When the last of all messages so far arrives, or did. */
  latest = 0;
  /** What befell messages since whoever reads this list last emptied it. */
  readonly mishaps: Mishap[] = [];
  /** How many copies were lost. */
  lost = 0;

  readonly #n: number;
  readonly #queue: EventQueue;
  readonly #delay: Delay;
  readonly #constant: number;
  /** All messages take the same time, so that nothing ever overtakes. */
  readonly #isPlain: boolean;
  #now = 0;
  readonly #random: Random;
  readonly #channels: Channels | undefined;
  readonly #windows: readonly FaultWindow[] | undefined;
  readonly #chance: Random;
  /** When the last broadcast in total order reaches each site. */
  #ordered: Float64Array | undefined;

  /** The side of each site, while there is a partition. */
  #side: Int32Array | undefined;
  readonly #held: TakenEvent[] = [];
  #heldMessages = 0;
  /** Sites that a broadcast in total order could not reach: those after it must wait too. */
  readonly #cut = new Set<NodeId>();

  constructor(
    n: number,
    queue: EventQueue,
    links: Links,
    delay: Delay,
    streams: { readonly delays: Random; readonly faults: Random },
    windows: readonly FaultWindow[],
  ) {
    this.#n = n;
    this.#queue = queue;
    this.#delay = delay;
    this.#constant = delay.constant;
    this.#random = streams.delays;
    this.#chance = streams.faults;
    this.#isPlain = !Number.isNaN(delay.constant);
    this.#channels = links === 'fifo' && !this.#isPlain ? new Channels(n) : undefined;
    this.#windows = windows.length === 0 ? undefined : windows;
  }

  /** A site is about to send; `clock` is its Lamport clock, which travels with its messages. */
  open(now: number, from: NodeId, clock: number): void {
    this.#now = now;
    this.#queue.sender = from;
    this.#queue.stamp = clock;
    this.#queue.arrival = now + this.#constant;
  }

  send(to: NodeId, message: AnyMessage): void {
    this.sent++;
    if (to >= 0) {
      this.#post(to, DELIVER, message);
      return;
    }
    const { sender } = this.#queue;
    for (let site = 0; site < this.#n; site++) {
      if (to === EVERYONE_IN_ORDER) this.#post(site, DELIVER_IN_ORDER, message);
      else if (site !== sender) this.#post(site, DELIVER, message);
    }
  }

  #post(to: NodeId, kind: number, message: AnyMessage): void {
    const queue = this.#queue;
    const copies = this.#windows === undefined ? 1 : this.#copies(to, message);
    for (let copy = 0; copy < copies; copy++) {
      if (!this.#isPlain || kind === DELIVER_IN_ORDER) this.#arrange(to, kind);
      if (queue.arrival > this.latest) this.latest = queue.arrival;
      this.inFlight++;
      queue.pushMessage(kind, to, message, this.sent);
    }
  }

  /** Works out when the next message arrives, where that is not simply a constant delay from now. */
  #arrange(to: NodeId, kind: number): void {
    const queue = this.#queue;
    queue.arrival = this.#now + this.#delay.sample(this.#random);
    if (kind === DELIVER_IN_ORDER) queue.arrival = this.#inOrder(to, queue.arrival);
    else if (this.#channels !== undefined) {
      queue.arrival = this.#channels.arrive(queue.sender, to, queue.arrival);
    }
  }

  #inOrder(to: NodeId, time: number): number {
    this.#ordered ??= new Float64Array(this.#n);
    this.#ordered[to] = Math.max(time, this.#ordered[to]!);
    return this.#ordered[to]!;
  }

  /** How many copies arrive of a message sent now: one, unless chance and the faults will it. */
  #copies(to: NodeId, message: AnyMessage): number {
    const now = this.#now;
    const { sender: from } = this.#queue;
    let copies = 1;
    for (const { kind, from: since, until, probability, between, types } of this.#windows!) {
      if (now < since || until <= now) continue;
      if (types !== undefined && !types.includes(message.type)) continue;
      if (between !== undefined && !(between.includes(from) && between.includes(to))) continue;
      if (this.#chance.uniform() >= probability) continue;
      this.mishaps.push({ event: kind, from, to, id: this.sent, message });
      if (kind === 'lose') {
        this.lost++;
        return 0;
      }
      copies++;
    }
    return copies;
  }

  /** True when nothing is under way: to or from that site, or, for −1, anywhere. */
  isSettled(site: NodeId): boolean {
    if (site < 0 || this.inFlight === 0) return this.inFlight === 0;
    const concerns = (held: TakenEvent) =>
      isMessage(held) && (held.site === site || held.from === site);
    return !this.#held.some(concerns) && !this.#queue.hasMessageOf(site);
  }

  /** How many messages have a time at which they arrive: all but those held back. */
  get scheduled(): number {
    return this.inFlight - this.#heldMessages;
  }

  /** Keeps the event in the queue's hands until the next heal, if a partition is in its way. */
  holdIfCut(): boolean {
    if (this.#side === undefined) return false;
    const { kind, site, from } = this.#queue;
    const cut = this.#side[from] !== this.#side[site];
    const waits = kind === DELIVER_IN_ORDER && this.#cut.has(site);
    if (!cut && !waits) return false;
    if (kind === DELIVER_IN_ORDER) this.#cut.add(site);
    this.hold();
    return true;
  }

  /** Keeps the event in the queue's hands until the next heal. */
  hold(): void {
    this.#held.push(this.#queue.taken);
    if (isMessage(this.#queue)) this.#heldMessages++;
  }

  /** Divides the sites: those not named make up one more side. */
  partition(now: number, sides: readonly (readonly NodeId[])[]): void {
    this.#side = new Int32Array(this.#n);
    sides.forEach((side, i) => {
      for (const site of side) this.#side![site] = i + 1;
    });
    this.#release(now);
  }

  heal(now: number): void {
    this.#side = undefined;
    this.#release(now);
  }

  /**
   * What was held back goes to the queue again, before whatever arrives at this very moment and was
   * sent later: so channels keep their order. What is still cut off comes back here.
   */
  #release(now: number): void {
    this.#cut.clear();
    this.#heldMessages = 0;
    for (const event of this.#held.splice(0)) this.#queue.pushBack(now, event);
  }
}
