/**
 * The transports between two members: TCP, TLS, Unix sockets, or memory. A connection is reliable and in order until
 * it breaks; `test/support/net-transport-suite.ts` tests every transport against this contract.
 */

export interface Transport {
  /** Rejects with a ListenError if it cannot listen at the address. */
  listen(address: string, acceptor: Acceptor): Promise<Listener>;
  /** Calls `opened` or `closed` of the handler, never before this call has returned. */
  dial(address: string, handler: ConnectionHandler): Connection;
}

export interface Connection {
  /** The address of the other end, for people. */
  readonly remote: string;
  /** The names in the certificate of the other end; undefined for transports without certificates. */
  readonly names: readonly string[] | undefined;
  /** Both ends are on this machine: the connection ends at once when the other process does. Default false. */
  readonly isLocal?: boolean;
  /**
   * Writes bytes. False when the other end does not keep up: the caller should wait for `drained`. The bytes
   * must not change until the other end has received them.
   */
  write(bytes: Uint8Array): boolean;
  /** Closes after everything is written. */
  end(): void;
  /** Closes at once; bytes under way may be lost. */
  destroy(): void;
}

export interface ConnectionHandler {
  /** On the side that dialed: the connection is open. */
  opened(): void;
  /** The first `length` bytes were received. They are valid only during the call. */
  data(bytes: Uint8Array, length?: number): void;
  drained(): void;
  /** Exactly once, and the last call. */
  closed(error: Error | undefined): void;
}

/** Accepts the connections of a listener. */
export interface Acceptor {
  /** A connection arrived of which only the address is known. `cut` closes it. */
  accept(remote: string, cut: () => void): PendingConnection;
}

export interface PendingConnection {
  /** The transport's own handshake is complete, and bytes can be exchanged. */
  established(connection: Connection): ConnectionHandler;
  /** The transport's own handshake failed. */
  failed(error: Error): void;
  /** The connection is closed, whether it was established or not. */
  closed(): void;
}

export interface Listener {
  /** The address at which it listens, with the port that the system chose if it was 0. */
  readonly address: string;
  /** Accepts no more connections. Open ones stay open. */
  close(): Promise<void>;
}

/** The process cannot listen at an address. The message says why and what to do. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
  readonly address: string;

  constructor(address: string, cause: unknown) {
    const code = (cause as NodeJS.ErrnoException).code ?? String(cause);
    super(`cannot listen at ${address}: ${hints[code] ?? code}`, { cause });
    this.address = address;
  }
}

const hints: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another process has it (EADDRINUSE); stop that one, or listen elsewhere',
  EADDRNOTAVAIL: 'this machine has no such address (EADDRNOTAVAIL); use one of its own, or 0.0.0.0',
  // Node reports a missing directory in the same way.
  EACCES: 'not allowed (EACCES); use a port above 1023, or a directory that exists and is yours',
  ENOTFOUND: 'the host is not known (ENOTFOUND); use one of the addresses of this machine',
};
