/** A member of the group that listens: for clients that lock through it, and for HTTP. */
import type { Server } from 'node:net';
import type { Server as TlsServer } from 'node:tls';
import type { Refusal } from '../client/protocol.ts';
import type { Group } from '../member/join.ts';
import type { AccessRule } from './access.ts';
import { identify, type TlsMaterial } from './certificates.ts';
import type { EventLog } from './event-log.ts';
import { refuseOtherGroup } from './folder-check.ts';
import { Dashboard } from './http.ts';
import { type DaemonLimits, DEFAULT_LIMITS } from './limits.ts';
import { listenOnSocket, listenWithTls, reloadTlsServer } from './listen.ts';
import { LiveTap } from './live-tap.ts';
import { Metrics } from './metrics.ts';
import type { SessionObserver } from './session.ts';
import { Sessions } from './sessions.ts';
import { SharedSurvey } from './shared-survey.ts';
import { type DaemonStatus, daemonStatus } from './status.ts';

export interface DaemonSettings {
  readonly group: Group;
  readonly eventLog: EventLog;
  /** The path of the Unix socket for clients; none if undefined. */
  readonly socket?: string | undefined;
  /** Where clients of other machines connect; nowhere if undefined. */
  readonly remote?: RemoteSettings | undefined;
  /** `host:port` of the page, its JSON and /metrics; none if undefined. */
  readonly dashboard?: string | undefined;
  /** Names under which the page may be asked for, beside localhost, addresses and the dashboard's own host. */
  readonly hosts?: readonly string[] | undefined;
  /** The pages of the other members, by their names: the lab shows their steps beside those of this one. */
  readonly pages?: { readonly [member: string]: string } | undefined;
  readonly limits?: Partial<DaemonLimits> | undefined;
}

export interface RemoteSettings {
  readonly listen: string;
  readonly tls: TlsMaterial;
  /** What clients may do, by the names in their certificates; everything if undefined. */
  readonly access?: readonly AccessRule[] | undefined;
}

/** How long a client on another machine may be silent before it has lost what it holds. */
const LEASE_MS = 10_000;
/** The page and waiting terminals are content with a survey of this age. */
const PAGE_AGE_MS = 1_000;

export class Daemon {
  readonly #settings: DaemonSettings;
  readonly #limits: DaemonLimits;
  readonly #sessions: Sessions;
  readonly #surveys: SharedSurvey;
  readonly #metrics = new Metrics();
  readonly #servers: Server[] = [];
  readonly #startedAt = performance.now();
  #remote: RemoteSettings | undefined;
  #tlsServer: TlsServer | undefined;
  #dashboard: Dashboard | undefined;

  /** Resolves when the daemon listens everywhere. */
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
    this.#remote = settings.remote;
    this.#limits = { ...DEFAULT_LIMITS, ...settings.limits };
    const { group } = settings;
    const { group: name } = group.memberStatus();
    this.#surveys = new SharedSurvey(() => group.backend.query());
    this.#sessions = new Sessions({
      member: group.id,
      group: name,
      get members() {
        return group.members;
      },
      engine: group.engine,
      rightMs: group.rightMs,
      leftMs: () => group.backend.leaseLeftMs() ?? 0,
      forget: (member) => group.forget(member),
      backend: group.backend,
      meter: this.#metrics,
      surveys: this.#surveys,
      limits: this.#limits,
      status: () => this.status(),
      observer: this.#observer(),
    });
  }

  async #open(): Promise<void> {
    const { socket, dashboard, hosts = [], pages = {} } = this.#settings;
    if (socket !== undefined) await this.#openSocket(socket);
    if (this.#remote !== undefined) await this.#openRemote(this.#remote);
    if (dashboard !== undefined) {
      this.#dashboard = await Dashboard.open(dashboard, hosts, {
        member: () => this.#settings.group.memberStatus(),
        status: () => this.status(),
        recentStatus: () => this.#statusOfAge(PAGE_AGE_MS),
        metrics: () => this.#metrics.text(this.#settings.group.memberStatus(), this.#sessions.size),
        metricsType: this.#metrics.contentType,
        tap: new LiveTap(this.#settings.group.backend),
        pages,
      });
    }
  }

  async #openSocket(socket: string): Promise<void> {
    const { group } = this.#settings;
    const { group: name } = group.memberStatus();
    const ours = { group: name, members: group.members, engine: group.engine };
    await refuseOtherGroup(socket, ours);
    const server = await listenOnSocket(socket);
    this.#servers.push(server);
    this.#sessions.serve(server, { event: 'connection', leaseMs: 0 });
    // Once more: another daemon may have started at the same time, and now either of them sees the other.
    await refuseOtherGroup(socket, ours);
  }

  async #openRemote({ listen, tls }: RemoteSettings): Promise<void> {
    const refused = (message: string) => this.#refuse('tls', message);
    const server = await listenWithTls(listen, tls, this.#limits, refused);
    this.#servers.push(server);
    this.#tlsServer = server;
    const { group } = this.#settings.group.memberStatus();
    this.#sessions.serve(server, {
      event: 'secureConnection',
      leaseMs: LEASE_MS,
      identify: (socket) => {
        const { tls: now, access } = this.#remote!;
        return identify(socket, group, now.requireRoles === true, access);
      },
    });
  }

  /** Replaces the certificates and access rules. Sessions that are open stay as they are. */
  async reload(tls: TlsMaterial, access: readonly AccessRule[] | undefined): Promise<void> {
    await this.#settings.group.reloadTls(tls);
    if (this.#remote === undefined || this.#tlsServer === undefined) return;
    this.#remote = { ...this.#remote, tls, access };
    reloadTlsServer(this.#tlsServer, tls);
  }

  /** The address of the page, if there is one. */
  get page(): string | undefined {
    return this.#dashboard?.url;
  }

  status(): Promise<DaemonStatus> {
    return this.#statusOfAge(undefined);
  }

  async #statusOfAge(maxAgeMs: number | undefined): Promise<DaemonStatus> {
    const surveys = this.#surveys;
    const survey = await (maxAgeMs === undefined ? surveys.fresh() : surveys.recent(maxAgeMs));
    const { group, eventLog } = this.#settings;
    return daemonStatus({
      member: group.memberStatus(),
      survey,
      sessions: Array.from(this.#sessions, ({ clientId, certificate, held, waiting }) => ({
        clientId,
        ...(certificate !== undefined && { certificate }),
        held,
        waiting,
      })),
      events: eventLog.recent,
      upMs: Math.round(performance.now() - this.#startedAt),
    });
  }

  /** Ends every session, stops listening, and leaves the group. */
  async close(): Promise<void> {
    for (const server of this.#servers) server.close();
    this.#sessions.close(new Error('the daemon stops'));
    await this.#dashboard?.close();
    await this.#settings.group.leave();
  }

  #refuse(reason: Refusal, message: string): void {
    this.#metrics.refused(reason);
    const text = `a client was refused: ${message}`;
    this.#settings.eventLog.addLimited(reason, 'warn', 'client-refused', text);
  }

  #observer(): SessionObserver {
    const { eventLog } = this.#settings;
    return {
      opened: ({ clientId, certificate }) => {
        this.#metrics.sessionOpened();
        eventLog.debug('session-opened', `${clientId} is connected`, { clientId, certificate });
      },
      ended: ({ clientId, certificate, held, waiting }, { message }) => {
        const details = { clientId, certificate, held, waiting, reason: message };
        const freed =
          held + waiting === 0 ? '' : `: ${held} locks released, ${waiting} requests cancelled`;
        eventLog.debug('session-ended', `${clientId} is disconnected${freed}`, details);
      },
      refused: (reason, message) => this.#refuse(reason, message),
      lost: ({ clientId }, { name }, { message }) => {
        const text = `${clientId} lost the lock ${JSON.stringify(name)}: ${message}`;
        eventLog.addLimited('lost', 'warn', 'lock-lost', text);
      },
    };
  }
}
