/**
 * What is in flight from one member to another, in order. Channels are interned: a channel is one integer of a state,
 * and what a step does to it is computed once. Channel 0 is empty.
 */
import type { Message } from '../../group/codec.ts';
import { PairTable } from '../tables.ts';
import { Interned } from './interned.ts';
import { loweredMessage } from './processes.ts';

/** What a channel carries: messages, and the beginning of a session with a new process. */
export type InFlight = Message | { readonly type: 'session'; readonly incarnation: number };

/** A bound that is larger than the number of messages that one member sends another in a step. */
const MOST_SENDS = 64;

export class Channels {
  readonly messages = new Interned<InFlight>();
  readonly #channels = new Interned<readonly number[]>();
  readonly #appended = new PairTable(); // (channel, message)
  readonly #afterFirst: number[] = []; // by channel
  readonly #lowered = new PairTable(); // (channel, an entry and how many of the last messages know of it)

  constructor() {
    this.#channels.idOf([]);
  }

  /** The messages of a channel, by number. */
  at(channel: number): readonly number[] {
    return this.#channels.at(channel);
  }

  append(channel: number, message: number): number {
    const known = this.#appended.get(channel, message);
    if (known !== -1) return known;
    const id = this.#channels.idOf([...this.at(channel), message]);
    this.#appended.add(channel, message, id);
    return id;
  }

  afterFirst(channel: number): number {
    this.#afterFirst[channel] ??= this.#channels.idOf(this.at(channel).slice(1));
    return this.#afterFirst[channel];
  }

  /** A session with a new process begins: what the old process sent before is lost. */
  afterSession(channel: number): number {
    const messages = this.at(channel);
    return this.#channels.idOf(messages.slice(messages.findIndex(this.isSession) + 1));
  }

  readonly isSession = (message: number): boolean => this.messages.at(message).type === 'session';

  /** The channel after an entry that only its last `own` messages have seen. */
  lowered(channel: number, own: number, isWriter: boolean, epoch: number): number {
    const messages = this.at(channel);
    if (messages.length <= own) return channel;
    const entry = (2 * epoch + (isWriter ? 1 : 0)) * MOST_SENDS + own;
    const known = this.#lowered.get(channel, entry);
    if (known !== -1) return known;
    const lower = (message: number, i: number): number => {
      const inFlight = this.messages.at(message);
      if (inFlight.type === 'session' || i >= messages.length - own) return message;
      const lowered = loweredMessage(inFlight, isWriter, epoch);
      return lowered === inFlight ? message : this.messages.idOf(lowered);
    };
    const id = this.#channels.idOf(messages.map(lower));
    this.#lowered.add(channel, entry, id);
    return id;
  }
}
