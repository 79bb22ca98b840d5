import type { Links, Mode, NodeId } from '../algorithm.ts';
import { EVERYONE, EVERYONE_IN_ORDER } from '../machine.ts';
import type { AnyMessage } from '../message.ts';
import { key } from '../plain.ts';
import type { TraceEvent, TraceSend, TraceStep } from '../trace.ts';

export type Phase = 'idle' | 'waiting' | 'inside' | 'down';

/** A message in flight to one site; a broadcast is one of these for each receiver. */
export interface InFlight {
  readonly id: number;
  readonly from: NodeId;
  readonly to: NodeId;
  /** A broadcast that all sites receive in the same order, on any links. */
  readonly ordered: boolean;
  readonly message: AnyMessage;
  readonly copies: number;
  /** A copy of this message has already arrived, so later messages need not wait for it. */
  readonly arrived: boolean;
}

/**
 * The state of a run that its trace shows, step by step, without the algorithm: the phase of each
 * site and the messages in flight. It rejects steps that are impossible.
 */
export class TraceState {
  readonly phases: Phase[];
  readonly modes: Mode[];
  readonly #links: Links;
  /** By receiver and by number, so in the order of sending. */
  readonly #channels = new Map<NodeId, Map<number, InFlight>>();

  constructor(n: number, links: Links) {
    this.phases = Array<Phase>(n).fill('idle');
    this.modes = Array<Mode>(n).fill('exclusive');
    this.#links = links;
  }

  inPhase(phase: Phase): NodeId[] {
    return this.phases.flatMap((p, site) => (p === phase ? [site] : []));
  }

  /** The messages in flight, by receiver and in the order of sending. */
  inFlight(): InFlight[] {
    return [...this.#channels.keys()].sort((a, b) => a - b).flatMap((to) => this.inFlightTo(to));
  }

  inFlightTo(site: NodeId): InFlight[] {
    return [...(this.#channels.get(site)?.values() ?? [])];
  }

  /**
   * An order of messages in which equal sets of messages are equal lists. The numbers and the times
   * of sending do not count, except within a channel that keeps order.
   */
  compare(a: InFlight, b: InFlight): number {
    const channel = ({ ordered, from }: InFlight) => (ordered ? -1 : from);
    const apart = a.to - b.to || channel(a) - channel(b);
    if (apart !== 0 || this.#links === 'fifo' || a.ordered) return apart;
    return key(a.message) < key(b.message) ? -1 : 1;
  }

  /** Why this event is impossible now, if it is. */
  objection(site: NodeId, event: TraceEvent): string | undefined {
    const needs = NEEDS[event.event];
    const phase = this.phases[site];
    if (needs !== undefined && phase !== undefined && !needs.includes(phase)) {
      return `site ${site} is ${phase}, and ${event.event} takes one that is ${needs.join(' or ')}`;
    }
    if (!isOfMessage(event)) return undefined;
    const { id, from, message } = event;
    const sent = this.#channels.get(site)?.get(id);
    if (sent === undefined) return `message ${id} is not under way to ${site}`;
    if (sent.from !== from) return `message ${id} was sent by ${sent.from}, not by ${from}`;
    if (key(sent.message) !== key(message)) return `message ${id} was sent with other contents`;
    const first = event.event === 'deliver' ? this.#before(sent) : undefined;
    return first && `message ${id} overtakes message ${first.id}, and links keep the order`;
  }

  /** The message that must arrive before this one, if there is one. */
  #before(sent: InFlight): InFlight | undefined {
    if (sent.arrived || (this.#links === 'any' && !sent.ordered)) return undefined;
    const isFirst = (other: InFlight): boolean =>
      other.id < sent.id &&
      !other.arrived &&
      other.ordered === sent.ordered &&
      (sent.ordered || other.from === sent.from);
    return this.inFlightTo(sent.to).find(isFirst);
  }

  /** Records that the step has happened. */
  apply(step: TraceStep): void {
    const { site } = step;
    const phase = AFTER[step.event];
    if (phase !== undefined) this.phases[site] = phase;
    if (phase !== undefined) this.modes[site] = 'mode' in step ? step.mode : 'exclusive';
    if (step.event === 'downgrade') this.modes[site] = 'shared';
    if (step.enters) this.phases[site] = 'inside';
    if (isOfMessage(step)) this.#handle(site, step.id, step.event);
    for (const send of step.sends) this.#post(site, send);
  }

  #handle(to: NodeId, id: number, event: 'deliver' | 'lose' | 'duplicate'): void {
    const channel = this.#channels.get(to)!;
    const sent = channel.get(id)!;
    const copies = sent.copies + (event === 'duplicate' ? 1 : -1);
    if (copies === 0) channel.delete(id);
    else channel.set(id, { ...sent, copies, arrived: sent.arrived || event === 'deliver' });
  }

  #post(from: NodeId, { id, to, message }: TraceSend): void {
    const ordered = to === EVERYONE_IN_ORDER;
    for (const receiver of receivers(from, to, this.phases.length)) {
      const channel = this.#channels.get(receiver) ?? new Map<number, InFlight>();
      this.#channels.set(receiver, channel);
      channel.set(id, { id, from, to: receiver, ordered, message, copies: 1, arrived: false });
    }
  }
}

/** The sites that a message reaches. */
export function receivers(from: NodeId, to: NodeId, n: number): NodeId[] {
  if (to >= 0) return [to];
  const everyone = Array.from({ length: n }, (_, site) => site);
  return to === EVERYONE ? everyone.filter((site) => site !== from) : everyone;
}

type OfMessage = Extract<TraceEvent, { readonly event: 'deliver' | 'lose' | 'duplicate' }>;

export const isOfMessage = <E extends TraceEvent>(event: E): event is E & OfMessage =>
  event.event === 'deliver' || event.event === 'lose' || event.event === 'duplicate';

const UP: readonly Phase[] = ['idle', 'waiting', 'inside'];
const NEEDS: { readonly [E in TraceEvent['event']]?: readonly Phase[] } = {
  start: UP,
  request: ['idle'],
  downgrade: ['waiting'],
  exit: ['inside'],
  rerequest: ['inside'],
  deliver: UP,
  timer: UP,
  peer: UP,
  crash: UP,
  restart: ['down'],
};
const AFTER: { readonly [E in TraceEvent['event']]?: Phase } = {
  request: 'waiting',
  exit: 'idle',
  rerequest: 'waiting',
  crash: 'down',
  restart: 'idle',
};
