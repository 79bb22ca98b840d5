/** The client's end of a session: a LockBackend whose locks are held by the daemon on its behalf. */
import type { Socket } from 'node:net';
import type {
  LockBackend,
  RequestHandle,
  RequestListener,
  RequestSpec,
  Survey,
} from '../group/backend.ts';
import { LineChannel } from './channel.ts';
import { DaemonLostError, fromWireError, NoDaemonError } from './errors.ts';
import {
  type ClientMessage,
  type DaemonMessage,
  MAX_DAEMON_LINE,
  PROTOCOL,
  ProtocolError,
  readDaemonMessage,
} from './protocol.ts';

interface Request {
  readonly caller: RequestListener;
  granted: boolean;
}
interface Query {
  resolve(answer: object): void;
  reject(reason: Error): void;
}

export class ClientSession implements LockBackend {
  clientId = '';
  /** The member that serves us. */
  member = '';
  readonly #conversation: LineChannel;
  readonly #requests = new Map<number, Request>();
  readonly #queries = new Map<number, Query>();
  readonly #ended = new AbortController();
  #numbers = 0;
  #welcomed: Query | undefined;
  #lease: Lease | undefined;

  /** Says hello over a fresh connection, and resolves when the daemon has welcomed us. */
  static async open(socket: Socket, as: string): Promise<ClientSession> {
    const session = new ClientSession(socket);
    await new Promise<object>((resolve, reject) => {
      session.#welcomed = { resolve, reject };
      session.#conversation.send({ type: 'hello', protocol: PROTOCOL, as });
    });
    return session;
  }

  private constructor(socket: Socket) {
    this.#conversation = new LineChannel(socket, MAX_DAEMON_LINE, {
      line: (line) => {
        const answer = readDaemonMessage(line);
        (this.#on[answer.type] as (answer: DaemonMessage) => void)(answer);
      },
      ended: (reason) => this.#end(reason),
    });
  }

  /** Aborted when the session is over, with the reason. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  request({ name, permits, mode, how }: RequestSpec, caller: RequestListener): RequestHandle {
    const id = ++this.#numbers;
    if (this.#conversation.over) {
      caller.failed(this.#ended.signal.reason as Error);
      return { release: () => {} };
    }
    this.#requests.set(id, { caller, granted: false });
    this.#conversation.send({ type: 'ask', id, name, permits, mode, how });
    return {
      release: () => {
        if (this.#requests.delete(id)) this.#conversation.send({ type: 'done', id });
      },
    };
  }

  query(): Promise<Survey> {
    return this.#question((id) => ({ type: 'query', id })) as Promise<Survey>;
  }

  /** What `latchkey status --json` prints. */
  status(): Promise<object> {
    return this.#question((id) => ({ type: 'status', id }));
  }

  /** Ends the session: what is held is given back, what waits fails. Resolves when that is so. */
  close(reason: Error): Promise<void> {
    this.#conversation.end(reason);
    return this.#conversation.closed;
  }

  #question(about: (id: number) => ClientMessage): Promise<object> {
    const id = ++this.#numbers;
    return new Promise((resolve, reject) => {
      if (this.#conversation.over) return reject(this.#ended.signal.reason);
      this.#queries.set(id, { resolve, reject });
      this.#conversation.send(about(id));
    });
  }

  readonly #on: {
    readonly [T in DaemonMessage['type']]: (answer: DaemonMessage & { type: T }) => void;
  } = {
    welcome: (answer) => this.#begin(answer),
    refused: ({ reason }) => {
      this.#conversation.end(new NoDaemonError(`the daemon refuses: ${reason}`));
    },
    granted: ({ id, epoch, clock }) => {
      const request = this.#requests.get(id);
      if (request === undefined) return;
      request.granted = true;
      request.caller.granted({ epoch, clock });
    },
    busy: ({ id }) => this.#take(id)?.caller.busy(),
    failed: ({ id, error }) => this.#take(id)?.caller.failed(fromWireError(error)),
    lost: ({ id, error }) => this.#take(id)?.caller.lost(fromWireError(error)),
    census: ({ id, census }) => this.#reply(id, census),
    status: ({ id, status }) => this.#reply(id, status),
    pong: ({ id }) => this.#lease?.renew(id),
  };

  #begin({ protocol, member, clientId, leaseMs }: DaemonMessage & { type: 'welcome' }): void {
    if (protocol !== PROTOCOL) throw new ProtocolError('wrong-version', `version ${protocol}`);
    this.member = member;
    this.clientId = clientId;
    if (leaseMs > 0) {
      const ping = (id: number) => this.#conversation.send({ type: 'ping', id });
      const silent = `nothing heard from the daemon for ${leaseMs / 1000} seconds`;
      this.#lease = new Lease(leaseMs, ping, () => this.#conversation.end(new Error(silent)));
    }
    this.#welcomed?.resolve({});
  }

  #take(id: number): Request | undefined {
    const request = this.#requests.get(id);
    this.#requests.delete(id);
    return request;
  }

  #reply(id: number, found: object): void {
    this.#queries.get(id)?.resolve(found);
    this.#queries.delete(id);
  }

  #end(cause: Error): void {
    this.#lease?.stop();
    const lost = (why: string) => new DaemonLostError(`the daemon is gone: ${why}`, { cause });
    const reason = cause.name === 'Error' || 'code' in cause ? lost(cause.message) : cause;
    this.#ended.abort(reason);
    this.#welcomed?.reject(reason);
    for (const { reject } of this.#queries.values()) reject(reason);
    this.#queries.clear();
    const requests = [...this.#requests.values()];
    this.#requests.clear();
    for (const { caller, granted } of requests) {
      if (granted) caller.lost(reason);
      else caller.failed(reason);
    }
  }
}

/**
 * The proof that the daemon still counts us in: it heard what we sent within the lease. Counted from when
 * we sent it, so that by the clocks of both we give up before the daemon does.
 */
class Lease {
  readonly #leaseMs: number;
  readonly #sent = new Map<number, number>();
  readonly #pinging: NodeJS.Timeout;
  readonly #expired: () => void;
  #expiry: NodeJS.Timeout;
  #number = 0;

  constructor(leaseMs: number, ping: (id: number) => void, expired: () => void) {
    this.#leaseMs = leaseMs;
    this.#expired = expired;
    this.#expiry = setTimeout(expired, leaseMs);
    const next = () => {
      this.#sent.set(++this.#number, performance.now());
      ping(this.#number);
    };
    next();
    this.#pinging = setInterval(next, leaseMs / 4);
  }

  renew(id: number): void {
    const sent = this.#sent.get(id);
    if (sent === undefined) return;
    for (const earlier of this.#sent.keys()) if (earlier <= id) this.#sent.delete(earlier);
    clearTimeout(this.#expiry);
    this.#expiry = setTimeout(this.#expired, sent + this.#leaseMs - performance.now());
  }

  stop(): void {
    clearInterval(this.#pinging);
    clearTimeout(this.#expiry);
  }
}
