/**
 * Locksmiths of one process, as small as they can be and correct: what the lock API is tested on before it is
 * tested on a group. Strictly first come, first served, per name.
 */

import type {
  Fence,
  LockBackend,
  RequestHandle,
  RequestListener,
  RequestSpec,
  Survey,
  SurveyEntry,
} from '../../src/group/backend.ts';
import { StolenError } from '../../src/group/errors.ts';
import { fenceValue } from '../../src/group/fence.ts';

interface Request extends RequestSpec {
  readonly caller: RequestListener;
  readonly clientId: string;
  fence: Fence;
}

/** All that one lock knows. */
interface Lock {
  readonly held: Request[];
  readonly queue: Request[];
}

export class OneProcess {
  readonly #locks = new Map<string, Lock>();
  #clock = 0;

  backend(clientId: string): LockBackend {
    return {
      clientId,
      request: (spec, caller) => this.#ask(spec, caller, clientId),
      query: async () => this.#survey(),
    };
  }

  /** What happens when a member is no longer one: all it holds is lost. */
  expel(clientId: string, reason: Error): void {
    for (const lock of this.#locks.values()) {
      const gone = lock.held.filter((request) => request.clientId === clientId);
      for (const request of gone) lock.held.splice(lock.held.indexOf(request), 1);
      for (const { caller } of gone) caller.lost(reason);
      const waiting = lock.queue.filter((request) => request.clientId === clientId);
      for (const request of waiting) lock.queue.splice(lock.queue.indexOf(request), 1);
      for (const { caller } of waiting) caller.failed(reason);
      this.#serve(lock);
    }
  }

  #ask(spec: RequestSpec, caller: RequestListener, clientId: string): RequestHandle {
    const { name, permits, mode, how } = spec;
    const fence = { epoch: 1, clock: 0 };
    const request: Request = { name, permits, mode, how, caller, clientId, fence };
    const key = `${permits}/${name}`;
    const lock = this.#locks.get(key) ?? { held: [], queue: [] };
    this.#locks.set(key, lock);
    if (how === 'try' && (lock.queue.length > 0 || !mayEnter(request, lock.held))) caller.busy();
    else if (how === 'steal') {
      lock.queue.unshift(request);
      for (const victim of lock.held.splice(0)) {
        victim.caller.lost(new StolenError(name, clientId));
      }
    } else lock.queue.push(request);
    this.#serve(lock);
    return {
      release: () => {
        for (const list of [lock.held, lock.queue]) {
          if (list.includes(request)) list.splice(list.indexOf(request), 1);
        }
        this.#serve(lock);
      },
    };
  }

  #serve({ held, queue }: Lock): void {
    while (queue.length > 0 && mayEnter(queue[0]!, held)) {
      const request = queue.shift()!;
      request.fence = { epoch: 1, clock: ++this.#clock };
      held.push(request);
      request.caller.granted(request.fence);
    }
  }

  #survey(): Survey {
    const all = [...this.#locks.values()];
    return {
      held: all.flatMap(({ held }) => held).map(entryOf('held')),
      pending: all.flatMap(({ queue }) => queue).map(entryOf('pending')),
      unreachable: [],
    };
  }
}

const entryOf =
  (list: 'held' | 'pending') =>
  ({ name, permits, mode, clientId, fence }: Request): SurveyEntry => {
    const entry = { name, permits, mode, clientId, member: clientId, forMs: 0 };
    return list === 'held' ? { ...entry, fence: fenceValue(fence).toString() } : entry;
  };

function mayEnter({ permits, mode }: RequestSpec, held: readonly Request[]): boolean {
  if (permits > 0) return held.length < permits;
  return held.length === 0 || (mode === 'shared' && held[0]!.mode === 'shared');
}

/** A backend at the end of a wire: all that is said either way arrives in a later turn, in order. */
export function atADistance(backend: LockBackend): LockBackend {
  const soon = (step: () => void) => void setImmediate(step);
  return {
    clientId: backend.clientId,
    request: (spec, caller) => {
      const { name, permits, mode, how } = spec;
      let handle: RequestHandle | undefined;
      const far: RequestListener = {
        granted: (fence) => soon(() => caller.granted(fence)),
        busy: () => soon(() => caller.busy()),
        failed: (error) => soon(() => caller.failed(error)),
        lost: (reason) => soon(() => caller.lost(reason)),
      };
      soon(() => {
        handle = backend.request({ name, permits, mode, how }, far);
      });
      return { release: () => soon(() => handle?.release()) };
    },
    query: () => new Promise((resolve) => soon(() => resolve(backend.query()))),
  };
}
