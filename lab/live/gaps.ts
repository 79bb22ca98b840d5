/**
 * Members tell a limited number of steps a second, and one of them may reach the limit before the others. What the
 * others tell from then on is half of the truth: a site whose exit is left out would be shown inside, beside the next
 * site that enters. So the picture has a gap until all members tell their steps again.
 */
import type { LiveStep } from '../../src/daemon/live-protocol.ts';

export interface Gap {
  readonly from: number;
  /** Infinity while it lasts. */
  readonly to: number;
}

/** When one member told nothing, by its own clock. */
export class Pauses {
  readonly #all: { from: number; to: number }[] = [];

  /** What the member told at once, in the order of time. */
  add(steps: readonly LiveStep[], pausedAt: number | undefined): void {
    for (const { event, at } of steps) {
      if (pausedAt !== undefined && at >= pausedAt) this.#begin(pausedAt);
      if (event === 'start') this.end(at);
    }
    if (pausedAt !== undefined) this.#begin(pausedAt);
  }

  #begin(at: number): void {
    const last = this.#all.at(-1);
    if (last === undefined || last.to <= at) this.#all.push({ from: at, to: Infinity });
  }

  /** It tells its steps again, or is no longer there to tell any. */
  end(at: number): void {
    const last = this.#all.at(-1);
    if (last?.to === Infinity && at >= last.from) last.to = at;
  }

  /** Those that ended at that time or later, by a clock that is so far behind. */
  since(oldest: number, offset: number): Gap[] {
    return this.#all
      .map(({ from, to }) => ({ from: from - offset, to: to - offset }))
      .filter(({ to }) => to >= oldest);
  }
}

/** The times at which any member told nothing, in order and apart from each other. */
export function gapsOf(pauses: readonly Gap[]): Gap[] {
  const gaps: Gap[] = [];
  for (const { from, to } of [...pauses].sort((a, b) => a.from - b.from)) {
    const last = gaps.at(-1);
    if (last !== undefined && from <= last.to) {
      gaps[gaps.length - 1] = { from: last.from, to: Math.max(last.to, to) };
    } else gaps.push({ from, to });
  }
  return gaps;
}

/** The steps without those of the gaps. After each gap, `start` tells every site as its last step left it. */
export function outside<S extends LiveStep>(steps: readonly S[], gaps: readonly Gap[]): S[] {
  const kept: S[] = [];
  const latest = new Map<number, S>();
  let next = 0;
  const leave = (at: number) => {
    for (; next < gaps.length && gaps[next]!.to <= at; next++) {
      for (const step of latest.values()) kept.push(resumed(step, gaps[next]!.to));
    }
  };
  for (const step of steps) {
    leave(step.at);
    const gap = gaps[next];
    if (gap === undefined || step.at < gap.from) kept.push(step);
    latest.set(step.site, step);
  }
  leave(Number.MAX_VALUE);
  return kept;
}

const resumed = <S extends LiveStep>(step: S, at: number): S => ({
  ...step,
  ...{ at, event: 'start', enters: false, sends: [], grants: [] },
  ...{ from: undefined, id: undefined, type: undefined },
});
