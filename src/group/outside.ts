import type { Seat } from './engine.ts';
import type { Rules } from './kind.ts';
import type { Send } from './letters.ts';
import type { Member } from './view.ts';

/** What the world does for a member. */
export interface Outside extends Pick<Seat, 'now' | 'later'> {
  readonly send: Send;
  /** Calls back once, when all else that is there to be done in this turn is done. */
  soon(callback: () => void): void;
  /** Calls back when all who are called back in this turn have had their say: sooner than that. */
  atEndOfTurn(callback: () => void): void;
  /** What is sent in this call had better not wait for the end of the turn. */
  hurry(speak: () => void): void;
  /** Something that people may want to read. */
  log(event: string, details: { readonly [name: string]: unknown }): void;
}

export interface NodeSettings {
  readonly self: Member;
  /** The other configured members. */
  readonly peers: readonly string[];
  readonly rules: Rules;
  /** How many callers of one process may follow one another before the group gets its turn. */
  readonly turns: number;
}
