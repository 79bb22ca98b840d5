import type { Links, Mode, NodeId } from '../algorithm.ts';
import { EVERYONE, EVERYONE_IN_ORDER } from '../machine.ts';
import type { AnyMessage } from '../message.ts';
import { key } from '../plain.ts';
import type { TraceEvent, TraceSend, TraceStep } from '../trace.ts';

export type Phase = 'idle' | 'waiting' | 'inside' | 'down';

/** A message on its way to one site; a broadcast is one of these for each receiver. */
export interface Letter {
  readonly id: number;
  readonly from: NodeId;
  readonly to: NodeId;
  /** A broadcast that all receive in one order, whatever the links do. */
  readonly ordered: boolean;
  readonly message: AnyMessage;
  readonly copies: number;
  /** Some copy of it has arrived, and this is another: it keeps nobody waiting. */
  readonly arrived: boolean;
}

/**
 * What anyone learns of a run by following its trace, step by step, without knowing the algorithm: who
 * waits, who is inside, who is down, and what is under way. Says no to what cannot have happened.
 */
export class Onlooker {
  readonly phases: Phase[];
  readonly modes: Mode[];
  readonly #links: Links;
  /** By receiver, by number: so in the order in which they were sent. */
  readonly #boxes = new Map<NodeId, Map<number, Letter>>();

  constructor(n: number, links: Links) {
    this.phases = Array<Phase>(n).fill('idle');
    this.modes = Array<Mode>(n).fill('exclusive');
    this.#links = links;
  }

  inPhase(phase: Phase): NodeId[] {
    return this.phases.flatMap((p, site) => (p === phase ? [site] : []));
  }

  /** What is under way, receiver by receiver, in the order in which it was sent. */
  underWay(): Letter[] {
    return [...this.#boxes.keys()].sort((a, b) => a - b).flatMap((to) => this.lettersTo(to));
  }

  lettersTo(site: NodeId): Letter[] {
    return [...(this.#boxes.get(site)?.values() ?? [])];
  }

  /**
   * For sorting letters so that what means the same looks the same: their numbers mean nothing, nor does
   * when they were sent, but for those of one channel that keeps the order.
   */
  compare(a: Letter, b: Letter): number {
    const channel = ({ ordered, from }: Letter) => (ordered ? -1 : from);
    const apart = a.to - b.to || channel(a) - channel(b);
    if (apart !== 0 || this.#links === 'fifo' || a.ordered) return apart;
    return key(a.message) < key(b.message) ? -1 : 1;
  }

  /** Why this cannot happen now, if it cannot. */
  objection(site: NodeId, event: TraceEvent): string | undefined {
    const needs = NEEDS[event.event];
    const phase = this.phases[site];
    if (needs !== undefined && phase !== undefined && !needs.includes(phase)) {
      return `site ${site} is ${phase}, and ${event.event} takes one that is ${needs.join(' or ')}`;
    }
    if (!isOfMessage(event)) return undefined;
    const { id, from, message } = event;
    const letter = this.#boxes.get(site)?.get(id);
    if (letter === undefined) return `message ${id} is not under way to ${site}`;
    if (letter.from !== from) return `message ${id} was sent by ${letter.from}, not by ${from}`;
    if (key(letter.message) !== key(message)) return `message ${id} was sent with other contents`;
    const first = event.event === 'deliver' ? this.#before(letter) : undefined;
    return first && `message ${id} overtakes message ${first.id}, and links keep the order`;
  }

  /** What must arrive before this letter does, if anything must. */
  #before(letter: Letter): Letter | undefined {
    if (letter.arrived || (this.#links === 'any' && !letter.ordered)) return undefined;
    const isFirst = (other: Letter): boolean =>
      other.id < letter.id &&
      !other.arrived &&
      other.ordered === letter.ordered &&
      (letter.ordered || other.from === letter.from);
    return this.lettersTo(letter.to).find(isFirst);
  }

  /** The step has happened. */
  see(step: TraceStep): void {
    const { site } = step;
    const phase = AFTER[step.event];
    if (phase !== undefined) this.phases[site] = phase;
    if (phase !== undefined) this.modes[site] = 'mode' in step ? step.mode : 'exclusive';
    if (step.event === 'settle') this.modes[site] = 'shared';
    if (step.enters) this.phases[site] = 'inside';
    if (isOfMessage(step)) this.#handle(site, step.id, step.event);
    for (const send of step.sends) this.#post(site, send);
  }

  #handle(to: NodeId, id: number, event: 'deliver' | 'lose' | 'duplicate'): void {
    const box = this.#boxes.get(to)!;
    const letter = box.get(id)!;
    const copies = letter.copies + (event === 'duplicate' ? 1 : -1);
    if (copies === 0) box.delete(id);
    else box.set(id, { ...letter, copies, arrived: letter.arrived || event === 'deliver' });
  }

  #post(from: NodeId, { id, to, message }: TraceSend): void {
    const ordered = to === EVERYONE_IN_ORDER;
    for (const receiver of receivers(from, to, this.phases.length)) {
      const box = this.#boxes.get(receiver) ?? new Map<number, Letter>();
      this.#boxes.set(receiver, box);
      box.set(id, { id, from, to: receiver, ordered, message, copies: 1, arrived: false });
    }
  }
}

/** Whom a message reaches. */
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
  settle: ['waiting'],
  exit: ['inside'],
  again: ['inside'],
  deliver: UP,
  timer: UP,
  peer: UP,
  crash: UP,
  restart: ['down'],
};
const AFTER: { readonly [E in TraceEvent['event']]?: Phase } = {
  request: 'waiting',
  exit: 'idle',
  again: 'waiting',
  crash: 'down',
  restart: 'idle',
};
