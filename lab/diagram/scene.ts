/** What is seen of a picture in a window, as marks in pixels: for the canvas, for SVG, and for tests. */
import { ticks } from './axis.ts';
import { INSIDE, lowerBound, type Picture, WAITS } from './picture.ts';

/** From where to where, in drawn time; how large, in pixels; and whether time runs downward. */
export interface View {
  readonly from: number;
  readonly to: number;
  readonly width: number;
  readonly height: number;
  readonly isDownward: boolean;
}

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}
export interface Bar extends Box {
  readonly kind: number;
  readonly site: number;
  readonly entry: number;
}
export interface Arrow {
  readonly copy: number;
  readonly x1: number;
  readonly y1: number;
  readonly x2: number;
  readonly y2: number;
  readonly type: number;
  readonly isToken: boolean;
  readonly isLost: boolean;
  readonly isUnderWay: boolean;
}
export interface Label extends Box {
  readonly text: string;
  readonly type: number;
  readonly isToken: boolean;
}
export interface Dot {
  readonly x: number;
  readonly y: number;
  readonly step: number;
}

/** Fewer marks the more there is to see: everything, no labels, lines alone, shares of time. */
export type Detail = 'full' | 'arrows' | 'lines' | 'shares';

export interface Scene {
  readonly detail: Detail;
  readonly lanes: readonly { readonly site: number; readonly at: number; readonly name: string }[];
  readonly ticks: readonly { readonly at: number; readonly text: string }[];
  readonly breaks: readonly number[];
  readonly bars: readonly Bar[];
  readonly ribbons: readonly Box[];
  readonly arrows: readonly Arrow[];
  readonly labels: readonly Label[];
  readonly dots: readonly Dot[];
  /** In place of all other marks, zoomed out: by site, the share of each cell that it is inside, and inside or waiting. */
  readonly shares: readonly {
    readonly site: number;
    readonly inside: readonly number[];
    readonly busy: readonly number[];
  }[];
  readonly faults: readonly (Dot & { readonly event: number; readonly isForced: boolean })[];
}

function laneName(name: string | undefined, site: number, { isDownward }: View): string {
  if (name !== undefined) return `${name} ${site}`;
  return isDownward ? `${site}` : `site ${site}`;
}

const MARGIN = { lanes: 64, axis: 30, end: 14 };
const MOST_LABELLED = 90;
const MOST_WITH_HEADS = 0.35;
const MOST_LINES = 2.5;
const MOST_BREAKS = 60;
/** Pixels that one share of time stands for. */
const SHARE_CELL = 2;
const CHARACTER = 6.7;

/** Where things are: time and lanes to pixels, both ways. */
export class Projection {
  readonly #picture: Picture;
  readonly view: View;
  readonly length: number;
  readonly #across: number;

  constructor(picture: Picture, view: View) {
    this.#picture = picture;
    this.view = view;
    const { width, height, isDownward } = view;
    this.length = Math.max(1, (isDownward ? height : width) - this.start - MARGIN.end);
    this.#across = (isDownward ? width : height) - this.top;
  }

  /** Where time begins, along its own direction. */
  get start(): number {
    return this.view.isDownward ? 34 : MARGIN.lanes;
  }

  /** Where lanes begin, across. */
  get top(): number {
    return this.view.isDownward ? 44 : MARGIN.axis;
  }

  along(drawn: number): number {
    const { from, to } = this.view;
    return this.start + ((drawn - from) / (to - from)) * this.length;
  }

  drawn(along: number): number {
    const { from, to } = this.view;
    return from + ((along - this.start) / this.length) * (to - from);
  }

  get laneHeight(): number {
    return this.#across / this.#picture.loaded.nodes;
  }

  across(site: number): number {
    return this.top + (this.#picture.lane[site]! + 0.5) * this.laneHeight;
  }

  /** The site whose lane is nearest. */
  siteAt(across: number): number {
    const { lanes } = this.#picture.loaded;
    const lane = Math.floor((across - this.top) / this.laneHeight);
    return lanes[Math.max(0, Math.min(lanes.length - 1, lane))]!;
  }

  point(drawn: number, site: number): readonly [number, number] {
    const [along, across] = [this.along(drawn), this.across(site)];
    return this.view.isDownward ? [across, along] : [along, across];
  }

  box(from: number, to: number, site: number, thickness: number): Box {
    const start = Math.max(this.start - 2, this.along(from));
    const end = Math.min(this.start + this.length + 2, this.along(to));
    const across = this.across(site) - thickness / 2;
    const length = Math.max(1, end - start);
    return this.view.isDownward
      ? { x: across, y: start, width: thickness, height: length }
      : { x: start, y: across, width: length, height: thickness };
  }
}

export function sceneOf(picture: Picture, view: View): Scene {
  const place = new Projection(picture, view);
  const { rows } = picture.loaded;
  const [firstCopy, lastCopy] = picture.copiesBetween(view.from, view.to);
  const detail = detailOf(picture, view, lastCopy - firstCopy, place.length);
  const bars = detail === 'shares' ? [] : barsOf(picture, view, place);
  const arrows = detail === 'shares' ? [] : arrowsOf(picture, place, view, firstCopy, lastCopy);
  const dots: Dot[] = [];
  if (detail === 'full' || detail === 'arrows') {
    const last = picture.firstStep(view.to);
    for (let step = picture.firstStep(view.from); step < last; step++) {
      if (rows.site[step]! < 0) continue;
      const [x, y] = place.point(picture.drawn[step]!, rows.site[step]!);
      dots.push({ x, y, step });
    }
  }
  return {
    detail,
    lanes: picture.loaded.lanes.map((site) => ({
      ...{ site, at: place.across(site) },
      name: laneName(picture.loaded.names?.[site], site, view),
    })),
    ticks: ticksOf(picture, view, place),
    breaks: picture.axis
      .breaksBetween(view.from, view.to, MOST_BREAKS)
      .map((b) => place.along((b.drawnFrom + b.drawnTo) / 2)),
    bars,
    ribbons: detail === 'shares' ? [] : ribbonsOf(picture, view, place),
    arrows,
    labels: detail === 'full' ? labelsOf(picture, arrows, bars, view) : [],
    dots,
    shares:
      detail === 'shares'
        ? sharesOf(picture, view, Math.max(1, Math.floor(place.length / SHARE_CELL)))
        : [],
    faults: faultsOf(picture, view, place),
  };
}

/** By what there is to see: messages, or steps where sites enter without any. */
function detailOf(picture: Picture, view: View, copies: number, length: number): Detail {
  const steps = picture.firstStep(view.to) - picture.firstStep(view.from);
  const events = Math.max(copies, steps / 2);
  if (events <= MOST_LABELLED) return 'full';
  const density = events / length;
  if (density < MOST_WITH_HEADS) return 'arrows';
  return density < MOST_LINES ? 'lines' : 'shares';
}

function barsOf(picture: Picture, view: View, place: Projection): Bar[] {
  const thick = Math.max(3, Math.min(24, place.laneHeight * 0.42));
  return picture.bars.flatMap(({ from, to, kind, entry }, site) => {
    const bars: Bar[] = [];
    for (let i = lowerBound(to, view.from); i < from.length && from[i]! < view.to; i++) {
      const thickness = kind[i] === 1 ? thick : Math.max(2, thick * 0.4);
      bars.push({
        ...place.box(from[i]!, to[i]!, site, thickness),
        kind: kind[i]!,
        site,
        entry: entry[i]!,
      });
    }
    return bars;
  });
}

function ribbonsOf(picture: Picture, view: View, place: Projection): Box[] {
  return picture.held.flatMap(({ from, to }, site) => {
    const boxes: Box[] = [];
    for (let i = lowerBound(to, view.from); i < from.length && from[i]! < view.to; i++) {
      boxes.push(place.box(from[i]!, to[i]!, site, 3.5));
    }
    return boxes;
  });
}

function arrowsOf(
  picture: Picture,
  place: Projection,
  view: View,
  first: number,
  last: number,
): Arrow[] {
  const { rows, carriers } = picture.loaded;
  const arrows: Arrow[] = [];
  for (let copy = first; copy < last; copy++) {
    if (picture.copyEnd[copy]! < view.from) continue;
    const sent = rows.sentAt[copy]!;
    const [x1, y1] = place.point(picture.drawn[sent]!, rows.from[copy]!);
    let [x2, y2] = place.point(picture.copyEnd[copy]!, rows.to[copy]!);
    const type = rows.type[copy]!;
    const isLost = rows.fate[copy] === 2;
    const isUnderWay = rows.fate[copy] === 0;
    // What is lost ends between the lanes: it reached nobody.
    if (isLost) [x2, y2] = halfWay([x1, y1], [x2, y2], view.isDownward);
    arrows.push({ copy, x1, y1, x2, y2, type, isToken: carriers[type]!, isLost, isUnderWay });
  }
  return arrows;
}

type Point = readonly [number, number];

function halfWay([x1, y1]: Point, [x2, y2]: Point, isDownward: boolean): [number, number] {
  const [dx, dy] = [x2 - x1, y2 - y1];
  if (isDownward) return [x1 + 0.55 * dx, y1 + Math.max(14, Math.min(dy, 40))];
  return [x1 + Math.max(14, Math.min(dx, 40)), y1 + 0.55 * dy];
}

/** One label for each fan of messages, where it meets neither a bar nor another label. */
function labelsOf(
  picture: Picture,
  arrows: readonly Arrow[],
  bars: readonly Bar[],
  view: View,
): Label[] {
  const { rows, types } = picture.loaded;
  const fans = new Map<string, Arrow[]>();
  for (const arrow of arrows) {
    const name = `${rows.sentAt[arrow.copy]} ${arrow.type}`;
    fans.set(name, [...(fans.get(name) ?? []), arrow]);
  }
  const taken: Box[] = [...bars];
  const labels: Label[] = [];
  for (const fan of fans.values()) {
    const text = types[fan[0]!.type]!;
    const [width, height] = [text.length * CHARACTER + 6, 15];
    for (const { x, y } of places(fan)) {
      const box = { x: x - width / 2, y: y - height / 2, width, height };
      const isInside =
        box.x > 2 && box.y > 16 && box.x + width < view.width - 2 && box.y + height < view.height;
      const isLeft = !view.isDownward && box.x < MARGIN.lanes;
      if (!isInside || isLeft || taken.some((other) => overlap(box, other))) continue;
      taken.push(box);
      labels.push({ ...box, text, type: fan[0]!.type, isToken: fan[0]!.isToken });
      break;
    }
  }
  return labels;
}

function* places(fan: readonly Arrow[]) {
  for (const part of [0.5, 0.4, 0.6, 0.3, 0.7]) {
    for (const { x1, y1, x2, y2 } of fan) {
      yield { x: x1 + part * (x2 - x1), y: y1 + part * (y2 - y1) };
    }
  }
}

const overlap = (a: Box, b: Box): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

function ticksOf(picture: Picture, view: View, place: Projection): Scene['ticks'] {
  const { axis } = picture;
  const all = ticks(axis.time(view.from), axis.time(view.to), place.length / 90);
  let last = Number.NEGATIVE_INFINITY;
  return all.flatMap((time) => {
    const at = place.along(axis.drawn(time));
    if (at < place.start - 1 || at > place.start + place.length + 1 || at - last < 44) return [];
    last = at;
    return [{ at, text: NUMBERS.format(time) }];
  });
}

const NUMBERS = new Intl.NumberFormat('en', { maximumFractionDigits: 3 });

function faultsOf(picture: Picture, view: View, place: Projection): Scene['faults'] {
  const { rows } = picture.loaded;
  const first = lowerBound(picture.faults, picture.firstStep(view.from));
  const faults: (Dot & { event: number; isForced: boolean })[] = [];
  for (let i = first; i < picture.faults.length && faults.length < 2000; i++) {
    const step = picture.faults[i]!;
    if (picture.drawn[step]! > view.to) break;
    const site = rows.site[step]!;
    const [x, y] = place.point(picture.drawn[step]!, Math.max(0, site));
    faults.push({ x, y, step, event: rows.event[step]!, isForced: rows.forced[step] === 1 });
  }
  return faults;
}

/** For each lane, along the window: the share of time inside, and of waiting on top of it, cell by cell. */
function sharesOf(picture: Picture, view: View, cells: number): Scene['shares'] {
  const span = (view.to - view.from) / cells;
  return picture.bars.map(({ from, to, kind, insideBefore, waitsBefore }, site) => {
    const inside: number[] = new Array(cells);
    const busy: number[] = new Array(cells);
    let [wasInside, wasWaiting] = [0, 0];
    let at = 0;
    // What lies between two edges is a difference of sums: the length of the run hardly matters.
    for (let cell = -1; cell < cells; cell++) {
      const edge = view.from + (cell + 1) * span;
      at = lowerBound(to, edge, at);
      const begun = at < from.length && from[at]! < edge ? edge - from[at]! : 0;
      const nowInside = insideBefore[at]! + (kind[at] === INSIDE ? begun : 0);
      const nowWaiting = waitsBefore[at]! + (kind[at] === WAITS ? begun : 0);
      if (cell >= 0) {
        inside[cell] = Math.min(1, (nowInside - wasInside) / span);
        busy[cell] = Math.min(1, inside[cell]! + (nowWaiting - wasWaiting) / span);
      }
      wasInside = nowInside;
      wasWaiting = nowWaiting;
    }
    return { site, inside, busy };
  });
}

/** The area below a curve of shares, as corners in pixels. */
export function areaOf(place: Projection, site: number, shares: readonly number[]): number[] {
  const most = Math.max(6, place.laneHeight * 0.8);
  const base = place.across(site) + most / 2;
  const size = place.length / shares.length;
  const corners: number[] = [];
  const add = (along: number, across: number) => {
    if (place.view.isDownward) corners.push(across, along);
    else corners.push(along, across);
  };
  add(place.start, base);
  for (let cell = 0; cell < shares.length; cell++) {
    const share = shares[cell]!;
    // A stretch of equal shares needs its ends only.
    if (cell > 0 && share === shares[cell - 1] && share === shares[cell + 1]) continue;
    add(place.start + (cell + 0.5) * size, base - share * most);
  }
  add(place.start + place.length, base);
  return corners;
}
