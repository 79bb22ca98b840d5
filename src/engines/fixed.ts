/**
 * The engine that needs nothing: a configured list of members, and they agree among themselves.
 *
 * A view changes when a process starts or leaves; never because one is silent. Nobody can tell a dead
 * process from a slow one without a clock to trust or a majority to ask; so while one is down the others
 * wait for it, where their algorithm needs it, and say so. When it is back it is a new incarnation, which
 * proves that the old one is gone and holds nothing.
 *
 * A process that starts hears from all which view they are in. Whoever has one has the latest: no view
 * comes about without all members of the last, save those who left by their own word. The newcomer then
 * proposes that view with itself in it. If none has a view yet, all must be there, and the first of them
 * by name proposes. Whoever adopts a view passes it on. A view that is out of date, because it names a
 * process that has since been replaced or has left, is answered by a better one. The highest epoch wins;
 * each member proposes epochs of its own, so no two views share one.
 *
 * A view comes into force only when all its members have called the roll in it (group/roll-call.ts). So a
 * member that has adopted one which others do not know of yet does no harm, and waits.
 */
import { text } from '../core/text.ts';
import { listOf, Malformed, natural, Reader, readAll, recordOf, Writer } from '../core/wire.ts';
import type { Engine, Seat } from '../group/engine.ts';
import { NotMemberError } from '../group/errors.ts';
import { dealt, EPOCH_ZERO } from '../group/fence.ts';
import type { Member, View } from '../group/view.ts';

const members = listOf(recordOf({ id: text, incarnation: natural }));
/** The view that I am in, or epoch 0 if I have just started; and the processes that I know have left. */
const wire = recordOf({ epoch: natural, members, left: members });

const NONE: View = { epoch: 0, members: [] };

/** See the head of this file. */
export function fixed(): Engine {
  return new Fixed();
}

class Fixed implements Engine {
  readonly name = 'fixed';
  #seat!: Seat;
  #view: View | null = null;
  /** The process of each that we are in a session with, and our own. */
  readonly #incarnations = new Map<string, number>();
  /** The incarnation of each that has left by its own word. */
  readonly #left = new Map<string, number>();
  /** Who has told us its view since its session with us began; and who of them has just started, as we. */
  readonly #heard = new Set<string>();
  readonly #newcomers = new Set<string>();
  /** A view that names a process which we have not heard yet. */
  #awaited: View | null = null;
  #highestEpoch = 0;
  #isStopped = false;

  start(seat: Seat): void {
    this.#seat = seat;
    this.#incarnations.set(seat.self.id, seat.self.incarnation);
    this.#beginTheFirst();
  }

  begins(peer: Member): void {
    this.#incarnations.set(peer.id, peer.incarnation);
    this.#newcomers.delete(peer.id);
    this.#heard.delete(peer.id);
    this.#send(peer.id, this.#view ?? NONE);
    if (this.#awaited !== null) this.#consider(this.#awaited);
  }

  receive(from: string, payload: Uint8Array): void {
    if (this.#isStopped) return;
    const { left, ...view } = readAll(wire, new Reader(payload));
    const known = [this.#seat.self.id, ...this.#seat.peers];
    if (view.members.some(({ id }) => !known.includes(id))) {
      throw new Malformed('the view names someone who is not configured');
    }
    for (const { id, incarnation } of left) {
      this.#left.set(id, Math.max(incarnation, this.#left.get(id) ?? 0));
    }
    this.#highestEpoch = Math.max(this.#highestEpoch, view.epoch);
    this.#heard.add(from);
    const epoch = this.#view?.epoch ?? 0;
    const latest =
      this.#awaited !== null && this.#awaited.epoch > view.epoch ? this.#awaited : view;
    if (latest.epoch > epoch) this.#consider(latest);
    // Whoever is behind hears of it.
    else if (view.epoch < epoch && view.epoch > 0) this.#send(from, this.#view!);
    if (this.#awaited === null && this.#view?.members.some((member) => this.#hasLeft(member))) {
      this.#propose(this.#view);
    }
    if (view.epoch > 0 || this.#view !== null) return;
    this.#newcomers.add(from);
    this.#beginTheFirst();
  }

  waitsFor(): readonly string[] {
    const { self, peers } = this.#seat;
    const silent = (id: string) => id !== self.id && !this.#heard.has(id);
    if (this.#awaited !== null) {
      const missing = this.#awaited.members.filter((member) => !this.#hasLeft(member));
      return missing.map(({ id }) => id).filter(silent);
    }
    return this.#view === null ? peers.filter(silent) : [];
  }

  /** Tells everyone the view without us. */
  async stop(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    const { self } = this.#seat;
    this.#left.set(self.id, self.incarnation);
    const members = this.#view?.members.filter(({ id }) => id !== self.id) ?? [];
    this.#tell(members.length > 0 ? { epoch: this.#nextEpoch(), members } : NONE);
  }

  /** All have just started: the first of us by name proposes. */
  #beginTheFirst(): void {
    const { self, peers } = this.#seat;
    if (!peers.every((id) => this.#newcomers.has(id) && self.id < id)) return;
    this.#propose({ epoch: 0, members: peers.map((id) => ({ id, incarnation: 0 })) });
  }

  #consider(view: View): void {
    this.#awaited = null;
    const { self } = this.#seat;
    const me = view.members.find(({ id }) => id === self.id);
    if (me !== undefined && me.incarnation > self.incarnation) {
      this.#isStopped = true;
      this.#seat.stopped(new NotMemberError(`another process has taken the place of ${self.id}`));
    } else if (this.#strangersIn(view).length > 0) this.#awaited = view;
    else if (this.#isUpToDate(view)) this.#adopt(view);
    else this.#propose(view);
  }

  /** Those we cannot talk to yet: what we said to the process before it would be lost. */
  #strangersIn({ members }: View): string[] {
    return members
      .filter((member) => member.incarnation > (this.#incarnations.get(member.id) ?? 0))
      .filter((member) => !this.#hasLeft(member))
      .map(({ id }) => id);
  }

  /** We are in it, and so is everyone of our last view who has not left; none has been replaced. */
  #isUpToDate({ members }: View): boolean {
    const { self } = this.#seat;
    const last = this.#view?.members ?? [self];
    return (
      members.every((member) => !this.#hasLeft(member) && !this.#isReplaced(member)) &&
      last.every((member) => this.#hasLeft(member) || members.some(({ id }) => id === member.id))
    );
  }

  /**
   * The same with ourselves and everyone of our last view, each as it is now; without who has left. All
   * must have been heard: else an epoch might be used that an earlier process of ours has used.
   */
  #propose(view: View): void {
    const asItIs = ({ id, incarnation }: Member): Member => ({
      id,
      incarnation: this.#incarnations.get(id) ?? incarnation,
    });
    const all = [this.#seat.self, ...(this.#view?.members ?? []), ...view.members].map(asItIs);
    const members = [...new Map(all.map((member) => [member.id, member])).values()]
      .filter((member) => !this.#hasLeft(member))
      .sort((a, b) => (a.id < b.id ? -1 : 1));
    if (members.every(({ id }) => id === this.#seat.self.id || this.#heard.has(id))) {
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
    this.#highestEpoch = Math.max(this.#highestEpoch, view.epoch);
    this.#tell(view);
    this.#seat.view(view);
  }

  /**
   * The next that is ours alone: epochs are dealt out among the configured members. It is above every
   * start of a process, by that machine's own clock: so it grows even if all have restarted and forgotten
   * what was before, as long as no machine's clock is set back.
   */
  #nextEpoch(): number {
    const { self, peers } = this.#seat;
    const all = [self.id, ...peers].sort();
    const latest = Math.max(this.#seat.now(), ...this.#incarnations.values());
    const least = Math.max(this.#highestEpoch + 1, latest - EPOCH_ZERO);
    return dealt(least, all.indexOf(self.id), all.length);
  }

  /** Also to those who are not in it: whoever is there after all, answers with one that has it. */
  #tell(view: View): void {
    for (const id of this.#seat.peers) this.#send(id, view);
  }

  #send(to: string, { epoch, members }: View): void {
    const left = [...this.#left].map(([id, incarnation]) => ({ id, incarnation }));
    const writer = new Writer();
    wire.write(writer, { epoch, members, left });
    this.#seat.send(to, writer.take());
  }
}
