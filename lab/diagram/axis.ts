/** Time as it is drawn: in proportion, but for stretches in which nothing happens, which are cut short. */
export class Axis {
  /** Drawn length of the whole. */
  readonly length: number;
  /** By break: where it begins and ends in time, and where it begins and ends as drawn. */
  readonly breaks: readonly Break[];

  /** A longer stretch than `longest` without an event is cut short; by default, one that is longer than nearly all. */
  constructor(times: Float64Array, longest?: number) {
    const end = times.length === 0 ? 1 : times[times.length - 1]!;
    const most = longest ?? longestShown(times, end);
    const breaks: Break[] = [];
    let saved = 0;
    let before = 0;
    for (const time of times) {
      if (time - before > most) {
        const shown = most * SHOWN;
        breaks.push({
          from: before,
          to: time,
          drawnFrom: before - saved,
          drawnTo: before - saved + shown,
        });
        saved += time - before - shown;
      }
      before = time;
    }
    this.breaks = breaks;
    this.length = Math.max(1, end - saved);
  }

  /** Where that time is drawn. */
  drawn(time: number): number {
    const last = this.#last((b) => b.from <= time);
    if (last === undefined) return time;
    if (time >= last.to) return last.drawnTo + (time - last.to);
    return (
      last.drawnFrom +
      ((time - last.from) / (last.to - last.from)) * (last.drawnTo - last.drawnFrom)
    );
  }

  /** The time that is drawn there. */
  time(drawn: number): number {
    const last = this.#last((b) => b.drawnFrom <= drawn);
    if (last === undefined) return drawn;
    if (drawn >= last.drawnTo) return last.to + (drawn - last.drawnTo);
    return (
      last.from +
      ((drawn - last.drawnFrom) / (last.drawnTo - last.drawnFrom)) * (last.to - last.from)
    );
  }

  /** The breaks between two places as drawn, up to so many; empty where there are more. */
  breaksBetween(from: number, to: number, most: number): readonly Break[] {
    const [first, end] = [
      this.#count((b) => b.drawnTo <= from),
      this.#count((b) => b.drawnFrom < to),
    ];
    return end - first > most ? [] : this.breaks.slice(first, end);
  }

  #last(holds: (b: Break) => boolean): Break | undefined {
    return this.breaks[this.#count(holds) - 1];
  }

  /** How many breaks it holds for, which are the first ones. */
  #count(holds: (b: Break) => boolean): number {
    let [low, high] = [0, this.breaks.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (holds(this.breaks[middle]!)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

export interface Break {
  readonly from: number;
  readonly to: number;
  readonly drawnFrom: number;
  readonly drawnTo: number;
}

/** One axis for several runs: cut short only where nothing happens in any of them. */
export function commonAxis(all: readonly Float64Array[]): Axis {
  const times = new Float64Array(all.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const one of all) {
    times.set(one, at);
    at += one.length;
  }
  return new Axis(times.sort());
}

/** A longer stretch without an event is cut to a part of this length. */
const SHOWN = 0.5;

function longestShown(times: Float64Array, end: number): number {
  const gaps: number[] = [];
  for (let i = 1; i < times.length; i += Math.ceil(times.length / 20_000)) {
    gaps.push(times[i]! - times[i - 1]!);
  }
  gaps.sort((a, b) => a - b);
  // Longer than nearly all, and than a fair part of an even spacing.
  const usual = gaps[Math.floor(0.97 * gaps.length)] ?? end;
  return Math.max(usual * 1.2, (8 * end) / Math.max(8, times.length), 1e-9);
}

/** Round numbers between two, about so many. */
export function ticks(from: number, to: number, count: number): number[] {
  const rough = (to - from) / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough) ?? 10 * power;
  const all: number[] = [];
  for (let i = Math.ceil(from / step); i * step <= to; i++) all.push(+(i * step).toPrecision(12));
  return all;
}
