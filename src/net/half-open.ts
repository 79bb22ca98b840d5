/** An entry of `HalfOpen`: a connection whose handshake is not complete. */
export interface Evictable {
  /** A newer connection needs the place of this one. */
  evict(): void;
}

/**
 * The half-open connections of a server: at most so many in all, and so many from one address. A new connection
 * evicts the oldest one. A client that completes its handshake at once is safe, so a flood evicts itself.
 */
export class HalfOpen<T extends Evictable> {
  readonly #max: number;
  readonly #maxPerAddress: number;
  /** In order of arrival. */
  readonly #all = new Set<T>();
  readonly #byAddress = new Map<string, Set<T>>();

  constructor(max: number, maxPerAddress: number) {
    this.#max = max;
    this.#maxPerAddress = maxPerAddress;
  }

  get size(): number {
    return this.#all.size;
  }

  [Symbol.iterator](): Iterator<T> {
    return this.#all.values();
  }

  /** Makes place for a connection from this address. To be called before `add`. */
  makePlace(address: string): void {
    const neighbours = this.#byAddress.get(address);
    if (neighbours !== undefined && neighbours.size >= this.#maxPerAddress) {
      first(neighbours).evict();
    } else if (this.#all.size >= this.#max) first(this.#all).evict();
  }

  add(address: string, connection: T): void {
    const neighbours = this.#byAddress.get(address) ?? new Set();
    this.#all.add(connection);
    this.#byAddress.set(address, neighbours.add(connection));
  }

  /** The handshake is complete, or the connection is gone. May be called more than once. */
  delete(address: string, connection: T): void {
    if (!this.#all.delete(connection)) return;
    const neighbours = this.#byAddress.get(address);
    neighbours?.delete(connection);
    if (neighbours?.size === 0) this.#byAddress.delete(address);
  }
}

const first = <T>(set: ReadonlySet<T>): T => set.values().next().value as T;
