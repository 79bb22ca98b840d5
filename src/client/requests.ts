/**
 * The requests of a client for locks, from asking to release, and what its daemon has lent it: a step machine. Each method
 * changes plain data, sends messages through its port and tells callers; there is no socket, no timer and no promise here.
 * So a test explores this very file in every order of events (test/client/lending.test.ts).
 */
import type {
  Fence,
  RequestHandle,
  RequestListener,
  RequestSpec,
  Loan as Terms,
} from '../group/backend.ts';
import { Loans } from './loans.ts';
import type { ClientMessage } from './protocol.ts';

/** What the requests need of their session. */
export interface RequestPort {
  send(message: ClientMessage): void;
  /** A number that no other request or question of the session has. */
  nextId(): number;
  /** Milliseconds on a clock that never goes back. */
  now(): number;
  /** Whether the member may act, as far as the client knows. While it may not, no grant is told. */
  mayTell(): boolean;
  /** Whether the right to what is lent has not ended. */
  mayReenter(): boolean;
  /** If the right to act has ended, calls `loseAll` before it returns. */
  checkDeadline(): void;
}

export class PendingRequest implements RequestHandle {
  readonly id: number;
  readonly name: string;
  readonly listener: RequestListener;
  isGranted = false;
  /** Granted, and not told yet: the answer to the next ping shows whether the member may act. */
  untold: Fence | undefined;
  readonly #release: (request: PendingRequest) => void;

  constructor(
    id: number,
    name: string,
    listener: RequestListener,
    release: (request: PendingRequest) => void,
  ) {
    this.id = id;
    this.name = name;
    this.listener = listener;
    this.#release = release;
  }

  release(): void {
    this.#release(this);
  }
}

export class ClientRequests {
  /** The requests that wait, and the requests whose callers are inside. */
  readonly pending = new Map<number, PendingRequest>();
  readonly loans = new Loans();
  /** Whether the daemon may lend locks to this client. */
  mayBorrow = false;
  readonly #port: RequestPort;

  constructor(port: RequestPort) {
    this.#port = port;
  }

  request(spec: RequestSpec, listener: RequestListener): RequestHandle {
    const { name, permits, mode, how } = spec;
    const mayLend = this.mayBorrow && permits === 0 && mode === 'exclusive' && how !== 'steal';
    if (this.loans.size > 0 && permits === 0) {
      const entered = mayLend ? this.#enterByLoan(name, listener) : undefined;
      if (entered !== undefined) return entered;
      const back = this.loans.giveUp(name);
      if (back !== undefined) this.#port.send({ type: 'done', id: back });
    }
    const request = this.add(this.#port.nextId(), name, listener);
    this.#port.send({ type: 'ask', id: request.id, name, permits, mode, how, mayLend });
    return request;
  }

  add(id: number, name: string, listener: RequestListener): PendingRequest {
    const request = new PendingRequest(id, name, listener, this.#release);
    this.pending.set(id, request);
    return request;
  }

  /** The lock is here, and the right to it has not ended: no message is needed. */
  #enterByLoan(name: string, listener: RequestListener): PendingRequest | undefined {
    if (!this.#port.mayReenter()) return undefined;
    const loan = this.loans.enter(name, this.#port.now());
    if (loan === undefined) return undefined;
    const request = this.add(loan.id, name, listener);
    grant(request, { epoch: loan.epoch, clock: loan.clock });
    return request;
  }

  readonly #release = (request: PendingRequest): void => {
    const { id } = request;
    this.#port.checkDeadline();
    // A later caller may be inside under the same number.
    if (this.pending.get(id) !== request) return;
    this.pending.delete(id);
    if (this.loans.size > 0 && this.loans.leave(id, this.#port.now())) return;
    this.#port.send({ type: 'done', id });
  };

  // What the daemon says.

  granted(id: number, fence: Fence, terms?: Terms): void {
    const request = this.pending.get(id);
    // Cancelled: it is on its way back already.
    if (request === undefined) return;
    if (terms !== undefined) this.#begin(request, fence, terms);
    if (this.#port.mayTell()) grant(request, fence);
    else request.untold = fence;
  }

  /** A request for the same lock that was made meanwhile is before all later ones: the loan goes back for it. */
  #begin({ id, name }: PendingRequest, fence: Fence, terms: Terms): void {
    this.loans.begin(id, name, fence, terms);
    for (const other of this.pending.values()) {
      if (other.id !== id && other.name === name) this.loans.giveUp(name);
    }
  }

  /** The member may act again: tells what it has granted meanwhile. */
  tellUntold(): void {
    for (const request of this.pending.values()) {
      if (request.untold !== undefined) grant(request, request.untold);
    }
  }

  recall(id: number): void {
    const answer = this.loans.recall(id);
    if (answer !== undefined) this.#port.send({ ...answer, id });
  }

  busy(id: number): void {
    this.#take(id)?.listener.busy();
  }

  failed(id: number, error: Error): void {
    this.#take(id)?.listener.failed(error);
  }

  lost(id: number, error: Error): void {
    this.loans.forget(id);
    const request = this.#take(id);
    if (request?.untold !== undefined) grant(request, request.untold);
    request?.listener.lost(error);
  }

  // What time says.

  /** Gives back what was lent and is not used. */
  giveBackIdle(): void {
    this.#giveBack(this.loans.takeIdle(this.#port.now()));
  }

  /** The member may no longer act: what it held for this client is lost. Requests that wait, wait on. */
  loseAll(reason: Error): void {
    this.#giveBack(this.loans.takeFree());
    for (const [id, { listener, isGranted }] of [...this.pending]) {
      if (!isGranted) continue;
      this.pending.delete(id);
      this.loans.forget(id);
      this.#port.send({ type: 'done', id });
      listener.lost(reason);
    }
  }

  /** The session is over. */
  end(reason: Error): void {
    this.loans.takeFree();
    const requests = [...this.pending.values()];
    this.pending.clear();
    for (const { id, listener, isGranted } of requests) {
      this.loans.forget(id);
      if (isGranted) listener.lost(reason);
      else listener.failed(reason);
    }
  }

  #giveBack(ids: readonly number[]): void {
    for (const id of ids) this.#port.send({ type: 'done', id });
  }

  #take(id: number): PendingRequest | undefined {
    const request = this.pending.get(id);
    this.pending.delete(id);
    return request;
  }
}

function grant(request: PendingRequest, fence: Fence): void {
  request.untold = undefined;
  request.isGranted = true;
  request.listener.granted(fence);
}
