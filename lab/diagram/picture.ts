/** A run prepared for drawing: what never changes while it is looked at, as columns in drawn time. */
import { LOST } from '../../src/sim/columns.ts';
import type { Loaded, Rows } from '../engine/protocol.ts';
import { Axis } from './axis.ts';

export const WAITS = 0;
export const INSIDE = 1;
export const DOWN = 2;

/** Intervals of one site, in order of time. */
export interface Intervals {
  readonly from: Float64Array;
  readonly to: Float64Array;
}

/** Bars of one site, with sums: by bar, how long the site was inside, and waited, in the bars before it. */
export interface Bars extends Intervals {
  /** WAITS, INSIDE or DOWN. */
  readonly kind: Uint8Array;
  /** For INSIDE, the number of the entry in the run, from 1. */
  readonly entry: Int32Array;
  readonly insideBefore: Float64Array;
  readonly waitsBefore: Float64Array;
}

/** A wait, as drawn; and how long it took, in simulated time. */
export interface Wait {
  readonly site: number;
  readonly from: number;
  readonly to: number;
  readonly time: number;
}

const MOST_LONG_WAITS = 3;

export class Picture {
  readonly loaded: Loaded;
  readonly axis: Axis;
  /** By site, its lane. */
  readonly lane: Int32Array;
  /** By step, where it is drawn. */
  readonly drawn: Float64Array;
  /** By site, when it waits, is inside, is down. */
  readonly bars: readonly Bars[];
  /** By site, from where to where it holds a token. */
  readonly held: readonly Intervals[];
  /** By copy, where it ends as drawn. One that never arrives is drawn three times as long as others take. */
  readonly copyEnd: Float64Array;
  /** Where phases end that last until the end of the run. */
  readonly #end: number;
  /** Finds the copies that are seen, without looking at the others. */
  readonly #ends: LatestEnds;
  /** By step, the step before and after it at its site, or −1. */
  readonly before: Int32Array;
  readonly after: Int32Array;
  /** Steps that are faults or were made by an intervention. */
  readonly faults: Int32Array;
  /** The longest waits of the run, longest first. */
  readonly longWaits: readonly Wait[];
  /** By message type, whether any was sent. */
  readonly isUsed: readonly boolean[];
  /** Whether a site is down at any time, and whether a message is lost. */
  readonly isAnyDown: boolean;
  readonly isAnyLost: boolean;

  /** `axis` is given where several pictures stand at the same times. */
  constructor(loaded: Loaded, axis = new Axis(loaded.rows.time, longestOf(loaded))) {
    this.loaded = loaded;
    const { rows, nodes, lanes } = loaded;
    this.axis = axis;
    this.lane = new Int32Array(nodes);
    lanes.forEach((site, lane) => {
      this.lane[site] = lane;
    });
    this.drawn = rows.time.map((time) => this.axis.drawn(time));
    const flight = usualFlight(rows, this.drawn);
    this.#end = this.axis.length + tailOf(loaded, flight);
    this.bars = this.#bars();
    this.held = this.#held();
    this.copyEnd = new Float64Array(rows.copies);
    const never = 3 * flight;
    for (let copy = 0; copy < rows.copies; copy++) {
      const ended = rows.endedAt[copy]!;
      this.copyEnd[copy] =
        ended >= 0
          ? this.drawn[ended]!
          : Math.min(this.axis.length, this.drawn[rows.sentAt[copy]!]! + never);
    }
    this.#ends = new LatestEnds(this.copyEnd);
    [this.before, this.after] = this.#neighbours();
    const faults: number[] = [];
    for (let row = 0; row < rows.steps; row++) {
      if (rows.forced[row] === 1 || FAULTS.has(rows.event[row]!)) faults.push(row);
    }
    this.faults = Int32Array.from(faults);
    this.longWaits = this.#longWaits();
    this.isUsed = loaded.types.map((_, type) => rows.type.includes(type));
    this.isAnyDown = this.bars.some(({ kind }) => kind.includes(DOWN));
    this.isAnyLost = rows.fate.includes(LOST);
  }

  /** The first step that is drawn there or later. */
  firstStep(drawn: number): number {
    return lowerBound(this.drawn, drawn);
  }

  /** The first copy that is sent at that step or later. */
  firstCopy(step: number): number {
    return lowerBound(this.loaded.rows.sentAt, step);
  }

  /** The first copy from that number on that ends there or later; as many as there are copies if none does. */
  nextCopy(copy: number, from: number): number {
    return this.#ends.next(copy, from);
  }

  #bars(): Bars[] {
    const { rows, nodes } = this.loaded;
    const all = Array.from({ length: nodes }, () => ({
      ...{ from: [], to: [], kind: [], entry: [] },
    })) as BarLists[];
    const since = new Float64Array(nodes);
    const phase = new Uint8Array(nodes);
    const entry = new Int32Array(nodes);
    let entries = 0;
    const gaps = new Set(this.loaded.gaps);
    const close = (site: number, until: number) => {
      if (phase[site] === 0) return;
      const { from, to, kind, entry: number } = all[site]!;
      from.push(since[site]!);
      to.push(until);
      kind.push(phase[site]! - 1);
      number.push(phase[site] === 2 ? entry[site]! : 0);
    };
    for (let row = 0; row < rows.steps; row++) {
      const site = rows.site[row]!;
      if (gaps.has(row)) {
        for (let j = 0; j < nodes; j++) close(j, this.drawn[row]!);
        phase.fill(0);
      }
      if (site < 0) continue;
      const isNew = rows.enters[row] === 1;
      if (rows.phase[row] === phase[site] && !isNew) continue;
      close(site, this.drawn[row]!);
      if (isNew) entry[site] = ++entries;
      phase[site] = rows.phase[row]!;
      since[site] = this.drawn[row]!;
    }
    for (let site = 0; site < nodes; site++) close(site, this.#end);
    return all.map(barsOf);
  }

  #longWaits(): Wait[] {
    const longest: Wait[] = [];
    this.bars.forEach(({ from, to, kind }, site) => {
      for (let i = 0; i < from.length; i++) {
        if (kind[i] !== WAITS) continue;
        const time = this.axis.time(to[i]!) - this.axis.time(from[i]!);
        if (longest.length === MOST_LONG_WAITS && time <= longest.at(-1)!.time) continue;
        longest.push({ site, from: from[i]!, to: to[i]!, time });
        longest.sort((a, b) => b.time - a.time).splice(MOST_LONG_WAITS);
      }
    });
    return longest;
  }

  #held(): Intervals[] {
    const { rows, nodes, hasTokens, tokensAtFirst } = this.loaded;
    const all = Array.from({ length: nodes }, () => ({ from: [], to: [] })) as HeldLists[];
    const intervals = () =>
      all.map(({ from, to }) => ({ from: Float64Array.from(from), to: Float64Array.from(to) }));
    if (!hasTokens) return intervals();
    const held = Uint8Array.from(tokensAtFirst);
    const gaps = new Set(this.loaded.gaps);
    const since = new Float64Array(nodes);
    const close = (site: number, until: number) => {
      if (held[site] === 0) return;
      all[site]!.from.push(since[site]!);
      all[site]!.to.push(until);
    };
    for (let row = 0; row < rows.steps; row++) {
      const site = rows.site[row]!;
      if (gaps.has(row)) {
        for (let j = 0; j < nodes; j++) close(j, this.drawn[row]!);
        held.fill(0);
      }
      if (site < 0 || rows.tokens[row] === held[site]) continue;
      close(site, this.drawn[row]!);
      held[site] = rows.tokens[row]!;
      since[site] = this.drawn[row]!;
    }
    for (let site = 0; site < nodes; site++) close(site, this.#end);
    return intervals();
  }

  #neighbours(): [Int32Array, Int32Array] {
    const { rows, nodes } = this.loaded;
    const before = new Int32Array(rows.steps).fill(-1);
    const after = new Int32Array(rows.steps).fill(-1);
    const last = new Int32Array(nodes).fill(-1);
    for (let row = 0; row < rows.steps; row++) {
      const site = rows.site[row]!;
      if (site < 0) continue;
      before[row] = last[site]!;
      if (last[site]! >= 0) after[last[site]!] = row;
      last[site] = row;
    }
    return [before, after];
  }
}

/**
 * What begins with the last step would have no length. A trace of the checker, and a run that ends in a violation, go on
 * for a moment: the second site that is inside is then seen, too.
 */
function tailOf({ isUntimed, violation }: Loaded, flight: number): number {
  if (isUntimed) return 0.5;
  return violation === null ? 0 : 0.5 * flight;
}

/**
 * In a running group a lock is held a hundred times as long as a message travels. Such stretches are cut, so that
 * messages are seen as arrows and not as upright lines.
 */
function longestOf({ rows, names }: Loaded): number | undefined {
  if (names === undefined || rows.copies === 0) return undefined;
  return Math.max(0.01, 12 * usualFlight(rows, rows.time));
}

/** How long a message is under way, by the median of some thousand of them. */
function usualFlight({ copies, sentAt, endedAt }: Rows, times: Float64Array): number {
  const flights: number[] = [];
  for (let copy = 0; copy < copies; copy += Math.ceil(copies / 2_000)) {
    const ended = endedAt[copy]!;
    if (ended > sentAt[copy]!) flights.push(times[ended]! - times[sentAt[copy]!]!);
  }
  return flights.sort((a, b) => a - b)[Math.floor(flights.length / 2)] ?? 0;
}

interface HeldLists {
  readonly from: number[];
  readonly to: number[];
}
interface BarLists extends HeldLists {
  readonly kind: number[];
  readonly entry: number[];
}

function barsOf({ from, to, kind, entry }: BarLists): Bars {
  const sums = (of: number) => {
    const before = new Float64Array(from.length + 1);
    for (let i = 0; i < from.length; i++) {
      before[i + 1] = before[i]! + (kind[i] === of ? to[i]! - from[i]! : 0);
    }
    return before;
  };
  return {
    from: Float64Array.from(from),
    to: Float64Array.from(to),
    kind: Uint8Array.from(kind),
    entry: Int32Array.from(entry),
    insideBefore: sums(INSIDE),
    waitsBefore: sums(WAITS),
  };
}

/**
 * Where copies end, with the latest end of every 32 of them, of every 1,024, and so on. A message that stays under way
 * for the whole run then costs nothing where it is not the only one that is looked for.
 */
class LatestEnds {
  readonly #levels: readonly Float64Array[];

  constructor(ends: Float64Array) {
    const levels = [ends];
    for (let below = ends; below.length > FAN; ) {
      const above = new Float64Array(Math.ceil(below.length / FAN));
      for (let i = 0; i < below.length; i++) {
        const block = Math.floor(i / FAN);
        above[block] = Math.max(i % FAN === 0 ? below[i]! : above[block]!, below[i]!);
      }
      levels.push(above);
      below = above;
    }
    this.#levels = levels;
  }

  /** The first index from that on whose end is there or later; as many as there are ends if none is. */
  next(first: number, from: number): number {
    const levels = this.#levels;
    let [level, i] = [0, first];
    while (i < levels[level]!.length) {
      if (levels[level]![i]! >= from) {
        if (level === 0) return i;
        level--;
        i *= FAN;
        continue;
      }
      i++;
      for (; i % FAN === 0 && level + 1 < levels.length; level++) i /= FAN;
    }
    return levels[0]!.length;
  }
}

const FAN = 32;

/** The events that are faults, by their number in `EVENTS`: lose, duplicate, delay, crash, restart, cuts. */
const FAULTS = new Set([3, 4, 5, 9, 10, 13, 14, 15]);

/** The copy of a message, by the number of the message and its receiver; −1 where there is none. */
export function copyIn({ copies, id, to }: Rows, message: number, receiver: number): number {
  for (let copy = copies - 1; copy >= 0; copy--) {
    if (id[copy] === message && to[copy] === receiver) return copy;
  }
  return -1;
}

/** The index of the first value that is not smaller, at or after `first`: the nearer, the sooner it is found. */
export function lowerBound(sorted: ArrayLike<number>, value: number, first = 0): number {
  let [low, high] = [first, first];
  for (let stride = 1; high < sorted.length && sorted[high]! < value; stride *= 2) {
    low = high + 1;
    high += stride;
  }
  high = Math.min(high, sorted.length);
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** What led to a step, and what it led to: steps and copies, up to so many. */
export function causes(picture: Picture, step: number, most = 4000) {
  const { rows } = picture.loaded;
  const past = new Set<number>();
  const future = new Set<number>();
  const copies = new Set<number>();
  const back = [step];
  for (let next = back.pop(); next !== undefined && past.size < most; next = back.pop()) {
    if (past.has(next)) continue;
    past.add(next);
    if (picture.before[next]! >= 0) back.push(picture.before[next]!);
    const copy = rows.copy[next]!;
    if (copy < 0) continue;
    copies.add(copy);
    back.push(rows.sentAt[copy]!);
  }
  const forth = [step];
  for (let next = forth.pop(); next !== undefined && future.size < most; next = forth.pop()) {
    if (future.has(next)) continue;
    future.add(next);
    if (picture.after[next]! >= 0) forth.push(picture.after[next]!);
    for (let copy = lowerBound(rows.sentAt, next); rows.sentAt[copy] === next; copy++) {
      if (rows.endedAt[copy]! < 0) continue;
      copies.add(copy);
      forth.push(rows.endedAt[copy]!);
    }
  }
  return { past, future, copies };
}
