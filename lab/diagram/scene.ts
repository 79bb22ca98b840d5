/** What is seen of a picture in a window, as marks in pixels: for the canvas, for SVG, and for tests. */
import { ticks } from './axis.ts';
import { arrowAt, bendOf } from './curve.ts';
import { placeLabels } from './labels.ts';
import { INSIDE, lowerBound, type Picture } from './picture.ts';
import { Projection, type View } from './projection.ts';
import { Shares } from './shares.ts';
import { Table } from './table.ts';

/** Fewer marks the more there is to see: everything, no labels, lines alone, shares of time. */
export type Detail = 'full' | 'arrows' | 'lines' | 'shares';

/** What became of a message, in the column `fate` of arrows. */
export const UNDER_WAY = 0;
export const LOST = 2;

const MOST_LABELLED = 90;
const MOST_WITH_HEADS = 0.35;
/** Messages for each pixel of the axis that are still drawn one by one. */
const MOST_LINES = 1;
const MOST_BREAKS = 60;
const MOST_FAULTS = 2_000;

/** The marks of one window of one picture. It is filled again when the window moves, and its columns are kept. */
export class Scene {
  picture: Picture | undefined;
  view: View = { from: 0, to: 1, width: 0, height: 0, isDownward: false };
  detail: Detail = 'full';
  lanes: readonly { readonly site: number; readonly at: number; readonly name: string }[] = [];
  ticks: readonly { readonly at: number; readonly text: string }[] = [];
  breaks: readonly number[] = [];
  /** `part`: where along the bar its number stands. */
  readonly bars = new Table('x', 'y', 'width', 'height', 'kind', 'site', 'entry', 'part');
  /** Where a token is held. */
  readonly ribbons = new Table('x', 'y', 'width', 'height');
  readonly arrows = new Table('x1', 'y1', 'x2', 'y2', 'type', 'isToken', 'fate', 'copy', 'bend');
  /** Names of messages by their type, with the step that sent them, else −1; of faults, by −1 − their event. */
  readonly labels = new Table('x', 'y', 'width', 'height', 'type', 'sentAt');
  readonly dots = new Table('x', 'y', 'step');
  readonly faults = new Table('x', 'y', 'step', 'event', 'isForced');
  /** In place of bars and messages, zoomed out; with the longest waits, each by its place in `Picture.longWaits`. */
  readonly shares = new Shares();
  readonly longWaits = new Table('x', 'y', 'width', 'height', 'wait');
  /** Where the members of a running group tell no steps. */
  readonly gaps = new Table('x', 'y', 'width', 'height');
  /** Where a property is violated, along the axis; null where that is not seen. */
  violation: number | null = null;
  #place: Projection | undefined;

  get place(): Projection {
    return this.#place!;
  }

  /** While only the cursor moves, the marks stay as they are. */
  fill(picture: Picture, view: View): void {
    if (this.picture === picture && isSame(this.view, view)) return;
    const isSameSize =
      this.picture === picture &&
      this.view.width === view.width &&
      this.view.height === view.height &&
      this.view.isDownward === view.isDownward;
    this.picture = picture;
    this.view = view;
    const place = new Projection(picture, view);
    this.#place = place;
    const range = rangeOf(picture, view);
    this.detail = detailOf(picture, view, range, place.length);
    if (!isSameSize) this.lanes = lanesOf(picture, view, place);
    this.ticks = ticksOf(picture, view, place);
    this.breaks = picture.axis
      .breaksBetween(view.from, view.to, MOST_BREAKS)
      .map((b) => place.along((b.drawnFrom + b.drawnTo) / 2));
    const { bars, ribbons, arrows, labels, dots, longWaits, gaps } = this;
    for (const table of [bars, ribbons, arrows, labels, dots, longWaits, gaps]) table.clear();
    addGaps(this);
    addFaults(this, range);
    this.violation = violationOf(picture, view, place);
    if (this.detail === 'shares') {
      this.shares.fill(picture, view, place.length);
      addLongWaits(this);
    } else {
      this.shares.clear();
      addBars(this);
      addRibbons(this);
      addArrows(this, range);
      if (this.detail !== 'lines') addDots(this, range);
    }
    placeLabels(this);
  }
}

const isSame = (a: View, b: View): boolean =>
  a.from === b.from &&
  a.to === b.to &&
  a.width === b.width &&
  a.height === b.height &&
  a.isDownward === b.isDownward;

/** The steps in a window, and the end of the copies that are sent before it ends. */
interface Range {
  readonly firstStep: number;
  readonly lastStep: number;
  readonly lastCopy: number;
}

function rangeOf(picture: Picture, { from, to }: View): Range {
  const lastStep = picture.firstStep(to);
  return { firstStep: picture.firstStep(from), lastStep, lastCopy: picture.firstCopy(lastStep) };
}

/** By what there is to see: messages, or steps where sites enter without any. */
function detailOf(
  picture: Picture,
  view: View,
  { firstStep, lastStep, lastCopy }: Range,
  length: number,
): Detail {
  const most = MOST_LINES * length;
  let events = Math.max((lastStep - firstStep) / 2, lastCopy - picture.firstCopy(firstStep));
  if (events < most) {
    // Messages that were sent before the window may still be under way in it.
    let copies = 0;
    let copy = picture.nextCopy(0, view.from);
    for (; copy < lastCopy && copies <= most; copies++) {
      copy = picture.nextCopy(copy + 1, view.from);
    }
    events = Math.max(events, copies);
  }
  if (events <= MOST_LABELLED) return 'full';
  if (events < MOST_WITH_HEADS * length) return 'arrows';
  return events < most ? 'lines' : 'shares';
}

function lanesOf(picture: Picture, view: View, place: Projection): Scene['lanes'] {
  const { lanes, names } = picture.loaded;
  return lanes.map((site) => {
    const number = view.isDownward ? `${site}` : `site ${site}`;
    const name = names === undefined ? number : `${names[site]} ${site}`;
    return { site, at: place.across(site), name };
  });
}

const NUMBERS = new Intl.NumberFormat('en', { maximumFractionDigits: 3 });

function ticksOf({ axis, loaded }: Picture, view: View, place: Projection): Scene['ticks'] {
  const all = ticks(axis.time(view.from), axis.time(view.to), place.length / 90);
  let last = Number.NEGATIVE_INFINITY;
  return all.flatMap((time) => {
    // Steps of a trace are numbered: there is none between two.
    if (loaded.isUntimed && !Number.isInteger(time)) return [];
    const at = place.along(axis.drawn(time));
    if (at < place.start - 1 || at > place.start + place.length + 1 || at - last < 44) return [];
    last = at;
    return [{ at, text: NUMBERS.format(time) }];
  });
}

interface Boxes {
  readonly columns: { readonly [side in 'x' | 'y' | 'width' | 'height']: Float64Array };
  row(): number;
}

/** Adds the part of an interval on a lane that is in the window; its row. */
function addBox(
  boxes: Boxes,
  place: Projection,
  from: number,
  to: number,
  site: number,
  thickness: number,
): number {
  const start = Math.max(place.start - 2, place.along(from));
  const end = Math.min(place.start + place.length + 2, place.along(to));
  const across = place.across(site) - thickness / 2;
  const length = Math.max(1, end - start);
  const row = boxes.row();
  const { x, y, width, height } = boxes.columns;
  const { isDownward } = place.view;
  x[row] = isDownward ? across : start;
  y[row] = isDownward ? start : across;
  width[row] = isDownward ? thickness : length;
  height[row] = isDownward ? length : thickness;
  return row;
}

function addBars({ picture, view, place, bars }: Scene): void {
  const thick = Math.max(3, Math.min(24, place.laneHeight * 0.42));
  picture!.bars.forEach(({ from, to, kind, entry }, site) => {
    for (let i = lowerBound(to, view.from); i < from.length && from[i]! < view.to; i++) {
      const thickness = kind[i] === INSIDE ? thick : Math.max(2, thick * 0.4);
      const row = addBox(bars, place, from[i]!, to[i]!, site, thickness);
      const { columns } = bars;
      columns.kind[row] = kind[i]!;
      columns.site[row] = site;
      columns.entry[row] = entry[i]!;
      columns.part[row] = 0.5;
    }
  });
}

function addGaps({ picture, view, place, gaps }: Scene): void {
  const { drawn, axis, loaded } = picture!;
  const thickness = place.laneHeight * loaded.nodes;
  for (const row of loaded.gaps ?? []) {
    const [from, to] = [drawn[row]!, drawn[row + 1] ?? axis.length];
    if (to < view.from || from > view.to) continue;
    const box = addBox(gaps, place, from, to, loaded.lanes[0]!, thickness);
    gaps.columns[view.isDownward ? 'x' : 'y'][box] = place.top;
  }
}

function addLongWaits({ picture, view, place, longWaits }: Scene): void {
  picture!.longWaits.forEach(({ site, from, to }, wait) => {
    if (to < view.from || from > view.to) return;
    // Zoomed out a wait may be less than a pixel long: it is seen all the same.
    const least = (3 * (view.to - view.from)) / place.length;
    const end = Math.max(to, from + least);
    const row = addBox(longWaits, place, from, end, site, Math.max(5, 0.8 * place.laneHeight));
    longWaits.columns.wait[row] = wait;
  });
}

function violationOf(picture: Picture, view: View, place: Projection): number | null {
  const { violation, isUntimed, rows } = picture.loaded;
  if (violation === null) return null;
  const drawn = isUntimed ? picture.drawn[rows.steps - 1] : picture.axis.drawn(violation.time);
  return drawn === undefined || drawn < view.from || drawn > view.to ? null : place.along(drawn);
}

function addRibbons({ picture, view, place, ribbons }: Scene): void {
  picture!.held.forEach(({ from, to }, site) => {
    for (let i = lowerBound(to, view.from); i < from.length && from[i]! < view.to; i++) {
      addBox(ribbons, place, from[i]!, to[i]!, site, 3.5);
    }
  });
}

function addArrows(scene: Scene, { lastCopy }: Range): void {
  const { picture, view, place, arrows } = scene;
  const { drawn, copyEnd, loaded } = picture!;
  const { rows, carriers } = loaded;
  for (
    let copy = picture!.nextCopy(0, view.from);
    copy < lastCopy;
    copy = picture!.nextCopy(copy + 1, view.from)
  ) {
    const type = rows.type[copy]!;
    const fate = rows.fate[copy]!;
    const [start, sender] = [
      place.along(drawn[rows.sentAt[copy]!]!),
      place.across(rows.from[copy]!),
    ];
    let end = place.along(copyEnd[copy]!);
    let receiver = place.across(rows.to[copy]!);
    if (fate === LOST) {
      // What is lost ends between the lanes: it reached no site.
      end = start + Math.max(14, Math.min(end - start, 40));
      receiver = sender + 0.55 * (receiver - sender);
    }
    const row = arrows.row();
    const { columns } = arrows;
    columns.x1[row] = view.isDownward ? sender : start;
    columns.y1[row] = view.isDownward ? start : sender;
    columns.x2[row] = view.isDownward ? receiver : end;
    columns.y2[row] = view.isDownward ? end : receiver;
    columns.type[row] = type;
    columns.isToken[row] = carriers[type]! ? 1 : 0;
    columns.fate[row] = fate;
    columns.copy[row] = copy;
    columns.bend[row] = 0;
    if (scene.detail !== 'full' || fate === LOST) continue;
    columns.bend[row] = bendOf(picture!, place, copy, arrowAt(scene, row));
  }
}

function addDots({ picture, view, place, dots }: Scene, { firstStep, lastStep }: Range): void {
  const { site } = picture!.loaded.rows;
  for (let step = firstStep; step < lastStep; step++) {
    if (site[step]! < 0) continue;
    const row = dots.row();
    const { x, y } = dots.columns;
    const [along, across] = [place.along(picture!.drawn[step]!), place.across(site[step]!)];
    x[row] = view.isDownward ? across : along;
    y[row] = view.isDownward ? along : across;
    dots.columns.step[row] = step;
  }
}

function addFaults({ picture, view, place, faults }: Scene, { firstStep, lastStep }: Range): void {
  faults.clear();
  const { rows } = picture!.loaded;
  const all = picture!.faults;
  for (let i = lowerBound(all, firstStep); i < all.length && faults.length < MOST_FAULTS; i++) {
    const step = all[i]!;
    if (step >= lastStep) break;
    const row = faults.row();
    const { columns } = faults;
    const along = place.along(picture!.drawn[step]!);
    const across = place.across(Math.max(0, rows.site[step]!));
    columns.x[row] = view.isDownward ? across : along;
    columns.y[row] = view.isDownward ? along : across;
    columns.step[row] = step;
    columns.event[row] = rows.event[step]!;
    columns.isForced[row] = rows.forced[step]!;
  }
}
