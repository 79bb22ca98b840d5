/**
 * A small stand-in for the group, for the simulated world of `leased`: one lock, whose token wanders among the members
 * of the view. Like the group it begins a view by a roll call, keeps what it holds from one view to the next, drops
 * messages of another view, and checks its deadline where it enters.
 */
import type { View } from '../../src/group/view.ts';

export type ModelMessage =
  | { readonly type: 'STATE'; readonly epoch: number; readonly isInside: boolean }
  | { readonly type: 'TOKEN'; readonly epoch: number };

export interface ModelOutside {
  readonly id: string;
  send(to: string, message: ModelMessage): void;
  /** Whether the right to act has not ended, by this machine's clocks, now. */
  mayAct(): boolean;
  entered(): void;
  left(): void;
  /** A whole number from 0 to below − 1. */
  draw(below: number): number;
}

export class LockModel {
  readonly #outside: ModelOutside;
  view: View | null = null;
  isInside = false;
  /** What we told the others when the view began: a later STATE must not say otherwise. */
  #toldInside = false;
  #hasToken = false;
  /** The members whose STATE is missing; and whether one of them is inside from before. */
  #missing = new Set<string>();
  #insideElsewhere = new Set<string>();
  #early: { from: string; message: ModelMessage }[] = [];

  constructor(outside: ModelOutside) {
    this.#outside = outside;
  }

  adopt(view: View): void {
    this.view = view;
    this.#hasToken = false;
    this.#toldInside = this.isInside;
    this.#missing = new Set(view.members.map(({ id }) => id));
    this.#insideElsewhere = new Set();
    for (const { id } of view.members) this.#tell(id);
    this.#heardState(this.#outside.id, this.isInside);
    const early = this.#early;
    this.#early = [];
    for (const { from, message } of early) this.receive(from, message);
  }

  /** What was sent to the peer's last session is gone. */
  sessionBegan(peer: string): void {
    if (this.view?.members.some(({ id }) => id === peer)) this.#tell(peer);
  }

  receive(from: string, message: ModelMessage): void {
    if (message.epoch > (this.view?.epoch ?? 0)) {
      this.#early.push({ from, message });
      return;
    }
    if (message.epoch !== this.view?.epoch) return;
    if (message.type === 'STATE') this.#heardState(from, message.isInside);
    else this.#hasToken = true;
    this.work();
  }

  /** Enters with the token, or leaves and passes the token on. Is called now and then. */
  work(): void {
    if (this.view === null || this.#missing.size > 0) return;
    if (this.isInside) {
      if (this.#outside.draw(3) > 0) return;
      this.isInside = false;
      this.#outside.left();
      if (this.#hasToken) this.#passOn();
    } else if (this.#hasToken) {
      if (!this.#outside.mayAct()) return;
      this.isInside = true;
      this.#outside.entered();
    }
  }

  suspend(): void {
    this.view = null;
    this.#hasToken = false;
    if (this.isInside) this.#outside.left();
    this.isInside = false;
  }

  #tell(to: string): void {
    const { epoch } = this.view!;
    if (to !== this.#outside.id) {
      this.#outside.send(to, { type: 'STATE', epoch, isInside: this.#toldInside });
    }
  }

  /** When all have told their state, the token is where one is inside, or else at the first member. */
  #heardState(from: string, isInside: boolean): void {
    if (isInside) this.#insideElsewhere.add(from);
    if (!this.#missing.delete(from) || this.#missing.size > 0) return;
    const first = this.view!.members[0]!.id;
    const [holder = first] = this.#insideElsewhere;
    if (holder === this.#outside.id) this.#hasToken = true;
  }

  #passOn(): void {
    const { epoch, members } = this.view!;
    const to = members[this.#outside.draw(members.length)]!.id;
    if (to === this.#outside.id) return;
    this.#hasToken = false;
    this.#outside.send(to, { type: 'TOKEN', epoch });
  }
}
