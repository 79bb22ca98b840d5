/**
 * The clients of a daemon: processes that lock through this member instead of being members themselves.
 * Each connection is a session; when it ends, for whatever reason, all it held or waited for is freed.
 */
import type { Server, Socket } from 'node:net';
import { DaemonSession, type SessionContext, type SessionStatus } from './session.ts';

/** A flood of connections stops here. */
const MOST_SESSIONS = 10_000;

export class Sessions {
  readonly #context: SessionContext;
  readonly #open = new Set<DaemonSession>();
  #numbers = 0;

  constructor(context: SessionContext) {
    this.#context = context;
  }

  get sessions(): readonly SessionStatus[] {
    return [...this.#open].filter(({ greeted }) => greeted);
  }

  /**
   * Serves whoever connects to `server`. With a lease, a client that is silent for half as long again
   * is given up; without one (0) only the end of its connection ends a session, as it should be where
   * the kernel tells of every death: a process that is merely stopped keeps its locks.
   */
  serve(server: Server, event: 'connection' | 'secureConnection', leaseMs: number): void {
    server.on(event, (socket: Socket) => {
      if (this.#open.size >= MOST_SESSIONS) {
        this.#context.observer.refused('too-many-sessions', 'too many sessions');
        socket.destroy();
        return;
      }
      const clientId = `${this.#context.member}/${++this.#numbers}`;
      const gone = () => this.#open.delete(session);
      const session = new DaemonSession(this.#context, clientId, leaseMs, socket, gone);
      this.#open.add(session);
    });
  }

  /** Ends every session; what they held is free when this returns. */
  close(reason: Error): void {
    // Who waits must not get, for a moment, what another gives back.
    for (const session of this.#open) session.withdraw();
    for (const session of [...this.#open]) session.end(reason);
  }
}
