/**
 * The locks that the daemon has lent to this client. A caller of the client may take such a lock, and release it, without a
 * message. The daemon still counts it as held by the client, and asks for it when another caller wants it.
 *
 * Every method changes plain data and returns what is to be sent: the numbers of loans that go back (`done`), or the
 * answer to a recall. The session sends it, and knows the callers. docs/decisions/0024-lending-to-clients.md.
 */

/** A loan that no caller has used for so long goes back. */
export const IDLE_MS = 100;
/**
 * A loan that has not been used for so long must not be used any more. The client was paused, and the news that its
 * session is over may still be unread.
 */
const STALE_MS = 2 * IDLE_MS;

export interface Loan {
  /** The number of the request that was granted. */
  readonly id: number;
  readonly name: string;
  /** The fence of the latest entry. */
  readonly epoch: number;
  clock: number;
  readonly step: number;
  /** How many re-entries have been, and how many may follow. */
  used: number;
  left: number;
  isInside: boolean;
  /** It goes back when its caller leaves. */
  isRecalled: boolean;
  /** When the latest caller left. */
  idleSince: number;
}

export class Loans {
  readonly #byName = new Map<string, Loan>();
  readonly #byId = new Map<number, Loan>();

  get size(): number {
    return this.#byId.size;
  }

  *[Symbol.iterator](): Iterator<Loan> {
    yield* this.#byId.values();
  }

  /** A request was granted, and the lock is lent: its caller is inside. */
  begin(
    id: number,
    name: string,
    { epoch, clock }: { readonly epoch: number; readonly clock: number },
    { reentries, step }: { readonly reentries: number; readonly step: number },
  ): void {
    const loan: Loan = {
      id,
      name,
      epoch,
      clock,
      step,
      used: 0,
      left: reentries,
      isInside: true,
      isRecalled: false,
      idleSince: 0,
    };
    this.add(loan);
  }

  add(loan: Loan): void {
    this.#byName.set(loan.name, loan);
    this.#byId.set(loan.id, loan);
  }

  /** Lets a caller in, if the lock is lent and nothing is in its way. Its fence is that of the loan now. */
  enter(name: string, now: number): Loan | undefined {
    const loan = this.#byName.get(name);
    if (loan === undefined || loan.isInside || loan.isRecalled) return undefined;
    if (now - loan.idleSince > STALE_MS) return undefined;
    loan.isInside = true;
    loan.used++;
    loan.left--;
    loan.clock += loan.step;
    return loan;
  }

  /**
   * A request for the lock goes to the daemon. A loan of it must go back before, so that requests of this client are
   * decided in their order. Returns the number of the loan if it goes back now.
   */
  giveUp(name: string): number | undefined {
    const loan = this.#byName.get(name);
    if (loan === undefined) return undefined;
    loan.isRecalled = true;
    return loan.isInside ? undefined : this.#remove(loan);
  }

  /** The caller of the request leaves. Returns whether the client keeps the lock: otherwise it goes back. */
  leave(id: number, now: number): boolean {
    const loan = this.#byId.get(id);
    if (loan === undefined) return false;
    loan.isInside = false;
    loan.idleSince = now;
    if (!loan.isRecalled && loan.left > 0) return true;
    this.#remove(loan);
    return false;
  }

  /** The daemon asks for a loan. Returns the answer; undefined if the loan is on its way back already. */
  recall(
    id: number,
  ):
    | { readonly type: 'done' }
    | { readonly type: 'using'; readonly reentries: number }
    | undefined {
    const loan = this.#byId.get(id);
    if (loan === undefined) return undefined;
    loan.isRecalled = true;
    if (loan.isInside) return { type: 'using', reentries: loan.used };
    this.#remove(loan);
    return { type: 'done' };
  }

  /** The lock is lost, or given back otherwise. */
  forget(id: number): void {
    const loan = this.#byId.get(id);
    if (loan !== undefined) this.#remove(loan);
  }

  /** Takes out the loans that no caller has used for a while, which go back. */
  takeIdle(now: number): number[] {
    return this.#takeAll(({ isInside, idleSince }) => !isInside && now - idleSince >= IDLE_MS);
  }

  /** Takes out all loans that no caller is inside by, which go back. */
  takeFree(): number[] {
    return this.#takeAll(({ isInside }) => !isInside);
  }

  #takeAll(isOne: (loan: Loan) => boolean): number[] {
    const ids: number[] = [];
    for (const loan of [...this.#byId.values()]) if (isOne(loan)) ids.push(this.#remove(loan));
    return ids;
  }

  #remove(loan: Loan): number {
    this.#byId.delete(loan.id);
    if (this.#byName.get(loan.name) === loan) this.#byName.delete(loan.name);
    return loan.id;
  }
}
