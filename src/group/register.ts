/**
 * What an engine asks of a register and is answered, as plain data. `src/engines/register.ts` has the interface that a
 * store's adapter implements.
 */

/** What one key holds. */
export interface RegisterRecord {
  readonly key: string;
  readonly value: string;
  /** Names this write of this key. No other write of the key has the same, not even after the key was deleted. */
  readonly revision: string;
}

/**
 * - `done`: the value is stored, durably, under the new revision.
 * - `conflict`: the key had another revision; nothing was written.
 * - `unknown`: no answer. It may have been written, or may be written later, or never.
 */
export type SetOutcome = 'done' | 'conflict' | 'unknown';

export interface SetResult {
  readonly outcome: SetOutcome;
  /** Of the new record, where the outcome is `done`. */
  readonly revision?: string;
  /** Of the store that answered, where the outcome is `done` or `conflict`. */
  readonly identity?: string;
}

export interface ReadResult {
  readonly records: readonly RegisterRecord[];
  readonly identity: string;
}

export type RegisterOperation =
  | { readonly type: 'read'; readonly keys: string }
  | {
      readonly type: 'compareAndSet';
      readonly key: string;
      readonly revision: string | null;
      readonly value: string | null;
    }
  | { readonly type: 'identity' };

export type RegisterAnswer =
  | ({ readonly type: 'records' } & ReadResult)
  | ({ readonly type: 'set' } & SetResult)
  | { readonly type: 'identity'; readonly identity: string }
  /** A read did not succeed, or a compareAndSet certainly wrote nothing. */
  | { readonly type: 'failed'; readonly error: string };

/** What a register brings to its member: the answer to a call, or a hint that something may have changed. */
export type RegisterEvent =
  | { readonly type: 'answer'; readonly call: number; readonly answer: RegisterAnswer }
  | { readonly type: 'hint' };
