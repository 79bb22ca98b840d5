/** One client of a daemon: what it asked for, until its connection ends. */
import type { Socket } from 'node:net';
import { LineChannel } from '../client/channel.ts';
import { toWireError } from '../client/errors.ts';
import {
  type ClientMessage,
  type DaemonMessage,
  MAX_CLIENT_LINE,
  PROTOCOL,
  ProtocolError,
  type Refusal,
  readClientMessage,
} from '../client/protocol.ts';
import type { LockBackend, RequestHandle, RequestListener, RequestSpec } from '../group/backend.ts';

/** What sessions need of the daemon. */
export interface SessionContext {
  readonly member: string;
  readonly backend: MemberBackend;
  /** What `latchkey status` prints. */
  status(): Promise<object>;
  readonly observer: SessionObserver;
}

/** A LockBackend that serves others too, each listed under its own name. */
export interface MemberBackend extends LockBackend {
  requestFor(clientId: string, spec: RequestSpec, caller: RequestListener): RequestHandle;
}

/** Who is told of what happens at the door; for logs, metrics and the page. */
export interface SessionObserver {
  opened(session: SessionStatus): void;
  ended(session: SessionStatus, reason: Error): void;
  /** A connection that never became a session, or broke the rules of one. */
  refused(refusal: Refusal, message: string): void;
  lost(session: SessionStatus, spec: RequestSpec, reason: Error): void;
}

export interface SessionStatus {
  /** The member, a number, and what the client calls itself. */
  readonly clientId: string;
  readonly held: number;
  readonly waiting: number;
}

/** Nobody needs more than this at once; a client gone wild stops here. */
const MOST_REQUESTS = 100_000;
const MOST_QUERIES = 64;
/** Who connects and says nothing is not kept. */
const HELLO_WITHIN_MS = 5_000;

interface Request {
  handle?: RequestHandle;
  granted: boolean;
}

export class DaemonSession implements SessionStatus {
  clientId: string;
  held = 0;
  greeted = false;
  readonly #context: SessionContext;
  readonly #leaseMs: number;
  readonly #conversation: LineChannel;
  readonly #requests = new Map<number, Request>();
  #patience: NodeJS.Timeout;
  #queries = 0;

  constructor(
    context: SessionContext,
    clientId: string,
    leaseMs: number,
    socket: Socket,
    gone: () => void,
  ) {
    this.#context = context;
    this.clientId = clientId;
    this.#leaseMs = leaseMs;
    const silent = new ProtocolError('no-hello', 'no hello within 5 seconds');
    this.#patience = setTimeout(() => this.end(silent), HELLO_WITHIN_MS);
    this.#conversation = new LineChannel(socket, MAX_CLIENT_LINE, {
      line: (line) => this.#hear(readClientMessage(line)),
      lastWords: ({ message: reason }) => ({ type: 'refused', reason }),
      ended: (reason) => {
        clearTimeout(this.#patience);
        gone();
        this.#free(reason);
      },
    });
  }

  get waiting(): number {
    return this.#requests.size - this.held;
  }

  /** Waits for nothing any more. The client learns of it when the session ends. */
  withdraw(): void {
    for (const [id, { granted, handle }] of this.#requests) {
      if (granted) continue;
      this.#requests.delete(id);
      handle?.release();
    }
  }

  end(reason: Error): void {
    this.#conversation.end(reason);
  }

  #free(reason: Error): void {
    const { observer } = this.#context;
    if (this.greeted) observer.ended(this, reason);
    if (reason instanceof ProtocolError) observer.refused(reason.refusal, reason.message);
    for (const { handle } of this.#requests.values()) handle?.release();
    this.#requests.clear();
    this.held = 0;
  }

  readonly #on: {
    readonly [T in ClientMessage['type']]: (question: ClientMessage & { type: T }) => void;
  } = {
    hello: (question) => this.#greet(question),
    ask: ({ id, name, permits, mode, how }) => this.#ask(id, { name, permits, mode, how }),
    done: ({ id }) => this.#forget(id)?.handle?.release(),
    query: ({ id }) =>
      this.#answer(async () => ({
        type: 'census',
        id,
        census: await this.#context.backend.query(),
      })),
    status: ({ id }) =>
      this.#answer(async () => ({ type: 'status', id, status: await this.#context.status() })),
    ping: ({ id }) => {
      if (this.#leaseMs > 0) this.#patience.refresh();
      this.#conversation.send({ type: 'pong', id });
    },
  };

  #hear(question: ClientMessage): void {
    if (question.type === 'hello' && this.greeted)
      throw new ProtocolError('second-hello', 'a second hello');
    if (question.type !== 'hello' && !this.greeted)
      throw new ProtocolError('no-hello', 'no hello at first');
    (this.#on[question.type] as (question: ClientMessage) => void)(question);
  }

  #greet(hello: ClientMessage & { type: 'hello' }): void {
    if (hello.protocol !== PROTOCOL) {
      const reason = `this daemon speaks version ${PROTOCOL} of the protocol, not ${hello.protocol}`;
      throw new ProtocolError('wrong-version', reason);
    }
    clearTimeout(this.#patience);
    if (hello.as !== '') this.clientId += ` (${hello.as.slice(0, 200)})`;
    this.greeted = true;
    const { member, observer } = this.#context;
    const leaseMs = this.#leaseMs;
    const [protocol, clientId] = [PROTOCOL, this.clientId];
    this.#conversation.send({ type: 'welcome', protocol, member, clientId, leaseMs });
    observer.opened(this);
    if (leaseMs > 0) {
      // Half as long again: the client gives up by its own clock before we do.
      const silent = new Error(`nothing heard for ${(leaseMs * 1.5) / 1000} seconds`);
      this.#patience = setTimeout(() => this.end(silent), leaseMs * 1.5);
    }
  }

  #ask(id: number, spec: RequestSpec): void {
    if (this.#requests.has(id)) throw new ProtocolError('number-in-use', 'a number that is in use');
    if (this.#requests.size >= MOST_REQUESTS)
      throw new ProtocolError('too-many-requests', 'too many requests at once');
    const request: Request = { granted: false };
    this.#requests.set(id, request);
    const caller: RequestListener = {
      granted: ({ epoch, clock }) => {
        request.granted = true;
        this.held++;
        this.#conversation.send({ type: 'granted', id, epoch, clock });
      },
      busy: () => {
        this.#forget(id);
        this.#conversation.send({ type: 'busy', id });
      },
      failed: (error) => {
        this.#forget(id);
        this.#conversation.send({ type: 'failed', id, error: toWireError(error) });
      },
      lost: (reason) => {
        this.#forget(id);
        this.#conversation.send({ type: 'lost', id, error: toWireError(reason) });
        this.#context.observer.lost(this, spec, reason);
      },
    };
    request.handle = this.#context.backend.requestFor(this.clientId, spec, caller);
  }

  #forget(id: number): Request | undefined {
    const request = this.#requests.get(id);
    if (request?.granted) this.held--;
    this.#requests.delete(id);
    return request;
  }

  #answer(answer: () => Promise<DaemonMessage>): void {
    if (this.#queries >= MOST_QUERIES)
      throw new ProtocolError('too-many-questions', 'too many questions at once');
    this.#queries++;
    answer()
      .then(
        (found) => this.#conversation.send(found),
        (error: Error) => this.end(error),
      )
      .finally(() => this.#queries--);
  }
}
