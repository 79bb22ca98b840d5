import type { Socket } from 'node:net';

/** Counts the open connections of each remote address, so that one address cannot take the places of all others. */
export class AddressLimit {
  readonly #most: number;
  readonly #open = new Map<string, number>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Counts the connection until it is closed. False, and nothing is counted, if its address has as many as it may. */
  admit(socket: Socket): boolean {
    const address = socket.remoteAddress ?? 'unknown';
    const count = this.#open.get(address) ?? 0;
    if (count >= this.#most) return false;
    this.#open.set(address, count + 1);
    socket.once('close', () => {
      const left = this.#open.get(address)! - 1;
      if (left === 0) this.#open.delete(address);
      else this.#open.set(address, left);
    });
    return true;
  }
}
