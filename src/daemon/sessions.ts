/** All sessions of a daemon: processes that lock through this member instead of being members themselves. */
import type { Server, Socket } from 'node:net';
import { UnreadMeter } from '../client/channel.ts';
import type { Access } from './access.ts';
import { RequestBudget } from './limits.ts';
import {
  DaemonSession,
  type SessionContext,
  type SessionStatus,
  type SharedBudgets,
} from './session.ts';

/** What the TLS port knows of a client before its first message. */
export interface Identity {
  readonly certificate: string;
  readonly access: Access;
}

export interface ServeSettings {
  readonly event: 'connection' | 'secureConnection';
  /**
   * With a lease, the daemon ends the session of a client that is silent for half as long again. Without one
   * (0) only the end of the connection ends a session: on one machine the kernel tells of every death, and a
   * process that is merely stopped keeps its locks.
   */
  readonly leaseMs: number;
  /** The name and the rights of the client, or the reason why it is refused. Without this all is allowed. */
  readonly identify?: (socket: Socket) => Identity | Error;
}

/** A connection that has been silent for this long may be ended to make room. */
const SILENT_MS = 1_000;

export class Sessions {
  readonly #context: SessionContext;
  readonly #budgets: SharedBudgets;
  readonly #open = new Set<DaemonSession>();
  /** Connections that have not said hello, oldest first, and when each connected. */
  readonly #halfOpen = new Map<DaemonSession, number>();
  #lastNumber = 0;

  constructor(context: SessionContext) {
    this.#context = context;
    const { maxRequests, maxBytes, maxUnreadBytes } = context.limits;
    this.#budgets = {
      requests: new RequestBudget('the daemon', maxRequests, maxBytes),
      unread: new UnreadMeter(maxUnreadBytes),
    };
  }

  /** Sessions that have said hello. */
  get size(): number {
    let count = 0;
    for (const { isGreeted } of this.#open) if (isGreeted) count++;
    return count;
  }

  *[Symbol.iterator](): Iterator<SessionStatus> {
    for (const session of this.#open) if (session.isGreeted) yield session;
  }

  serve(server: Server, { event, leaseMs, identify }: ServeSettings): void {
    server.on(event, (socket: Socket) => {
      const { limits, observer, member } = this.#context;
      if (this.#open.size >= limits.maxSessions) {
        observer.refused('too-many-sessions', `more than ${limits.maxSessions} sessions`);
        socket.destroy();
        return;
      }
      const identity = identify?.(socket);
      const known = identity instanceof Error ? { refusal: identity } : identity;
      const clientId = `${member}/${++this.#lastNumber}`;
      const gone = () => {
        this.#open.delete(session);
        this.#halfOpen.delete(session);
      };
      const connection = { socket, clientId, leaseMs, ...known };
      const session: DaemonSession = new DaemonSession(
        this.#context,
        this.#budgets,
        connection,
        gone,
      );
      this.#open.add(session);
      this.#halfOpen.set(session, performance.now());
      this.#trimHalfOpen();
    });
  }

  /** Ends every session. Their locks are released when this returns. */
  close(reason: Error): void {
    // What one session releases must not be granted, for a moment, to another that is about to end.
    for (const session of this.#open) session.withdraw();
    for (const session of [...this.#open]) session.end(reason);
  }

  /** A burst of clients says hello at once; a flood of silent connections makes room for them. */
  #trimHalfOpen(): void {
    const { limits, observer } = this.#context;
    if (this.#halfOpen.size <= limits.maxHalfOpen) return;
    const silentSince = performance.now() - SILENT_MS;
    for (const [session, since] of this.#halfOpen) {
      if (session.isGreeted) this.#halfOpen.delete(session);
      else if (since > silentSince || this.#halfOpen.size <= limits.maxHalfOpen) return;
      else {
        const why = 'too many connections that have not said hello';
        observer.refused('too-many-sessions', why);
        session.end(new Error(why));
      }
    }
  }
}
