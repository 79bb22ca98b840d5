import type { Clock } from './clock.ts';
import {
  type Connection,
  type ConnectionHandler,
  type Guest,
  type Incoming,
  ListenError,
  type Transport,
} from './transport.ts';

export interface MemorySettings {
  /** How long each piece takes, asked anew for each; they never overtake one another. By default 0. */
  readonly delayMs: () => number;
  /** How many bytes may be under way before `write` says to wait. By default 64 KiB. */
  readonly highWaterBytes: number;
}

/** What the ends of connections know of their network. */
interface Medium extends MemorySettings {
  readonly clock: Clock;
  readonly frozen: ReadonlySet<string>;
}

/**
 * A network in memory, of hosts with names. All that happens, happens through the clock: with one that is
 * stepped by hand, every run is the same. Connections can be cut, hosts isolated and crashed.
 */
export class MemoryNetwork {
  readonly #medium: Medium;
  readonly #listeners = new Map<string, { readonly host: string; readonly incoming: Incoming }>();
  readonly #ends = new Set<End>();
  readonly #isolated = new Set<string>();
  readonly #frozen = new Set<string>();

  constructor(clock: Clock, settings: Partial<MemorySettings> = {}) {
    const { delayMs = () => 0, highWaterBytes = 65_536 } = settings;
    this.#medium = { clock, delayMs, highWaterBytes, frozen: this.#frozen };
  }

  /** The network as one host sees it. */
  host(host: string): Transport {
    return {
      listen: async (address, incoming) => {
        if (this.#listeners.has(address)) throw new ListenError(address, { code: 'EADDRINUSE' });
        this.#listeners.set(address, { host, incoming });
        const close = async () => {
          if (this.#listeners.get(address)?.incoming === incoming) this.#listeners.delete(address);
        };
        return { address, close };
      },
      dial: (address, handler) => {
        const near = this.#end(host, address, handler);
        const { clock, delayMs } = this.#medium;
        clock.later(delayMs(), () => this.#connect(near, address));
        return near;
      },
    };
  }

  /** Breaks the connections of that host, or all: what is under way is lost. */
  cut(host?: string): void {
    for (const end of this.#ends) {
      if (host !== undefined && end.host !== host) continue;
      end.peer?.breaks(new Error('cut'));
      end.breaks(new Error('cut'));
    }
  }

  /** From now on nobody gets through from or to that host; or does again. */
  isolate(host: string, isolated: boolean): void {
    if (isolated) this.#isolated.add(host);
    else this.#isolated.delete(host);
    if (isolated) this.cut(host);
  }

  /** Bytes to and from that host are held up, without a sign; or arrive at last. */
  freeze(host: string, frozen: boolean): void {
    if (frozen) this.#frozen.add(host);
    else this.#frozen.delete(host);
    for (const end of this.#ends) {
      end.thaw();
      end.peer?.thaw();
    }
  }

  /** The process on that host is gone, without a word: nothing on it hears anything more. */
  crash(host: string): void {
    for (const end of this.#ends) if (end.host === host) end.handler = undefined;
    this.cut(host);
    for (const [address, listener] of this.#listeners) {
      if (listener.host === host) this.#listeners.delete(address);
    }
  }

  /** How many ends of connections there are. */
  get size(): number {
    return this.#ends.size;
  }

  #connect(near: End, address: string): void {
    if (near.isClosed || this.#frozen.has(near.host)) return;
    const listener = this.#listeners.get(address);
    const isCutOff = this.#isolated.has(near.host) || this.#isolated.has(listener?.host ?? '');
    if (listener === undefined || isCutOff) {
      near.breaks(new Error(`nobody listens at ${address}`));
      return;
    }
    // Neither yes nor no: the one that dials has to give up by itself.
    if (this.#frozen.has(listener.host)) return;
    let guest: Guest | undefined;
    const far = this.#end(listener.host, near.host, undefined, () => guest?.leaves());
    near.peer = far;
    far.peer = near;
    guest = listener.incoming.arrives(near.host, () => far.destroy());
    if (far.isClosed) {
      guest.leaves();
      return;
    }
    far.handler = guest.enters(far);
    near.handler?.opened();
  }

  #end(host: string, remote: string, handler?: ConnectionHandler, gone = () => {}): End {
    const end: End = new End(this.#medium, host, remote, () => {
      this.#ends.delete(end);
      gone();
    });
    end.handler = handler;
    this.#ends.add(end);
    return end;
  }
}

/** One end of a connection. What it writes is copied, and reaches the other end in order. */
class End implements Connection {
  readonly host: string;
  readonly remote: string;
  readonly names = undefined;
  handler: ConnectionHandler | undefined;
  peer: End | undefined;
  isClosed = false;
  readonly #medium: Medium;
  readonly #gone: () => void;
  #underway = 0;
  #mustDrain = false;
  #hasEnded = false;
  #arrivesAt = 0;
  /** What is to be done at the other end, in order. */
  readonly #acts: ((peer: End) => void)[] = [];
  /** How many of them are due, and held up. */
  #held = 0;

  constructor(medium: Medium, host: string, remote: string, gone: () => void) {
    this.#medium = medium;
    this.host = host;
    this.remote = remote;
    this.#gone = gone;
  }

  write(bytes: Uint8Array): boolean {
    if (this.isClosed || this.#hasEnded) return false;
    // Not `slice`, which copies only where it is not a Buffer.
    const copy = new Uint8Array(bytes);
    this.#underway += copy.length;
    this.#carry((peer) => {
      this.#underway -= copy.length;
      if (!peer.isClosed) peer.handler?.data(copy);
      if (this.#mustDrain && this.#underway <= this.#medium.highWaterBytes) {
        this.#mustDrain = false;
        if (!this.isClosed) this.handler?.drained();
      }
    });
    this.#mustDrain ||= this.#underway > this.#medium.highWaterBytes;
    return !this.#mustDrain;
  }

  end(): void {
    if (this.isClosed || this.#hasEnded) return;
    this.#hasEnded = true;
    // As TCP does it here: who hears the end ends too, and then both are closed.
    this.#carry((peer) => {
      if (peer.isClosed) return;
      peer.end();
      peer.breaks(undefined);
    });
  }

  destroy(): void {
    this.breaks(undefined);
  }

  breaks(error: Error | undefined): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.#gone();
    this.#carry((peer) => peer.breaks(error));
    this.#medium.clock.soon(() => this.handler?.closed(error));
  }

  /** Does what was held up. */
  thaw(): void {
    const { peer } = this;
    while (peer !== undefined && this.#held > 0 && !this.#isFrozen(peer)) {
      this.#held--;
      this.#acts.shift()!(peer);
    }
  }

  /** Does something at the other end, when it has got there. */
  #carry(act: (peer: End) => void): void {
    const { peer } = this;
    if (peer === undefined) return;
    const { clock, delayMs } = this.#medium;
    const now = clock.now();
    this.#arrivesAt = Math.max(this.#arrivesAt, now + delayMs());
    this.#acts.push(act);
    clock.later(this.#arrivesAt - now, () => {
      if (this.#held > 0 || this.#isFrozen(peer)) this.#held++;
      else this.#acts.shift()!(peer);
    });
  }

  #isFrozen(peer: End): boolean {
    const { frozen } = this.#medium;
    return frozen.has(this.host) || frozen.has(peer.host);
  }
}
