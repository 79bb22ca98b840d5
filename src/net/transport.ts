/**
 * What carries bytes between two members: TCP, TLS, Unix sockets, or memory. A connection is reliable and
 * in order until it breaks; `test/support/net-transport-suite.ts` holds every transport to this contract.
 */

export interface Transport {
  /** Rejects with a ListenError if the address cannot be had. */
  listen(address: string, incoming: Incoming): Promise<Listener>;
  /** The handler hears `opened` or `closed`, never before this call has returned. */
  dial(address: string, handler: ConnectionHandler): Connection;
}

export interface Connection {
  /** The other end, for people to read. */
  readonly remote: string;
  /** The names in the certificate of the other end; undefined where certificates are not used. */
  readonly names: readonly string[] | undefined;
  /**
   * Sends bytes. False when the other end does not keep up: better wait for `drained`. The bytes must not
   * change until the other end has them.
   */
  write(bytes: Uint8Array): boolean;
  /** Ends once everything is written. */
  end(): void;
  /** Ends at once; what is under way may be lost. */
  destroy(): void;
}

export interface ConnectionHandler {
  /** For the side that dialled: the other end is there. */
  opened(): void;
  /** The first so many bytes have come, or all of them. They are valid only during the call. */
  data(bytes: Uint8Array, length?: number): void;
  drained(): void;
  /** Exactly once, and the last. */
  closed(error: Error | undefined): void;
}

export interface Incoming {
  /** Someone is at the door; nothing is known but where from. `cut` sends it away. */
  arrives(remote: string, cut: () => void): Guest;
}

export interface Guest {
  /** It can be spoken with. */
  enters(connection: Connection): ConnectionHandler;
  /** It could not prove who it is. */
  fails(error: Error): void;
  /** It is gone, whether it entered or not. */
  leaves(): void;
}

export interface Listener {
  /** Where it listens, the port filled in if it was 0. */
  readonly address: string;
  /** Takes no more connections. Those that are open stay so. */
  close(): Promise<void>;
}

/** The address to listen at cannot be had. The message says why and what to do. */
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
  // Node says the same of a directory that is not there.
  EACCES: 'not allowed (EACCES); use a port above 1023, or a directory that exists and is yours',
  ENOTFOUND: 'the host is not known (ENOTFOUND); use one of the addresses of this machine',
};
