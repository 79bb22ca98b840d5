/** The daemon's end of a session: what one client holds and waits for, until its connection ends. */
import type { Socket } from 'node:net';
import { Channel, type UnreadMeter } from '../client/channel.ts';
import { AccessError, toWireError } from '../client/errors.ts';
import { afterReads } from '../client/flush-queue.ts';
import { FormOfClient } from '../client/forms.ts';
import { type ClientMessage, PROTOCOL, ProtocolError, type Refusal } from '../client/protocol.ts';
import type { LockBackend, RequestHandle, RequestListener, RequestSpec } from '../group/backend.ts';
import { MAX_PERMITS } from '../group/limits.ts';
import { type Access, FULL_ACCESS } from './access.ts';
import { costOf, type DaemonLimits, REQUEST_BYTES, RequestBudget } from './limits.ts';
import { type RequestMeter, ServedRequest, type ServingSession } from './served-request.ts';
import { partsOf, type SharedSurvey } from './shared-survey.ts';

/** What sessions need of their daemon. */
export interface SessionContext {
  readonly member: string;
  readonly group: string;
  /** The names of all members of the group. */
  readonly members: readonly string[];
  /** The engine on a store, if the group has one. */
  readonly engine: string | undefined;
  /** How long the member may act after each renewal of its lease; and from now on, 0 while it may not. */
  readonly rightMs: number | undefined;
  leftMs(): number;
  /** Throws if the member cannot be forgotten. */
  readonly forget: (member: string) => void;
  readonly backend: MemberBackend;
  readonly meter: RequestMeter;
  readonly surveys: SharedSurvey;
  readonly limits: DaemonLimits;
  /** What `latchkey status` prints. */
  status(): Promise<object>;
  readonly observer: SessionObserver;
}

/** A LockBackend that asks on behalf of several clients, each listed under its own name. */
export interface MemberBackend extends LockBackend {
  requestFor(clientId: string, spec: RequestSpec, listener: RequestListener): RequestHandle;
}

/** Hears what happens to sessions; for the log, the metrics and the page. */
export interface SessionObserver {
  opened(session: SessionStatus): void;
  ended(session: SessionStatus, reason: Error): void;
  /** A connection that never became a session, or a session that broke the protocol. */
  refused(refusal: Refusal, message: string): void;
  lost(session: SessionStatus, spec: RequestSpec, reason: Error): void;
}

export interface SessionStatus {
  /** The member, a number, the name in the client's certificate, and what the client calls itself. */
  readonly clientId: string;
  /** The name in the client's certificate; none for clients of this machine. */
  readonly certificate?: string | undefined;
  readonly held: number;
  readonly waiting: number;
}

/** What the daemon knows of a connection before the client says anything. */
export interface Connection {
  readonly socket: Socket;
  readonly clientId: string;
  /** How long the client may be silent; 0 where the kernel tells of every death. */
  readonly leaseMs: number;
  readonly certificate?: string | undefined;
  readonly access?: Access | undefined;
  /** Why the client is refused. It is told when it has said hello, in the form that it speaks. */
  readonly refusal?: Error | undefined;
}

/** Budgets that all sessions of a daemon share. */
export interface SharedBudgets {
  readonly requests: RequestBudget;
  readonly unread: UnreadMeter;
}

const HELLO_MS = 5_000;
/**
 * How often a client may take a lock again that is lent to it. Each time uses up a fence, and a client that is never asked
 * for the lock must read what has arrived before it goes on.
 */
const REENTRIES = 64;
/** A client that has not answered a recall for so long counts as inside: a try is refused, and a steal goes on. */
const RECALL_MS = 1_000;
/** What a client may call itself, in characters. */
const MAX_AS_LENGTH = 200;
/** A line or frame has a name, each byte of it as up to six characters, and little else. */
const maxMessageLength = ({ maxNameBytes }: DaemonLimits): number => 16_384 + 6 * maxNameBytes;

export class DaemonSession implements SessionStatus {
  clientId: string;
  readonly certificate: string | undefined;
  held = 0;
  isGreeted = false;
  readonly #context: SessionContext;
  readonly #access: Access;
  readonly #leaseMs: number;
  readonly #form: FormOfClient;
  readonly #channel: Channel<ClientMessage>;
  readonly #refusal: Error | undefined;
  readonly #budget: RequestBudget;
  readonly #requests = new Map<number, ServedRequest>();
  #silenceTimer: NodeJS.Timeout;
  #queries = 0;
  #lastReply: Promise<void> = Promise.resolve();

  constructor(
    context: SessionContext,
    budgets: SharedBudgets,
    { socket, clientId, leaseMs, certificate, refusal, access = FULL_ACCESS }: Connection,
    gone: () => void,
  ) {
    const { limits } = context;
    this.#context = context;
    this.clientId = certificate === undefined ? clientId : `${clientId} [${certificate}]`;
    this.certificate = certificate;
    this.#access = access;
    this.#refusal = refusal;
    this.#leaseMs = leaseMs;
    const { maxRequestsPerClient, maxBytesPerClient, maxUnreadBytesPerClient } = limits;
    this.#budget = new RequestBudget(
      'this client',
      maxRequestsPerClient,
      maxBytesPerClient,
      budgets.requests,
    );
    const silent = new ProtocolError('no-hello', `no hello within ${HELLO_MS / 1000} seconds`);
    this.#silenceTimer = setTimeout(() => this.end(silent), HELLO_MS);
    this.#form = new FormOfClient(maxMessageLength(limits));
    const channelLimits = { maxUnreadBytes: maxUnreadBytesPerClient, meter: budgets.unread };
    this.#channel = new Channel({ socket }, this.#form, channelLimits, afterReads, {
      message: (message) => this.#receive(message),
      refusal: (error) => ({ type: 'refused', reason: reasonOf(error) }),
      ended: (reason) => {
        clearTimeout(this.#silenceTimer);
        gone();
        this.#free(reason);
      },
    });
  }

  get waiting(): number {
    return this.#requests.size - this.held;
  }

  /** Cancels what waits. The client learns of it when the session ends. */
  withdraw(): void {
    for (const [id, { isGranted }] of this.#requests) {
      if (!isGranted) this.#release(id);
    }
  }

  end(reason: Error): void {
    this.#channel.end(reason);
  }

  #free(reason: Error): void {
    const { observer } = this.#context;
    if (this.isGreeted) observer.ended(this, reason);
    if (reason instanceof ProtocolError) observer.refused(reason.refusal, reason.message);
    else if (!('code' in reason) && reason.name !== 'Error') {
      observer.refused('internal-error', `${reason.name}: ${reason.message}`);
    }
    for (const id of [...this.#requests.keys()]) this.#release(id);
    this.held = 0;
  }

  readonly #on: {
    readonly [T in Exclude<ClientMessage['type'], 'ask' | 'done'>]: (
      message: ClientMessage & { type: T },
    ) => void;
  } = {
    hello: (message) => this.#greet(message),
    query: ({ id, maxAgeMs }) =>
      this.#reply(id, async () => {
        const { surveys } = this.#context;
        const survey = await (maxAgeMs === undefined ? surveys.fresh() : surveys.recent(maxAgeMs));
        const parts = partsOf(survey);
        for (const [i, part] of parts.entries()) {
          await this.#channel.drained();
          const isLast = i === parts.length - 1;
          this.#channel.sendJson(
            `{"type":"survey","id":${id},"survey":${part},"isLast":${isLast}}`,
          );
        }
      }),
    status: ({ id }) =>
      this.#reply(id, async () => {
        const status = await this.#context.status();
        await this.#channel.drained();
        this.#channel.send({ type: 'status', id, status });
      }),
    unreachable: ({ id, name, permits }) => {
      if (this.#access.mayLock(name)) {
        const members = this.#context.backend.unreachableFor?.(name, permits) ?? [];
        this.#channel.send({ type: 'unreachable', id, members });
      } else {
        const error = toWireError(this.#notAllowed('ask for this lock'));
        this.#channel.send({ type: 'failed', id, error });
      }
    },
    forget: ({ id, member }) =>
      this.#reply(id, async () => {
        if (this.#access !== FULL_ACCESS) throw this.#notAllowed('forget a member');
        this.#context.forget(member);
        this.#channel.send({ type: 'forgotten', id });
      }),
    using: ({ id, reentries }) => {
      if (reentries > REENTRIES) {
        throw new ProtocolError('malformed', `more than ${REENTRIES} re-entries`);
      }
      this.#requests.get(id)?.used(reentries);
    },
    ping: ({ id }) => {
      if (this.#leaseMs > 0) this.#silenceTimer.refresh();
      const { rightMs } = this.#context;
      const right = rightMs === undefined ? {} : { leftMs: Math.floor(this.#context.leftMs()) };
      this.#channel.send({ type: 'pong', id, ...right });
    },
  };

  #receive(message: ClientMessage): void {
    if (message.type === 'hello' && this.isGreeted)
      throw new ProtocolError('second-hello', 'a second hello');
    if (message.type !== 'hello' && !this.isGreeted)
      throw new ProtocolError('no-hello', 'no hello at first');
    // The two that come most often need no look-up.
    if (message.type === 'done') this.#release(message.id);
    else if (message.type === 'ask') this.#ask(message);
    else (this.#on[message.type] as (message: ClientMessage) => void)(message);
  }

  #greet(hello: ClientMessage & { type: 'hello' }): void {
    const { protocol } = this.#form;
    if (hello.protocol !== protocol) {
      const where = protocol === PROTOCOL ? '' : ' in frames';
      const reason = `this daemon speaks version ${protocol} of the protocol${where}, not ${hello.protocol}`;
      throw new ProtocolError('wrong-version', reason);
    }
    if (this.#refusal !== undefined) throw new ProtocolError('not-allowed', this.#refusal.message);
    clearTimeout(this.#silenceTimer);
    if (hello.as !== '') this.clientId += ` (${hello.as.slice(0, MAX_AS_LENGTH)})`;
    this.isGreeted = true;
    const { member, group, members, engine, rightMs, observer } = this.#context;
    const leaseMs = this.#leaseMs;
    const about = { protocol, clientId: this.clientId, member, group, members };
    const store = engine === undefined || rightMs === undefined ? {} : { engine, rightMs };
    this.#channel.send({ type: 'welcome', leaseMs, ...about, ...store });
    observer.opened(this);
    if (leaseMs > 0) {
      // Half as long again: by either clock the client gives up before the daemon does.
      const silent = new Error(`nothing heard for ${(leaseMs * 1.5) / 1000} seconds`);
      this.#silenceTimer = setTimeout(() => this.end(silent), leaseMs * 1.5);
    }
  }

  #ask({ id, name, permits, mode, how, mayLend }: ClientMessage & { type: 'ask' }): void {
    // What is lent and idle counts as held: it must not use up the budget.
    const canLend = mayLend === true && !this.#budget.isHalfUsed;
    const spec = { name, permits, mode, how, reentries: canLend ? REENTRIES : 0 };
    if (this.#requests.has(id)) throw new ProtocolError('number-in-use', 'a number that is in use');
    const cost = costOf(spec.name);
    const refused = this.#refusalOf(spec, cost);
    if (refused !== undefined) {
      this.#channel.send({ type: 'failed', id, error: toWireError(refused) });
      return;
    }
    const { backend, meter } = this.#context;
    const request = new ServedRequest(this.#serving, meter, id, spec, cost);
    this.#requests.set(id, request);
    request.handle = backend.requestFor(this.clientId, spec, request);
  }

  readonly #serving: ServingSession = {
    granted: ({ id }, { epoch, clock }, loan) => {
      this.held++;
      if (loan === undefined) this.#channel.send({ type: 'granted', id, epoch, clock });
      else this.#channel.send({ type: 'lent', id, epoch, clock, ...loan });
    },
    recall: (request) => {
      this.#channel.send({ type: 'recall', id: request.id });
      setTimeout(() => request.used(0), RECALL_MS).unref();
    },
    over: (request, message) => {
      this.#forget(request.id);
      this.#channel.send(message);
    },
    lost: ({ spec }, reason) => this.#context.observer.lost(this, spec, reason),
  };

  /** Why a request does not reach the group; undefined, and its cost is taken, if it does. */
  #refusalOf({ name, permits, how }: RequestSpec, cost: number): Error | undefined {
    const { maxNameBytes } = this.#context.limits;
    const bytes = cost - REQUEST_BYTES;
    if (bytes > maxNameBytes) {
      return new RangeError(
        `the name of a lock has ${bytes} bytes, and at most ${maxNameBytes} are allowed: take a shorter one, or raise maxNameBytes`,
      );
    }
    if (permits > MAX_PERMITS) {
      return new RangeError(
        `a semaphore cannot have ${permits} permits: their number is whole, from 1 to ${MAX_PERMITS}`,
      );
    }
    if (!this.#access.mayLock(name)) return this.#notAllowed('ask for this lock');
    if (how === 'steal' && !this.#access.maySteal) return this.#notAllowed('steal');
    try {
      this.#budget.take(cost);
      return undefined;
    } catch (error) {
      return error as Error;
    }
  }

  #notAllowed(what: string): AccessError {
    return new AccessError(
      `the certificate of "${this.certificate}" does not allow it to ${what}: change the access rules of the daemon`,
    );
  }

  #forget(id: number): ServedRequest | undefined {
    const request = this.#requests.get(id);
    if (request === undefined) return undefined;
    this.#requests.delete(id);
    if (request.isGranted) this.held--;
    this.#budget.give(request.cost);
    return request;
  }

  /** One request that cannot be released must not keep the others from it. */
  #release(id: number): void {
    try {
      this.#forget(id)?.release();
    } catch (error) {
      const { name, message } = error as Error;
      this.#context.observer.refused('internal-error', `${name}: ${message}`);
    }
  }

  /** Answers queries one after the other, so that a client that does not read costs one answer. */
  #reply(id: number, answer: () => Promise<void>): void {
    if (!this.#access.maySeeStatus) {
      const error = toWireError(this.#notAllowed('see the status of the group'));
      this.#channel.send({ type: 'failed', id, error });
      return;
    }
    if (this.#queries >= this.#context.limits.maxQueries) {
      throw new ProtocolError('too-many-questions', 'too many questions at once');
    }
    this.#queries++;
    this.#lastReply = this.#lastReply
      .then(() => (this.#channel.isOver ? undefined : answer()))
      .catch((error: Error) => {
        this.#channel.send({ type: 'failed', id, error: toWireError(error) });
      })
      .finally(() => {
        this.#queries--;
      });
  }
}

/** A client is told what it did wrong. Of an error of ours it learns only that there was one. */
const reasonOf = (error: Error): string =>
  error instanceof ProtocolError ? error.message : 'the daemon could not handle a message';
