/**
 * A register: the small part of a store that the engine `leased` stands on. One adapter for each store implements it,
 * and `test/support/register-suite.ts` holds every adapter to this contract.
 *
 * Only `compareAndSet` must be linearizable and durable. The engine is safe with stale reads, and with watches that are
 * late, lost or repeated; those cost time.
 *
 * Keys are made of `A-Z a-z 0-9 - _ . ! ~ * ' ( ) % /`, as `encodeURIComponent` and slashes make them. Values are text.
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

export interface Register {
  /** All records whose keys begin with `keys`. It may be stale. Rejects if the store does not answer. */
  read(keys: string): Promise<ReadResult>;
  /**
   * Stores the value if the key still has that revision; null stands for a key that does not exist. The value
   * null deletes the key. An error of the network is no rejection: the outcome is `unknown`. Rejects only where
   * nothing was written for certain, and trying again is of no use: a missing privilege, a value too long.
   */
  compareAndSet(key: string, revision: string | null, value: string | null): Promise<SetResult>;
  /** Calls back after a key that begins with `keys` has changed. Only a hint. Returns how to stop it. */
  watch(keys: string, onHint: () => void): () => void;
  /** Names this store and its data: another one after the store lost or rolled back its data. */
  identity(): Promise<string>;
  /** Ends all connections. What is under way ends as `unknown` or is rejected. */
  close(): Promise<void>;
}

/** A register's operation as plain data: what a pure engine asks for. */
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
