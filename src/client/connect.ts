/** Locks for a process that is no member: through the daemon of a member. */
import { ClosedError } from '../locks/errors.ts';
import { LockManager } from '../locks/manager.ts';
import { Semaphore } from '../locks/semaphore.ts';
import { type ConnectSettings, openSession } from './open-session.ts';

export type { ConnectSettings } from './open-session.ts';

/**
 * A session with a daemon. API and guarantees are those of a member, for as long as the daemon lives. When the
 * session ends, the daemon releases its locks and cancels its waiting requests at once.
 */
export interface Client extends AsyncDisposable {
  /** The member that serves this session. */
  readonly member: string;
  readonly locks: LockManager;
  /** One of so many permits at a time; all processes must give the same number. */
  semaphore(name: string, permits: number): Semaphore;
  /** Aborts, with the reason, when the session is over: every lock held through it is lost. */
  readonly ended: AbortSignal;
  /** What `latchkey status --json` prints. */
  status(): Promise<object>;
  /** Releases all locks, and ends the session. */
  close(): Promise<void>;
}

/**
 * Connects to a daemon of this machine (`latchkey up`, `latchkey node`), or with `tls` of another one.
 *
 * Rejects with a `NoDaemonError` if none answers. Losing the daemon means losing every lock held through
 * it: `lock.lost` aborts with a `LostError` whose cause is a `DaemonLostError`, and what waits is rejected
 * with that. Connect again to go on.
 *
 * @example
 * ```ts
 * import { connect } from 'latchkey';
 *
 * await using daemon = await connect();
 * await daemon.locks.request('invoices', async (lock) => {
 *   console.log(`alone, with fence ${lock.fence}, through member ${daemon.member}`);
 * });
 * ```
 */
export async function connect(settings: ConnectSettings = {}): Promise<Client> {
  const { session } = await openSession(settings);
  session.mayBorrow = settings.lend ?? true;
  const locks = new LockManager(session);
  const close = async (): Promise<void> => {
    locks.close();
    await session.close(new ClosedError());
  };
  return {
    member: session.member,
    locks,
    semaphore: (name, permits) => new Semaphore(session, name, permits),
    ended: session.ended,
    status: () => session.status(),
    close,
    [Symbol.asyncDispose]: close,
  };
}
