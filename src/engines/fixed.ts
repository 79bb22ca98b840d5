/**
 * The engine that needs nothing: a configured list of members, which agree among themselves.
 *
 * A view changes when a process starts or leaves; never because one is silent. No member can tell a dead
 * process from a slow one without a clock to trust or a majority to ask. So while a member is down the others
 * wait for it, where their algorithm needs it, and say so. When it is back it has a new incarnation, which
 * proves that its old process is gone and holds nothing.
 *
 * A process that starts hears from all others which view they are in. A member that has a view has the
 * latest: no view begins without all members of the last, except the ones that have said that they leave. The
 * process then proposes that view with itself in it. If no member has a view yet, all must be there, and the
 * first of them by name proposes. A member that adopts a view passes it on. A view is out of date if
 * it names a process that has since been replaced or has left. It is answered by a better one. The
 * highest epoch wins; each member proposes epochs of its own, so no two views share one.
 *
 * A view begins only when all its members have told what they hold (group/view-start.ts). So a
 * member that has adopted a view which others do not know of yet does no harm, and waits.
 */
import type { Plain } from '../core/plain.ts';
import { text } from '../core/text.ts';
import { listOf, Malformed, natural, recordOf, type Wire } from '../core/wire.ts';
import type { Engine, EngineEnvironment, EngineStatus } from '../group/engine.ts';
import { NotMemberError } from '../group/errors.ts';
import { clockFor, EPOCH_ZERO } from '../group/fence.ts';
import type { Member, View } from '../group/view.ts';

const members = listOf(recordOf({ id: text, incarnation: natural }));
/** The view that I am in, or epoch 0 if I have just started; and the processes that I know have left. */
const wire = recordOf({ epoch: natural, members, left: members });
type ViewMessage = ReturnType<typeof wire.read>;

const NONE: View = { epoch: 0, members: [] };

/** See the head of this file. */
export function fixed(): Engine {
  return new Fixed();
}

class Fixed implements Engine {
  readonly name = 'fixed';
  readonly wire = wire as unknown as Wire<Plain>;
  #environment!: EngineEnvironment;
  #view: View | null = null;
  /** The process of each peer that we are in a session with, and our own. */
  readonly #incarnations = new Map<string, number>();
  /** The incarnation of each process that has said that it leaves. */
  readonly #left = new Map<string, number>();
  /** The members that an operator has told this one to forget. */
  readonly #forgotten = new Set<string>();
  /** The peers that have told us their view since their session with us began. */
  readonly #heard = new Set<string>();
  /** The peers among them that have just started, as we have. */
  readonly #starting = new Set<string>();
  /** A view that names a process from which we have not heard yet. */
  #awaited: View | null = null;
  #highestEpoch = 0;
  /** When we heard of the highest epoch, on the monotonic clock. */
  #highestSince = 0;
  #isStopped = false;

  start(environment: EngineEnvironment): void {
    this.#environment = environment;
    this.#incarnations.set(environment.self.id, environment.self.incarnation);
    this.#proposeTheFirst();
  }

  sessionBegan(peer: Member): void {
    this.#incarnations.set(peer.id, peer.incarnation);
    this.#starting.delete(peer.id);
    this.#heard.delete(peer.id);
    this.#send(peer.id, this.#view ?? NONE);
    if (this.#awaited !== null) this.#consider(this.#awaited);
  }

  received(from: string, message: Plain): void {
    if (this.#isStopped) return;
    const { left, ...view } = message as unknown as ViewMessage;
    const known = [this.#environment.self.id, ...this.#environment.peers];
    if (view.members.some(({ id }) => !known.includes(id))) {
      throw new Malformed('the view names a member that is not configured');
    }
    for (const { id, incarnation } of left) {
      this.#left.set(id, Math.max(incarnation, this.#left.get(id) ?? 0));
    }
    if (this.#hasLeft(this.#environment.self)) {
      this.#stop(`an operator told the others to forget ${this.#environment.self.id}: restart it`);
      return;
    }
    this.#hearOf(view.epoch);
    this.#heard.add(from);
    const epoch = this.#view?.epoch ?? 0;
    const latest =
      this.#awaited !== null && this.#awaited.epoch > view.epoch ? this.#awaited : view;
    if (latest.epoch > epoch) this.#consider(latest);
    // Tells a peer that has an earlier view of this one.
    else if (view.epoch < epoch && view.epoch > 0) this.#send(from, this.#view!);
    if (this.#awaited === null && this.#view?.members.some((member) => this.#hasLeft(member))) {
      this.#propose(this.#view);
    }
    if (view.epoch > 0 || this.#view !== null) return;
    this.#starting.add(from);
    this.#proposeTheFirst();
  }

  // This engine sets no timer and has no register.
  timerFired(): void {}
  answered(): void {}
  hinted(): void {}
  deadlinePassed(): void {}

  /** All processes of that member that have started until now count as departed. A later one is welcome. */
  forget(id: string): void {
    this.#forgotten.add(id);
    const known = Math.max(this.#incarnations.get(id) ?? 0, this.#left.get(id) ?? 0);
    this.#left.set(id, Math.max(this.#environment.now, known));
    if (this.#awaited !== null) this.#consider(this.#awaited);
    else if (this.#view !== null) this.#propose(this.#view);
    else this.#proposeTheFirst();
  }

  /** Only a new process of ours gets new sessions. */
  evicted(by: string): void {
    this.#stop(`${by} has given up its messages to ${this.#environment.self.id}`);
  }

  waitsFor(): readonly string[] {
    const { self, peers } = this.#environment;
    const isSilent = (id: string) => id !== self.id && !this.#heard.has(id);
    if (this.#awaited !== null) {
      const missing = this.#awaited.members.filter((member) => !this.#hasLeft(member));
      return missing.map(({ id }) => id).filter(isSilent);
    }
    const isAwaited = (id: string) => isSilent(id) && !this.#forgotten.has(id);
    return this.#view === null ? peers.filter(isAwaited) : [];
  }

  status(): EngineStatus {
    return { name: this.name, leaseLeftMs: null, storeReachable: null, suspected: [] };
  }

  /** Tells all peers the view without us. */
  leave(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    const { self } = this.#environment;
    this.#left.set(self.id, self.incarnation);
    const members = this.#view?.members.filter(({ id }) => id !== self.id) ?? [];
    this.#tell(members.length > 0 ? { epoch: this.#nextEpoch(), members } : NONE);
  }

  save(): Plain {
    return {
      view: this.#view,
      incarnations: sorted(this.#incarnations),
      left: sorted(this.#left),
      heard: [...this.#heard].sort(),
      starting: [...this.#starting].sort(),
      forgotten: [...this.#forgotten].sort(),
      awaited: this.#awaited,
      highestEpoch: this.#highestEpoch,
      highestSince: this.#highestSince,
      isStopped: this.#isStopped,
    } as unknown as Plain;
  }

  load(state: Plain): void {
    const saved = state as unknown as Saved;
    this.#view = saved.view;
    this.#awaited = saved.awaited;
    this.#highestEpoch = saved.highestEpoch;
    this.#highestSince = saved.highestSince;
    this.#isStopped = saved.isStopped;
    for (const [id, incarnation] of saved.incarnations) this.#incarnations.set(id, incarnation);
    for (const [id, incarnation] of saved.left) this.#left.set(id, incarnation);
    for (const id of saved.heard) this.#heard.add(id);
    for (const id of saved.starting) this.#starting.add(id);
    for (const id of saved.forgotten) this.#forgotten.add(id);
  }

  #stop(why: string): void {
    this.#isStopped = true;
    this.#environment.stopped(new NotMemberError(why));
  }

  /** All have just started: the first of us by name proposes. Members that were forgotten are not waited for. */
  #proposeTheFirst(): void {
    const { self, peers } = this.#environment;
    const others = peers.filter((id) => this.#starting.has(id) || !this.#forgotten.has(id));
    if (!others.every((id) => this.#starting.has(id) && self.id < id)) return;
    this.#propose({ epoch: 0, members: others.map((id) => ({ id, incarnation: 0 })) });
  }

  #consider(view: View): void {
    this.#awaited = null;
    const { self } = this.#environment;
    const me = view.members.find(({ id }) => id === self.id);
    if (me !== undefined && me.incarnation > self.incarnation) {
      this.#stop(`another process has taken the place of ${self.id}`);
    } else if (this.#isUnheard(view)) this.#awaited = view;
    else if (this.#isUpToDate(view)) this.#adopt(view);
    else this.#propose(view);
  }

  /** Names a process with which no session has begun yet: what we said to the process before it would be lost. */
  #isUnheard({ members }: View): boolean {
    return members
      .filter((member) => !this.#hasLeft(member))
      .some((member) => member.incarnation > (this.#incarnations.get(member.id) ?? 0));
  }

  /** We are in it, and so is every member of our last view that has not left; none has been replaced. */
  #isUpToDate({ members }: View): boolean {
    const { self } = this.#environment;
    const last = this.#view?.members ?? [self];
    return (
      members.every((member) => !this.#hasLeft(member) && !this.#isReplaced(member)) &&
      last.every((member) => this.#hasLeft(member) || members.some(({ id }) => id === member.id))
    );
  }

  /**
   * Proposes the view with ourselves and all members of our last view, each as it is now, and without those
   * that have left. All must have been heard: else an epoch might be used that an earlier process of ours
   * has used.
   */
  #propose(view: View): void {
    const asItIs = ({ id, incarnation }: Member): Member => ({
      id,
      incarnation: this.#incarnations.get(id) ?? incarnation,
    });
    const all = [this.#environment.self, ...(this.#view?.members ?? []), ...view.members].map(
      asItIs,
    );
    const members = [...new Map(all.map((member) => [member.id, member])).values()]
      .filter((member) => !this.#hasLeft(member))
      .sort((a, b) => (a.id < b.id ? -1 : 1));
    if (members.every(({ id }) => id === this.#environment.self.id || this.#heard.has(id))) {
      this.#adopt({ epoch: this.#nextEpoch(), members });
    } else this.#awaited = view;
  }

  #hasLeft({ id, incarnation }: Member): boolean {
    return (this.#left.get(id) ?? 0) >= incarnation;
  }

  #isReplaced({ id, incarnation }: Member): boolean {
    return incarnation < (this.#incarnations.get(id) ?? 0);
  }

  #adopt(view: View): void {
    this.#view = view;
    this.#awaited = null;
    this.#hearOf(view.epoch);
    this.#tell(view);
    this.#environment.view(view);
  }

  #hearOf(epoch: number): void {
    if (epoch <= this.#highestEpoch) return;
    this.#highestEpoch = epoch;
    this.#highestSince = this.#environment.monotonic;
  }

  /**
   * The next epoch that is ours alone: epochs are divided among the configured members. It grows by at least
   * the milliseconds since the last one was heard of, as fence.ts assumes, even if a clock was set back. And
   * it is above every start of a process, by that machine's own clock: so it grows even if all members have
   * restarted and forgotten what was before, as long as no machine's clock is set back.
   */
  #nextEpoch(): number {
    const { self, peers, now, monotonic } = this.#environment;
    const all = [self.id, ...peers].sort();
    const latest = Math.max(now, ...this.#incarnations.values());
    const sinceLast = Math.ceil(monotonic - this.#highestSince);
    const least = Math.max(this.#highestEpoch + 1 + sinceLast, latest - EPOCH_ZERO);
    return clockFor(least, all.indexOf(self.id), all.length);
  }

  /** Also to peers that are not in the view: one that is there after all answers with a view that has it. */
  #tell(view: View): void {
    for (const id of this.#environment.peers) this.#send(id, view);
  }

  #send(to: string, { epoch, members }: View): void {
    const left = [...this.#left].map(([id, incarnation]) => ({ id, incarnation }));
    this.#environment.send(to, { epoch, members, left } as unknown as Plain);
  }
}

interface Saved {
  readonly view: View | null;
  readonly incarnations: readonly (readonly [string, number])[];
  readonly left: readonly (readonly [string, number])[];
  readonly heard: readonly string[];
  readonly starting: readonly string[];
  readonly forgotten: readonly string[];
  readonly awaited: View | null;
  readonly highestEpoch: number;
  readonly highestSince: number;
  readonly isStopped: boolean;
}

const sorted = (map: ReadonlyMap<string, number>) => [...map].sort(([a], [b]) => (a < b ? -1 : 1));
