/** What a lock needs of the member that it is at. */

import type { AnyMessage } from '../core/message.ts';
import type { Wire } from '../core/wire.ts';
import type { Watch } from './tries.ts';

/** A lock or, with permits, a semaphore: different ones may share a name. */
export interface LockName {
  readonly name: string;
  readonly permits: number;
}

/** A lock, while a view lasts. */
export interface Correspondent extends LockName {
  /** Of letters between first sites, once there was one; it is as long as the view lasts. */
  address: Uint8Array | null;
}

/** From one site of a lock to another, at another member. */
export interface Letter {
  readonly lock: Correspondent;
  readonly fromSlot: number;
  /** The receiver's place among the members. */
  readonly to: number;
  readonly toSlot: number;
  readonly message: AnyMessage;
  readonly wire: Wire<AnyMessage>;
}

export interface Home {
  /** How many members there are, and which of them this is. */
  readonly size: number;
  readonly index: number;
  readonly epoch: number;
  /** How many callers may follow one another before the group gets its turn. */
  readonly turns: number;
  /** All members have told what they still hold: from now on the view is in force. */
  readonly hasBegun: boolean;
  /**
   * The next value of the member's Lamport clock, for an entry. Each member has values of its own: those
   * who are inside together have different fences.
   */
  tick(): number;
  now(): number;
  later(ms: number, callback: () => void): () => void;
  /** Calls back when whatever else is waiting to be heard has been heard. */
  soon(callback: () => void): void;
  /** Calls back when all who are called back in this turn have had their say. */
  atEndOfTurn(callback: () => void): void;
  /** Someone waits for what is said in this call. */
  hurry(speak: () => void): void;
  /** Whether the view has begun, and nobody holds this lock from an earlier one. */
  isOpen(lock: LockName): boolean;
  /** Whoever held this lock from an earlier view has given it back. */
  freed(lock: LockName): void;
  post(letter: Letter): void;
  tell(type: 'STEAL' | 'STOLE' | 'WAKE', lock: LockName): void;
  /** Asks all members who of theirs is inside. */
  probe(lock: LockName, watch: Watch): void;
  held(lock: LockName, probe: number, count: number, member: string): void;
}

/** The same, as its owner sees it. */
export type OpenHome = { -readonly [field in keyof Home]: Home[field] };
