import type { Clock } from './clock.ts';
import {
  type Acceptor,
  type Connection,
  type ConnectionHandler,
  ListenError,
  type PendingConnection,
  type Transport,
} from './transport.ts';

export interface MemorySettings {
  /** The delay of each write, called for each; writes never overtake one another. By default 0. */
  readonly delayMs: () => number;
  /** How many bytes may be in flight before `write` returns false. By default 64 KiB. */
  readonly highWaterBytes: number;
}

/** What the ends of connections share. */
interface Medium extends MemorySettings {
  readonly clock: Clock;
  readonly frozen: ReadonlySet<string>;
}

/**
 * A network in memory, of hosts with names. All delays use the clock, so with a clock that the test advances every run
 * is the same. Connections can be cut; hosts can be isolated, frozen and crashed.
 */
export class MemoryNetwork {
  readonly #medium: Medium;
  readonly #listeners = new Map<string, { readonly host: string; readonly acceptor: Acceptor }>();
  readonly #ends = new Set<End>();
  readonly #isolated = new Set<string>();
  readonly #frozen = new Set<string>();

  constructor(clock: Clock, settings: Partial<MemorySettings> = {}) {
    const { delayMs = () => 0, highWaterBytes = 65_536 } = settings;
    this.#medium = { clock, delayMs, highWaterBytes, frozen: this.#frozen };
  }

  /** The transport of one host. */
  host(host: string): Transport {
    return {
      listen: async (address, acceptor) => {
        if (this.#listeners.has(address)) throw new ListenError(address, { code: 'EADDRINUSE' });
        this.#listeners.set(address, { host, acceptor });
        const close = async () => {
          if (this.#listeners.get(address)?.acceptor === acceptor) this.#listeners.delete(address);
        };
        return { address, close };
      },
      dial: (address, handler) => {
        const end = this.#end(host, address, handler);
        const { clock, delayMs } = this.#medium;
        clock.later(delayMs(), () => this.#connect(end, address));
        return end;
      },
    };
  }

  /** Breaks the connections of that host, or all: bytes in flight are lost. */
  cut(host?: string): void {
    for (const end of this.#ends) {
      if (host !== undefined && end.host !== host) continue;
      end.peer?.break(new Error('cut'));
      end.break(new Error('cut'));
    }
  }

  /** Refuses all connections from and to that host, or allows them again. */
  isolate(host: string, isolated: boolean): void {
    if (isolated) this.#isolated.add(host);
    else this.#isolated.delete(host);
    if (isolated) this.cut(host);
  }

  /** Holds back all bytes from and to that host without an error, or delivers them. */
  freeze(host: string, frozen: boolean): void {
    if (frozen) this.#frozen.add(host);
    else this.#frozen.delete(host);
    for (const end of this.#ends) {
      end.thaw();
      end.peer?.thaw();
    }
  }

  /** The process on that host is gone: its handlers are not called any more. */
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

  #connect(dialing: End, address: string): void {
    if (dialing.isClosed || this.#frozen.has(dialing.host)) return;
    const listener = this.#listeners.get(address);
    const isCutOff = this.#isolated.has(dialing.host) || this.#isolated.has(listener?.host ?? '');
    if (listener === undefined || isCutOff) {
      dialing.break(new Error(`no process listens at ${address}`));
      return;
    }
    // No answer at all: the dialing side has to give up by itself.
    if (this.#frozen.has(listener.host)) return;
    let pending: PendingConnection | undefined;
    const accepted = this.#end(listener.host, dialing.host, undefined, () => pending?.closed());
    dialing.peer = accepted;
    accepted.peer = dialing;
    pending = listener.acceptor.accept(dialing.host, () => accepted.destroy());
    if (accepted.isClosed) {
      pending.closed();
      return;
    }
    accepted.handler = pending.established(accepted);
    dialing.handler?.opened();
  }

  #end(host: string, remote: string, handler?: ConnectionHandler, closed = () => {}): End {
    const end: End = new End(this.#medium, host, remote, () => {
      this.#ends.delete(end);
      closed();
    });
    end.handler = handler;
    this.#ends.add(end);
    return end;
  }
}

/** One end of a connection. Bytes are copied, and reach the other end in order. */
class End implements Connection {
  readonly host: string;
  readonly remote: string;
  readonly names = undefined;
  handler: ConnectionHandler | undefined;
  peer: End | undefined;
  isClosed = false;
  readonly #medium: Medium;
  readonly #closed: () => void;
  #inFlight = 0;
  #mustDrain = false;
  #hasEnded = false;
  #arrivesAt = 0;
  /** Actions for the other end, in order. */
  readonly #acts: ((peer: End) => void)[] = [];
  /** How many of them are due, and held back. */
  #held = 0;

  constructor(medium: Medium, host: string, remote: string, closed: () => void) {
    this.#medium = medium;
    this.host = host;
    this.remote = remote;
    this.#closed = closed;
  }

  write(bytes: Uint8Array): boolean {
    if (this.isClosed || this.#hasEnded) return false;
    // Not `slice`, which does not copy a Buffer.
    const copy = new Uint8Array(bytes);
    this.#inFlight += copy.length;
    this.#carry((peer) => {
      this.#inFlight -= copy.length;
      if (!peer.isClosed) peer.handler?.data(copy);
      if (this.#mustDrain && this.#inFlight <= this.#medium.highWaterBytes) {
        this.#mustDrain = false;
        if (!this.isClosed) this.handler?.drained();
      }
    });
    this.#mustDrain ||= this.#inFlight > this.#medium.highWaterBytes;
    return !this.#mustDrain;
  }

  end(): void {
    if (this.isClosed || this.#hasEnded) return;
    this.#hasEnded = true;
    // As with TCP sockets in Node: the other end closes too, and then both are closed.
    this.#carry((peer) => {
      if (peer.isClosed) return;
      peer.end();
      peer.break(undefined);
    });
  }

  destroy(): void {
    this.break(undefined);
  }

  break(error: Error | undefined): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.#closed();
    this.#carry((peer) => peer.break(error));
    this.#medium.clock.soon(() => this.handler?.closed(error));
  }

  /** Runs the actions that were held back. */
  thaw(): void {
    const { peer } = this;
    while (peer !== undefined && this.#held > 0 && !this.#isFrozen(peer)) {
      this.#held--;
      this.#acts.shift()!(peer);
    }
  }

  /** Runs an action at the other end after the delay. */
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
