/**
 * A register: the small part of a store that the engine `leased` stands on. One adapter for each store implements it,
 * and `test/support/register-suite.ts` holds every adapter to this contract.
 *
 * Only `compareAndSet` must be linearizable and durable. The engine is safe with stale reads, and with watches that are
 * late, lost or repeated; these only cost time.
 *
 * Keys are made of `A-Z a-z 0-9 - _ . ! ~ * ' ( ) % /`, as `encodeURIComponent` and slashes make them. Values are text.
 */
import type { ReadResult, SetResult } from '../group/register.ts';

export interface Register {
  /** All records whose keys begin with `keys`. It may be stale. Rejects if the store does not answer. */
  read(keys: string): Promise<ReadResult>;
  /**
   * Stores the value if the key still has that revision; null stands for a key that does not exist. The value
   * null deletes the key. An error of the network is no rejection: the outcome is `unknown`. Rejects only where
   * nothing was written for certain, and trying again is of no use: a missing privilege, a store that is full.
   */
  compareAndSet(key: string, revision: string | null, value: string | null): Promise<SetResult>;
  /** Calls back after a key that begins with `keys` has changed. Only a hint. Returns how to stop it. */
  watch(keys: string, onHint: () => void): () => void;
  /** Names this store and its data: another one after the store lost or rolled back its data. */
  identity(): Promise<string>;
  /** Ends all connections. What is under way ends as `unknown` or is rejected. */
  close(): Promise<void>;
}
