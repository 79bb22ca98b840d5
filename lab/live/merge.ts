/**
 * The steps that members tell, as one run. Each member has a clock of its own: they are set against each other by
 * the messages between them, and no message arrives before it was sent.
 */
import type { LiveFrame, LiveStep, LiveSteps } from '../../src/daemon/live-protocol.ts';
import { type Gap, gapsOf, outside, Pauses } from './gaps.ts';

/** What is shown at most: the newest steps of the last minutes. */
const MOST_STEPS = 4_000;
const MOST_MS = 5 * 60_000;

/** A step of a member, in the order of that member. */
export interface MergedStep extends LiveStep {
  readonly member: string;
}

/** A member goes away, or is back: by the clock of the member that the page is connected to. */
export interface Absence {
  readonly member: string;
  readonly at: number;
  readonly isAway: boolean;
}

export class LiveRun {
  readonly frame: LiveFrame;
  readonly #self: string;
  readonly #steps = new Map<string, MergedStep[]>();
  readonly #pauses = new Map<string, Pauses>();
  readonly absences: Absence[] = [];
  /** All entries, told or only counted. */
  entries = 0;

  constructor(frame: LiveFrame, self: string) {
    this.frame = frame;
    this.#self = self;
  }

  /** Whether another frame speaks of the same sites, so that the picture can go on. */
  isLike({ name, permits, algorithm, members }: LiveFrame): boolean {
    const own = this.frame;
    return (
      own.name === name &&
      own.permits === permits &&
      own.algorithm === algorithm &&
      own.members.join() === members.join()
    );
  }

  add({ member, epoch, steps, left, pausedAt }: LiveSteps): void {
    const pauses = this.#pauses.get(member) ?? new Pauses();
    this.#pauses.set(member, pauses);
    pauses.add(steps, pausedAt);
    const own = this.#steps.get(member) ?? [];
    this.#steps.set(member, own);
    // Numbers of messages begin anew with every view.
    for (const step of steps) own.push({ ...step, member, ...inEpoch(step, epoch) });
    this.entries += left.entries + steps.filter(({ enters }) => enters).length;
    const oldest = (own.at(-1)?.at ?? 0) - MOST_MS;
    let first = Math.max(0, own.length - MOST_STEPS);
    while (first < own.length && own[first]!.at < oldest) first++;
    own.splice(0, first);
  }

  addAbsence(absence: Absence): void {
    this.absences.push(absence);
    const { member, at, isAway } = absence;
    if (isAway) this.#pauses.get(member)?.end(at + (this.#offsets().get(member) ?? 0));
  }

  /** The steps that all members tell, in one order, at times that agree with it; and where there is a gap in them. */
  merged(): { readonly steps: MergedStep[]; readonly gaps: readonly Gap[] } {
    const offsets = this.#offsets();
    const all = this.#inOneOrder(offsets);
    const oldest = all[0]?.at ?? 0;
    const gaps = gapsOf(
      [...this.#pauses].flatMap(([member, pauses]) =>
        pauses.since(oldest, offsets.get(member) ?? 0),
      ),
    );
    const steps = outside(all, gaps).slice(-MOST_STEPS);
    const first = steps[0]?.at ?? 0;
    return { steps, gaps: gaps.filter(({ to }) => to >= first) };
  }

  #inOneOrder(offsets: ReadonlyMap<string, number>): MergedStep[] {
    const queues = [...this.#steps].map(([member, steps]) => ({
      steps: steps.map((step) => ({ ...step, at: step.at - (offsets.get(member) ?? 0) })),
      next: 0,
    }));
    const sent = new Set<string>();
    for (const { steps } of queues) {
      for (const { site, sends } of steps) for (const send of sends) sent.add(nameOf(site, send));
    }
    const arrived: MergedStep[] = [];
    let time = 0;
    for (;;) {
      const ready = queues.filter(
        ({ steps, next }) => next < steps.length && !isTooEarly(steps[next]!, sent),
      );
      // Only if a member has told steps out of order: then the order of times must do.
      const open = ready.length > 0 ? ready : queues.filter((q) => q.next < q.steps.length);
      if (open.length === 0) break;
      const first = open.reduce((a, b) => (b.steps[b.next]!.at < a.steps[a.next]!.at ? b : a));
      const step = first.steps[first.next++]!;
      for (const send of step.sends) sent.delete(nameOf(step.site, send));
      time = Math.max(time, step.at);
      arrived.push({ ...step, at: time });
    }
    return arrived;
  }

  /** By member, how far its clock is ahead of ours: half the difference of the fastest messages each way. */
  #offsets(): ReadonlyMap<string, number> {
    const sentAt = new Map<string, MergedStep>();
    for (const steps of this.#steps.values()) {
      for (const step of steps) {
        for (const send of step.sends) sentAt.set(nameOf(step.site, send), step);
      }
    }
    const fastest = new Map<string, number>();
    for (const steps of this.#steps.values()) {
      for (const step of steps) {
        const from = step.id === undefined ? undefined : sentAt.get(originOf(step));
        if (from === undefined) continue;
        const link = `${from.member}>${step.member}`;
        const took = step.at - from.at;
        fastest.set(link, Math.min(took, fastest.get(link) ?? Number.POSITIVE_INFINITY));
      }
    }
    const offsets = new Map<string, number>();
    for (const member of this.#steps.keys()) {
      const [there, back] = [`${this.#self}>${member}`, `${member}>${this.#self}`].map((link) =>
        fastest.get(link),
      );
      if (there !== undefined && back !== undefined) offsets.set(member, (there - back) / 2);
    }
    return offsets;
  }
}

/** Numbers are of one view: those of another must not be taken for them. */
const inEpoch = (step: LiveStep, epoch: number): Pick<LiveStep, 'id' | 'sends'> => {
  const number = (id: number) => (epoch % 1_000_003) * 2 ** 32 + id;
  return {
    ...(step.id !== undefined && { id: number(step.id) }),
    sends: step.sends.map((send) => ({ ...send, id: number(send.id) })),
  };
};

const nameOf = (site: number, { to, id }: { to: number; id: number }): string =>
  `${site}>${to} ${id}`;
export const originOf = ({ from, site, id }: LiveStep): string => `${from}>${site} ${id}`;
const isTooEarly = (step: LiveStep, sent: ReadonlySet<string>): boolean =>
  step.id !== undefined && sent.has(originOf(step));
