/** The client's end of a session: a LockBackend whose locks the daemon holds on its behalf. */
import type {
  LockBackend,
  RequestHandle,
  RequestListener,
  RequestSpec,
  Survey,
  SurveyEntry,
} from '../group/backend.ts';
import { NotMemberError } from '../group/errors.ts';
import { Channel, type ReadSocket } from './channel.ts';
import { DaemonLostError, fromWireError, NoDaemonError } from './errors.ts';
import { afterCallbacks } from './flush-queue.ts';
import { FormOfDaemon } from './forms.ts';
import { PREAMBLE } from './frame-codec.ts';
import { Lease, MemberRight, Pings } from './lease.ts';
import { IDLE_MS } from './loans.ts';
import {
  type ClientMessage,
  type DaemonMessage,
  FRAMES_PROTOCOL,
  MAX_DAEMON_FRAME,
  ProtocolError,
} from './protocol.ts';
import { ClientRequests, type RequestPort } from './requests.ts';

/** Requests that the daemon has not read yet; a daemon that stopped reading is given up. */
const MAX_UNREAD_BYTES = 67_108_864;

interface PendingReply {
  readonly held: SurveyEntry[];
  readonly pending: SurveyEntry[];
  resolve(reply: object): void;
  reject(reason: Error): void;
}

export class ClientSession implements LockBackend {
  clientId = '';
  /** The member that serves this session, its group, and the members of that group. */
  member = '';
  group = '';
  members: readonly string[] = [];
  /** The engine of the group, if it is on a store. */
  engine: string | undefined;
  readonly #channel: Channel<DaemonMessage>;
  readonly #requests = new ClientRequests(this.#port());
  readonly #replies = new Map<number, PendingReply>();
  #loanTimer: NodeJS.Timeout | undefined;
  readonly #ended = new AbortController();
  #lastId = 0;
  #opening: { resolve(): void; reject(reason: Error): void } | undefined;
  #pings: Pings | undefined;
  #lease: Lease | undefined;
  #right: MemberRight | undefined;

  /** Says hello over a new connection, and resolves when the daemon has answered `welcome`. */
  static async open(socket: ReadSocket, as: string): Promise<ClientSession> {
    const session = new ClientSession(socket);
    await new Promise<void>((resolve, reject) => {
      session.#opening = { resolve, reject };
      session.#channel.sendBytes(PREAMBLE);
      session.#channel.send({ type: 'hello', protocol: FRAMES_PROTOCOL, as });
    });
    return session;
  }

  private constructor(socket: ReadSocket) {
    const limits = { maxUnreadBytes: MAX_UNREAD_BYTES };
    const form = new FormOfDaemon(MAX_DAEMON_FRAME);
    this.#channel = new Channel(socket, form, limits, afterCallbacks, {
      message: (message) => (this.#on[message.type] as (message: DaemonMessage) => void)(message),
      ended: (reason) => this.#end(reason),
    });
  }

  /** Aborted, with the reason, when the session is over. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  /** Whether the daemon may lend it locks. */
  set mayBorrow(mayBorrow: boolean) {
    this.#requests.mayBorrow = mayBorrow;
  }

  request(spec: RequestSpec, listener: RequestListener): RequestHandle {
    if (!this.#channel.isOver) return this.#requests.request(spec, listener);
    listener.failed(this.#ended.signal.reason as Error);
    return { release: () => {} };
  }

  #port(): RequestPort {
    return {
      send: (message) => this.#channel.send(message),
      nextId: () => ++this.#lastId,
      now: () => performance.now(),
      mayTell: () => {
        if (!this.#right?.isOver) return true;
        this.#pings?.now();
        return false;
      },
      mayReenter: () => !this.#right?.isOver && !this.#lease?.isOver,
      checkDeadline: () => this.checkDeadline(),
    };
  }

  /** If the member may no longer act, as far as this client knows, all its locks are lost when this returns. */
  checkDeadline(): void {
    this.#right?.check();
  }

  /** How long a command may take to stop after its lock was lost, before another holder may be granted it. */
  get leftToStopMs(): number {
    return this.#right?.leftToStopMs ?? Number.POSITIVE_INFINITY;
  }

  query(): Promise<Survey> {
    return this.#ask((id) => ({ type: 'query', id })) as Promise<Survey>;
  }

  /** As `query`, but the answer may be up to this old: many waiting clients share one survey. */
  queryRecent(maxAgeMs: number): Promise<Survey> {
    return this.#ask((id) => ({ type: 'query', id, maxAgeMs })) as Promise<Survey>;
  }

  askUnreachable(name: string, permits: number): Promise<readonly string[]> {
    const answer = this.#ask((id) => ({ type: 'unreachable', id, name, permits }));
    return answer as Promise<readonly string[]>;
  }

  /** What `latchkey status --json` prints. */
  status(): Promise<object> {
    return this.#ask((id) => ({ type: 'status', id }));
  }

  /** Rejects if the daemon does not forget the member. */
  async forget(member: string): Promise<void> {
    await this.#ask((id) => ({ type: 'forget', id, member }));
  }

  /** Ends the session: releases its locks and cancels its requests. Resolves when the connection is closed. */
  close(reason: Error): Promise<void> {
    this.#channel.end(reason);
    return this.#channel.closed;
  }

  #ask(messageWith: (id: number) => ClientMessage): Promise<object> {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      if (this.#channel.isOver) return reject(this.#ended.signal.reason);
      this.#replies.set(id, { held: [], pending: [], resolve, reject });
      this.#channel.send(messageWith(id));
    });
  }

  readonly #on: {
    readonly [T in DaemonMessage['type']]: (message: DaemonMessage & { type: T }) => void;
  } = {
    welcome: (message) => this.#begin(message),
    refused: ({ reason }) => {
      this.#channel.end(new NoDaemonError(`the daemon refuses: ${reason}`));
    },
    granted: (message) => this.#requests.granted(message.id, message),
    lent: (message) => {
      this.#requests.granted(message.id, message, message);
      this.#loanTimer ??= setInterval(this.#giveBackIdle, IDLE_MS).unref();
    },
    recall: ({ id }) => this.#requests.recall(id),
    busy: ({ id }) => this.#requests.busy(id),
    failed: ({ id, error }) => {
      this.#takeReply(id)?.reject(fromWireError(error));
      this.#requests.failed(id, fromWireError(error));
    },
    lost: ({ id, error }) => this.#requests.lost(id, fromWireError(error)),
    survey: ({ id, survey, isLast }) => this.#addPart(id, survey, isLast),
    status: ({ id, status }) => this.#takeReply(id)?.resolve(status),
    unreachable: ({ id, members }) => this.#takeReply(id)?.resolve(members),
    forgotten: ({ id }) => this.#takeReply(id)?.resolve({}),
    pong: ({ id, leftMs = 0 }) => {
      const sent = this.#pings?.answered(id);
      if (sent === undefined) return;
      this.#lease?.renew(sent);
      if (this.#right === undefined) return;
      this.#right.renew(sent, leftMs);
      if (!this.#right.isOver) this.#requests.tellUntold();
    },
  };

  #begin(welcome: DaemonMessage & { type: 'welcome' }): void {
    const { protocol, member, clientId, leaseMs, group, members, engine, rightMs } = welcome;
    if (protocol !== FRAMES_PROTOCOL)
      throw new ProtocolError('wrong-version', `version ${protocol}`);
    this.member = member;
    this.clientId = clientId;
    this.group = group;
    this.members = members;
    this.engine = engine;
    const ping = (id: number) => this.#channel.send({ type: 'ping', id });
    if (leaseMs > 0) {
      const silent = `nothing heard from the daemon for ${leaseMs / 1000} seconds`;
      this.#lease = new Lease(leaseMs, () => this.#channel.end(new Error(silent)));
    }
    if (rightMs !== undefined) this.#right = new MemberRight(rightMs, () => this.#loseAll());
    const everyMs = Math.min(leaseMs > 0 ? leaseMs / 4 : Infinity, (rightMs ?? Infinity) / 8);
    if (everyMs < Infinity) this.#pings = new Pings(everyMs, ping);
    this.#opening?.resolve();
  }

  readonly #giveBackIdle = (): void => {
    this.#requests.giveBackIdle();
    if (this.#requests.loans.size > 0) return;
    clearInterval(this.#loanTimer);
    this.#loanTimer = undefined;
  };

  /** The member may no longer act: what it held for this client is lost. Requests that wait, wait on. */
  #loseAll(): void {
    const why = 'its daemon does not answer, or does not reach the store';
    const reason = new NotMemberError(`${this.member} is no member for now: ${why}`);
    this.#requests.loseAll(reason);
  }

  #addPart(id: number, survey: Survey, isLast: boolean): void {
    const reply = this.#replies.get(id);
    if (reply === undefined) return;
    for (const entry of survey.held) reply.held.push(entry);
    for (const entry of survey.pending) reply.pending.push(entry);
    if (!isLast) return;
    this.#replies.delete(id);
    const { held, pending } = reply;
    reply.resolve({ held, pending, unreachable: survey.unreachable } satisfies Survey);
  }

  #takeReply(id: number): PendingReply | undefined {
    const reply = this.#replies.get(id);
    this.#replies.delete(id);
    return reply;
  }

  #end(cause: Error): void {
    this.#pings?.stop();
    this.#lease?.stop();
    this.#right?.stop();
    clearInterval(this.#loanTimer);
    const lost = (why: string) => new DaemonLostError(`the daemon is gone: ${why}`, { cause });
    const reason = cause.name === 'Error' || 'code' in cause ? lost(cause.message) : cause;
    this.#ended.abort(reason);
    this.#opening?.reject(reason);
    for (const { reject } of this.#replies.values()) reject(reason);
    this.#replies.clear();
    this.#requests.end(reason);
  }
}
