import type { Links, NodeId } from '../core/algorithm.ts';
import { EVERYONE_IN_ORDER } from '../core/machine.ts';
import type { AnyMessage } from '../core/message.ts';
import type { Draws, Random } from '../core/random.ts';
import { Channels } from './channels.ts';
import { Cuts } from './cuts.ts';
import type { Delay } from './delay.ts';
import { DELIVER, DELIVER_IN_ORDER, type TakenEvent } from './events.ts';
import type { FaultWindow } from './faults.ts';
import type { EventQueue } from './queue.ts';

/** A message that was lost, doubled or, by an intervention, delayed. */
export interface Mishap {
  readonly event: 'lose' | 'duplicate' | 'delay';
  /** For `delay`, by how much. */
  readonly by?: number;
  readonly from: NodeId;
  readonly to: NodeId;
  readonly id: number;
  readonly message: AnyMessage;
}

/** A copy of a message on its way to one site. */
export interface UnderWay {
  readonly id: number;
  readonly from: NodeId;
  readonly to: NodeId;
  readonly message: AnyMessage;
  /** A broadcast that all receive in one order. */
  readonly ordered: boolean;
  /** When it arrives; null while a partition or a cut holds it back. */
  readonly arrives: number | null;
}

const isMessage = ({ kind }: { readonly kind: number }) =>
  kind === DELIVER || kind === DELIVER_IN_ORDER;

/**
 * The links between the sites: how long messages take, whether they may overtake, and what faults
 * do to them.
 *
 * A broadcast takes its own time to each receiver. Broadcasts in total order reach all sites, the
 * sender included, in the order in which they were sent.
 */
export class Network {
  /** Messages under way, those held back by a partition included. */
  inFlight = 0;
  /** How many messages were sent so far; also the number of the last message. A broadcast is one message. */
  sent = 0;
  /** When the last of all messages so far arrives, or did. */
  latest = 0;
  /** Losses, duplications and delays since the reader of this list last emptied it. */
  readonly mishaps: Mishap[] = [];
  /** How many copies were lost. */
  lost = 0;

  readonly #n: number;
  readonly #queue: EventQueue;
  readonly #delay: Delay;
  readonly #constant: number;
  /** True if all messages take the same time, so that none overtakes another. */
  readonly #isPlain: boolean;
  #now = 0;
  readonly #delays: Draws;
  readonly #chance: Draws;
  /** Whether each message has its own delay or its own faults. */
  readonly #channels: Channels | undefined;
  readonly #keepsOrder: boolean;
  readonly #windows: readonly FaultWindow[] | undefined;
  /** When the last broadcast in total order reaches each site. */
  #ordered: Float64Array | undefined;

  readonly #cuts: Cuts;
  readonly #held: TakenEvent[] = [];
  #heldMessages = 0;
  /** Sites that a broadcast in total order could not reach: later broadcasts to them must wait too. */
  readonly #cut = new Set<NodeId>();

  constructor(
    n: number,
    queue: EventQueue,
    links: Links,
    delay: Delay,
    streams: { readonly delays: Draws; readonly faults: Draws },
    windows: readonly FaultWindow[],
    mayIntervene = false,
  ) {
    this.#n = n;
    this.#cuts = new Cuts(n);
    this.#queue = queue;
    this.#delay = delay;
    this.#constant = delay.constant;
    this.#delays = streams.delays;
    this.#chance = streams.faults;
    this.#keepsOrder = links === 'fifo';
    // Where links keep the order, a message that an intervention delays also delays the messages behind it.
    this.#isPlain = !Number.isNaN(delay.constant) && !(this.#keepsOrder && mayIntervene);
    const isUniform = this.#isPlain && windows.length === 0;
    this.#channels = isUniform ? undefined : new Channels(n);
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
    const { sender } = queue;
    const count = this.#channels?.count(sender, to) ?? 0;
    const link = sender * this.#n + to;
    const copies = this.#windows === undefined ? 1 : this.#copies(to, message, link, count);
    const random = this.#isPlain ? undefined : this.#delays.at(link, count);
    for (let copy = 0; copy < copies; copy++) {
      if (random !== undefined || kind === DELIVER_IN_ORDER) this.#arrange(to, kind, random);
      if (queue.arrival > this.latest) this.latest = queue.arrival;
      this.inFlight++;
      queue.pushMessage(kind, to, message, this.sent);
    }
  }

  /** Works out when the next message arrives, where that is not simply a constant delay from now. */
  #arrange(to: NodeId, kind: number, random: Random | undefined): void {
    const queue = this.#queue;
    const delay = random === undefined ? this.#constant : this.#delay.sample(random);
    queue.arrival = this.#now + delay;
    if (kind === DELIVER_IN_ORDER) queue.arrival = this.#inOrder(to, queue.arrival);
    else if (this.#keepsOrder && this.#channels !== undefined) {
      queue.arrival = this.#channels.arrive(queue.sender, to, queue.arrival);
    }
  }

  #inOrder(to: NodeId, time: number): number {
    this.#ordered ??= new Float64Array(this.#n);
    this.#ordered[to] = Math.max(time, this.#ordered[to]!);
    return this.#ordered[to]!;
  }

  /** How many copies arrive of a message that is sent now: one, unless a fault loses or doubles it. */
  #copies(to: NodeId, message: AnyMessage, link: number, count: number): number {
    const now = this.#now;
    const chance = this.#chance.at(link, count);
    const { sender: from } = this.#queue;
    let copies = 1;
    for (const { kind, from: since, until, probability, between, types } of this.#windows!) {
      // Each entry of the faults draws a number, even where it does not apply: to remove one changes no other.
      const drawn = chance.uniform();
      if (now < since || until <= now) continue;
      if (types !== undefined && !types.includes(message.type)) continue;
      if (between !== undefined && !(between.includes(from) && between.includes(to))) continue;
      if (drawn >= probability) continue;
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
  isDrained(site: NodeId): boolean {
    if (site < 0 || this.inFlight === 0) return this.inFlight === 0;
    const concerns = (held: TakenEvent) =>
      isMessage(held) && (held.site === site || held.from === site);
    return !this.#held.some(concerns) && !this.#queue.hasMessageOf(site);
  }

  /** How many messages have a time of arrival: all but the messages that are held back. */
  get scheduled(): number {
    return this.inFlight - this.#heldMessages;
  }

  /** Holds back the event that was taken from the queue until the next heal, if a partition is in its way. */
  holdIfCut(): boolean {
    if (!this.#cuts.any) return false;
    const { kind, site, from } = this.#queue;
    const cut = this.#cuts.has(from, site);
    const waits = kind === DELIVER_IN_ORDER && this.#cut.has(site);
    if (!cut && !waits) return false;
    if (kind === DELIVER_IN_ORDER) this.#cut.add(site);
    this.hold();
    return true;
  }

  /** Holds back the event that was taken from the queue until the next heal. */
  hold(): void {
    this.#held.push(this.#queue.taken);
    if (isMessage(this.#queue)) this.#heldMessages++;
  }

  partition(now: number, sides: readonly (readonly NodeId[])[]): void {
    this.#cuts.partition(sides);
    this.#release(now);
  }

  /** Cuts one link, in both directions. */
  cut(link: readonly [NodeId, NodeId]): void {
    this.#cuts.cut(link);
  }

  /** Mends that link, or, where none is named, everything. */
  heal(now: number, link?: readonly [NodeId, NodeId]): void {
    this.#cuts.heal(link);
    this.#release(now);
  }

  /** The messages under way, in the queue or held back, in the order of their sending. */
  underWay(): UnderWay[] {
    const held = this.#held.filter(isMessage).map((event) => ({ ...event, time: Number.NaN }));
    return [...this.#queue.underWay(), ...held]
      .sort((a, b) => a.order - b.order)
      .map(({ id, from, site: to, message, time, kind }) => ({
        id,
        from,
        to,
        message: message!,
        ordered: kind === DELIVER_IN_ORDER,
        arrives: Number.isNaN(time) ? null : time,
      }));
  }

  /** Takes one message out of the run: undefined if it is not under way to that site. */
  take(id: number, to: NodeId): TakenEvent | undefined {
    const at = this.#held.findIndex((h) => isMessage(h) && h.id === id && h.site === to);
    if (at < 0) return this.#queue.take(id, to);
    this.#heldMessages--;
    return { ...this.#held.splice(at, 1)[0]!, time: Number.NaN };
  }

  /** Puts a message back as if it had not been taken. */
  restore(event: TakenEvent): void {
    if (!Number.isNaN(event.time)) {
      this.#queue.pushBack(event.time, event);
      return;
    }
    this.#held.push(event);
    this.#heldMessages++;
  }

  /** A second copy follows the first. */
  repeat(event: TakenEvent): void {
    this.inFlight++;
    this.restore(event);
  }

  /** Puts a message back that was taken. Where links keep the order, the messages behind it come later too. */
  put(event: TakenEvent, time: number): void {
    this.#queue.pushBack(time, event);
    this.latest = Math.max(this.latest, time);
    const { from, site: to, order, kind } = event;
    if (kind === DELIVER_IN_ORDER) this.#inOrder(to, time);
    else if (!this.#keepsOrder) return;
    else this.#channels?.arrive(from, to, time);
    for (const behind of this.#queue.underWay()) {
      const isSame = kind === behind.kind && (kind === DELIVER_IN_ORDER || behind.from === from);
      if (!isSame || behind.site !== to || behind.order <= order || behind.time >= time) continue;
      this.#queue.take(behind.id, to);
      this.#queue.pushBack(time, behind);
    }
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
