/**
 * A member of the group with doors for others: clients that lock through it, and people and programs
 * that want to see inside.
 */
import type { Server } from 'node:net';
import type { Refusal } from '../client/protocol.ts';
import type { Group } from '../member/join.ts';
import type { GroupStatus } from '../member/status.ts';
import type { TlsSettings } from '../net/tls.ts';
import type { EventLog, LoggedEvent } from './event-log.ts';
import { Dashboard } from './http.ts';
import { listenOnSocket, listenWithTls } from './listen.ts';
import { Metrics } from './metrics.ts';
import type { SessionObserver, SessionStatus } from './session.ts';
import { Sessions } from './sessions.ts';

export interface DaemonSettings {
  readonly group: Group;
  readonly eventLog: EventLog;
  /** The path of the Unix socket for clients; none if undefined. */
  readonly socket?: string | undefined;
  /** Where clients of other machines connect; none if undefined. */
  readonly remote?: { readonly listen: string; readonly tls: TlsSettings } | undefined;
  /** `host:port` of the page, its JSON and /metrics; none if undefined. */
  readonly dashboard?: string | undefined;
}

/** What `latchkey status --json` and /status.json show. */
export interface DaemonStatus extends GroupStatus {
  readonly sessions: readonly SessionStatus[];
  readonly events: readonly LoggedEvent[];
  readonly upMs: number;
  /** Of the daemon's process. */
  readonly pid: number;
}

/** How long a client on another machine may be silent before it has lost what it holds. */
const LEASE_MS = 10_000;
/** Of refusals for one reason, in a minute. */
const MOST_LINES = 10;

export class Daemon {
  readonly #settings: DaemonSettings;
  readonly #clients: Sessions;
  readonly #metrics = new Metrics();
  readonly #servers: Server[] = [];
  readonly #began = performance.now();
  readonly #refusalLines = new Map<Refusal, { minute: number; count: number }>();
  #dashboard: Dashboard | undefined;

  /** Resolves when all doors are open. */
  static async start(settings: DaemonSettings): Promise<Daemon> {
    const daemon = new Daemon(settings);
    try {
      await daemon.#open();
    } catch (error) {
      await daemon.close();
      throw error;
    }
    return daemon;
  }

  private constructor(settings: DaemonSettings) {
    this.#settings = settings;
    const { group } = settings;
    this.#clients = new Sessions({
      member: group.id,
      backend: this.#metrics.measure(group.backend),
      status: () => this.status(),
      observer: this.#observer(),
    });
  }

  async #open(): Promise<void> {
    const { socket, remote, dashboard } = this.#settings;
    if (socket !== undefined) {
      const server = await listenOnSocket(socket);
      this.#servers.push(server);
      this.#clients.serve(server, 'connection', 0);
    }
    if (remote !== undefined) {
      const server = await listenWithTls(remote.listen, remote.tls);
      this.#servers.push(server);
      server.on('tlsClientError', ({ message }: Error) => this.#refuse('tls', message));
      this.#clients.serve(server, 'secureConnection', LEASE_MS);
    }
    if (dashboard !== undefined) {
      this.#dashboard = await Dashboard.open(dashboard, {
        status: () => this.status(),
        metrics: async () =>
          this.#metrics.text(await this.#settings.group.status(), this.#clients.sessions.length),
        metricsType: this.#metrics.contentType,
      });
    }
  }

  /** The address of the page, if there is one. */
  get page(): string | undefined {
    return this.#dashboard?.url;
  }

  async status(): Promise<DaemonStatus> {
    const status = await this.#settings.group.status();
    const sessions = this.#clients.sessions.map(({ clientId, held, waiting }) => ({
      clientId,
      held,
      waiting,
    }));
    const upMs = Math.round(performance.now() - this.#began);
    return { ...status, sessions, upMs, pid: process.pid, events: this.#settings.eventLog.recent };
  }

  /** Ends every session, closes the doors, leaves the group. */
  async close(): Promise<void> {
    for (const server of this.#servers) server.close();
    this.#clients.close(new Error('the daemon stops'));
    await this.#dashboard?.close();
    await this.#settings.group.leave();
  }

  /** All are counted; a flood of them does not become a flood of lines. */
  #refuse(reason: Refusal, message: string): void {
    this.#metrics.refused(reason);
    const minute = Math.floor(performance.now() / 60_000);
    const lines = this.#refusalLines.get(reason);
    const count = lines?.minute === minute ? lines.count + 1 : 1;
    this.#refusalLines.set(reason, { minute, count });
    if (count > MOST_LINES) return;
    const text = `a client was refused: ${message}`;
    this.#settings.eventLog.note('warn', 'client-refused', text, { reason });
  }

  #observer(): SessionObserver {
    const { eventLog } = this.#settings;
    return {
      opened: ({ clientId }) => {
        this.#metrics.sessionOpened();
        eventLog.detail('session-opened', `${clientId} is here`, { clientId });
      },
      ended: ({ clientId, held, waiting }, { message }) => {
        const details = { clientId, held, waiting, reason: message };
        const left = held + waiting === 0 ? '' : `, and frees ${held} held, ${waiting} waiting`;
        eventLog.detail('session-ended', `${clientId} is gone${left}`, details);
      },
      refused: (reason, message) => this.#refuse(reason, message),
      lost: ({ clientId }, { name }, { message }) => {
        const text = `${clientId} lost the lock ${JSON.stringify(name)}: ${message}`;
        eventLog.note('warn', 'lock-lost', text, { clientId, name });
      },
    };
  }
}
