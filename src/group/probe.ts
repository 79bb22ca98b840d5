/**
 * Whether callers of other members hold a lock. No paper has that: their sites wait, and a request cannot be
 * withdrawn. Two kinds of requests need it.
 *
 * A *try* (`how: 'try'`) wants the lock at once or not at all. Unless this member's site would enter without a
 * message, the member asks all others whether their callers hold the lock (PROBE). If no caller does, the site requests like
 * any other; a member whose caller gets in first says so (HELD), and the try is refused. The site's place in
 * the algorithm's queue is passed on when it comes.
 *
 * A *steal* that comes after other requests of its own member is decided after them, unless a caller of
 * another member holds the lock: then it is robbed at once. See stealing.ts.
 */
import type { Mode } from '../core/algorithm.ts';
import type { Timer } from './effects.ts';
import { noAnswer } from './errors.ts';
import type { Lock } from './lock.ts';
import { aboutLock } from './messages.ts';

/** A try that is undecided for so long is given up: some member is silent, and its callers may hold the lock. */
const GIVE_UP_MS = 2000;

/** A member that asks under this number hears when more than `known` callers are in its way. */
export interface Watch {
  readonly mode: Mode;
  readonly probe: number;
  /** −1: the member knows nothing yet. */
  readonly known: number;
}

export class Probe {
  /** How many of the lock's waiting requests are tries. */
  tries = 0;
  /** The number of the question that is out, and the mode that it is about; 0 for none. */
  number = 0;
  mode: Mode = 'exclusive';
  /** How many callers are in the way at each member that has answered. */
  counts: Map<string, number> | null = null;
  /** The members that have asked here. */
  watchers: Map<string, Watch> | null = null;
  timer: Timer | null = null;
  readonly #lock: Lock;

  constructor(lock: Lock) {
    this.#lock = lock;
  }

  /** All members have answered that the lock is free for that mode. */
  isClear(mode: Mode): boolean {
    const haveAllAnswered = (this.counts?.size ?? 0) === this.#lock.membership.size - 1;
    return mode === this.mode && this.number > 0 && haveAllAnswered && !this.#isTaken(mode);
  }

  /** A caller of another member holds the lock, as far as the answers tell. */
  get isHeldElsewhere(): boolean {
    for (const count of this.counts?.values() ?? []) if (count > 0) return true;
    return false;
  }

  /** Asks for waiting tries, and for a steal that is held back. Returns whether it refused a try. */
  pursue(): boolean {
    const { membership, queue, stealing } = this.#lock;
    const heldBack = stealing?.heldBack ?? null;
    const { how, mode } = queue.first!;
    const about = this.tries > 0 && how === 'try' ? mode : 'exclusive';
    if (about !== this.mode) this.#forget();
    let hasRefused = false;
    if (this.tries > 0) {
      if (how !== 'try' || this.#isTaken(mode)) {
        for (const request of queue) if (request.how === 'try') this.#lock.refuse(request, null);
        hasRefused = true;
      }
    }
    if (this.tries > 0 && this.number === 0 && !membership.admission.isOpen) {
      for (const request of queue) if (request.how === 'try') this.#lock.refuseForRoom(request);
      hasRefused = true;
    }
    if (this.tries === 0 && heldBack === null) return hasRefused;
    if (this.number === 0 && membership.hasBegun) {
      this.number = ++membership.lastProbe;
      this.mode = about;
      membership.tellAll({
        type: 'PROBE',
        ...aboutLock(this.#lock, membership.epoch),
        mode: about,
        probe: this.number,
        known: -1,
      });
    }
    if (this.tries > 0 && this.timer === null) {
      this.timer = { lock: this.#lock, name: 'try', after: GIVE_UP_MS, handle: undefined };
      this.#lock.effects.timersSet.push(this.timer);
    }
    return hasRefused;
  }

  answered(member: string, probe: number, count: number): boolean {
    if (probe !== this.number) return false;
    this.counts ??= new Map();
    this.counts.set(member, count);
    return true;
  }

  #isTaken(mode: Mode): boolean {
    // The holder of a lent lock is being asked whether it is inside.
    let taken = this.#holding(mode) - (this.#lock.lent === null ? 0 : 1);
    for (const count of this.counts?.values() ?? []) taken += count;
    return taken >= Math.max(1, this.#lock.permits);
  }

  /** Some member has not answered in time: whether the lock is free is not known. */
  timerFired(): void {
    this.timer = null;
    const { membership, queue, name } = this.#lock;
    const silent = membership.members.filter(
      (id, i) => i !== membership.index && !this.counts?.has(id),
    );
    const awaited = this.#lock.sites.awaits().map((i) => membership.members[i]!);
    const error = noAnswer(name, silent.length > 0 ? silent : awaited);
    for (const request of queue) if (request.how === 'try') this.#lock.refuse(request, error);
  }

  /** No try and no steal is left that needs an answer. */
  end(): void {
    this.#forget();
    if (this.timer !== null) this.#lock.effects.timersCancelled.push(this.timer);
    this.timer = null;
  }

  #forget(): void {
    this.number = 0;
    this.counts = null;
  }

  /** Another member asks. */
  watch(member: string, watch: Watch): void {
    this.watchers ??= new Map();
    this.watchers.set(member, watch);
    this.tellWatchers();
  }

  /** The callers here that keep out a request of that mode: holders, and a writer that waits first. */
  #inTheWay(mode: Mode): number {
    const { first } = this.#lock.queue;
    const comesFirst = first !== null && first.how !== 'try' && first.mode === 'exclusive';
    return this.#holding(mode) + (comesFirst ? 1 : 0);
  }

  /** A semaphore that a caller holds since an earlier view is closed: that caller counts as the holder of all permits. */
  #holding(mode: Mode): number {
    const { leftover, permits } = this.#lock;
    return Math.max(this.#lock.holding(mode), leftover.length > 0 ? permits : 0);
  }

  /** A caller here may have been let in, or waits to write. While it is not known whether one is inside, the members wait. */
  tellWatchers(): void {
    if (this.watchers === null || this.#lock.lent !== null) return;
    for (const [member, watch] of this.watchers) {
      const count = this.#inTheWay(watch.mode);
      if (count <= watch.known) continue;
      this.watchers.set(member, { ...watch, known: count });
      const { membership, epoch } = this.#lock;
      membership.tell(
        { type: 'HELD', ...aboutLock(this.#lock, epoch), probe: watch.probe, count },
        member,
      );
    }
  }
}
