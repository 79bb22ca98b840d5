import type { Control } from './messages.ts';

type InView = Control & { readonly epoch: number };
export interface FutureMessage {
  readonly from: string;
  readonly message: InView;
}

/** A bound that is above the messages that members send of a view before this member has heard of it. */
const MOST = 100_000;

/** Messages about a view that another member has adopted before this one. */
export class FutureMessages {
  all: FutureMessage[] = [];

  /** Returns false if there is no room: a view of which only a part is known must not begin. */
  keep(from: string, message: InView): boolean {
    if (this.all.length === MOST) return false;
    this.all.push({ from, message });
    return true;
  }

  /** The member's process is gone, and its messages with it. */
  forget(member: string): void {
    this.all = this.all.filter(({ from }) => from !== member);
  }

  /** The view has begun: returns its messages, in order. */
  take(epoch: number): readonly FutureMessage[] {
    const due = this.all.filter(({ message }) => message.epoch === epoch);
    this.all = this.all.filter(({ message }) => message.epoch > epoch);
    return due;
  }
}
