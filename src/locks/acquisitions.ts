/**
 * What the lock manager and the semaphores on one backend share: the requests of this process that are
 * under way, in the order in which they were made, and what is counted of them.
 */
// Imported: the global is a getter that is asked anew each time, which counts here.
import { performance } from 'node:perf_hooks';
import { LinkedList } from '../core/linked-list.ts';
import type { LockBackend } from '../group/backend.ts';
import { type Cycle, cyclesOf } from '../group/cycles.ts';
import type { Acquisition } from './acquisition.ts';
import { ClosedError } from './errors.ts';
import { Expiry } from './expiry.ts';
import { Stats } from './stats.ts';
import { Telemetry } from './telemetry.ts';

const byBackend = new WeakMap<LockBackend, Acquisitions>();

export function acquisitionsOf(backend: LockBackend): Acquisitions {
  let acquisitions = byBackend.get(backend);
  if (acquisitions === undefined) {
    acquisitions = new Acquisitions(backend);
    byBackend.set(backend, acquisitions);
  }
  return acquisitions;
}

export class Acquisitions {
  readonly backend: LockBackend;
  readonly stats = new Stats();
  readonly telemetry: Telemetry;
  isClosed = false;
  /** Each comes and goes, hundreds of thousands a second. */
  readonly all = new LinkedList<Acquisition>();
  readonly expiry = new Expiry();

  /** Milliseconds on a clock that never goes back: that of the backend, which then need not read it again. */
  readonly monotonic: () => number;

  #cycles: Promise<readonly Cycle[]> | undefined;

  constructor(backend: LockBackend) {
    this.backend = backend;
    this.monotonic = backend.monotonic ?? (() => performance.now());
    this.telemetry = new Telemetry(this.stats, backend.clientId);
  }

  /** The callers of the group that wait for each other in a circle. All that ask meanwhile share one survey. */
  cycles(): Promise<readonly Cycle[]> {
    this.#cycles ??= this.backend
      .query()
      .then(cyclesOf)
      .finally(() => {
        this.#cycles = undefined;
      });
    return this.#cycles;
  }

  /** From now on nothing is requested: waiting requests are refused, held locks are released and lost. */
  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    for (const acquisition of [...this.all]) acquisition.close(new ClosedError());
    this.telemetry.stop();
  }
}
