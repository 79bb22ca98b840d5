/** Words in the diagram, each where it hides no bar, no step and no other word: what happened to a site, and names of messages. */
import { EVENTS } from '../../src/sim/columns.ts';
import { wrongOf } from '../model/wrong.ts';
import { arrowAt, pointOf } from './curve.ts';
import { INSIDE } from './picture.ts';
import type { Scene } from './scene.ts';
import { widthOf } from './text.ts';

const FAULT_WORDS: { readonly [event: string]: string } = {
  duplicate: '×2',
  delay: 'later',
  crash: 'crash',
  restart: 'back',
  partition: 'partition',
  cut: 'cut',
  heal: 'healed',
  request: 'asks',
  exit: 'leaves',
};
/** With more faults than that, their words would be a carpet: the crosses remain. */
const MOST_FAULT_WORDS = 40;

/** Between closer lanes, names would hide the messages themselves; and so would one that covers most of its arrow. */
const LEAST_LANE = 28;
const HEIGHT = 15;
/** The radius of the dot of a step. */
const DOT = 2.4;
/** Free space on the left and on the right of a word. */
const SIDE = 4;
/** Where along a message its name may stand, best first. */
const PARTS = [0.5, 0.4, 0.6, 0.3, 0.7, 0.22, 0.78];

const NUMBER_PARTS = [0.5, 0.4, 0.6, 0.3, 0.7];

/** Types of labels that are neither a message nor a fault: what is violated, and the longest waits by their place. */
const VIOLATION = -100;
export const LONG_WAIT = -200;

/** The word of a label. */
export function wordOf({ picture }: Scene, type: number): string {
  const { types, violation } = picture!.loaded;
  if (type >= 0) return types[type]!;
  if (type === VIOLATION) return wrongOf(violation!.property);
  if (type > LONG_WAIT) return FAULT_WORDS[EVENTS[-1 - type]!]!;
  return `waits ${NUMBERS.format(picture!.longWaits[LONG_WAIT - type]!.time)}`;
}

const NUMBERS = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });

export function placeLabels(scene: Scene): void {
  if (scene.violation !== null) placeViolation(scene, scene.violation);
  if (scene.faults.length <= MOST_FAULT_WORDS) placeFaultWords(scene);
  placeLongWaits(scene);
  const { isDownward } = scene.view;
  if (scene.detail !== 'full') return;
  placeNumbers(scene);
  if (!isDownward && scene.place.laneHeight < LEAST_LANE) return;
  placeNames(scene);
}

/** The number of an entry stands in the middle of its bar, or else where no step is in its way. */
function placeNumbers({ bars, dots, view }: Scene): void {
  const { x, y, width, height, kind, entry, part } = bars.columns;
  for (let bar = 0; bar < bars.length; bar++) {
    if (kind[bar] !== INSIDE) continue;
    const half = (view.isDownward ? 10 : 4 + 4 * String(entry[bar]).length) + DOT;
    const isFree = (at: number) => {
      const [u, v] = [x[bar]! + width[bar]! / 2, y[bar]! + height[bar]! / 2];
      const along = view.isDownward ? y[bar]! + at * height[bar]! : x[bar]! + at * width[bar]!;
      for (let i = 0; i < dots.length; i++) {
        const [beside, across] = view.isDownward
          ? [dots.columns.y[i]! - along, dots.columns.x[i]! - u]
          : [dots.columns.x[i]! - along, dots.columns.y[i]! - v];
        if (Math.abs(beside) < half && Math.abs(across) < DOT) return false;
      }
      return true;
    };
    part[bar] = NUMBER_PARTS.find(isFree) ?? 0.5;
  }
}

/** Beside its line, between two lanes, where it is free. */
function placeViolation(scene: Scene, along: number): void {
  const { place, view, picture } = scene;
  const wide = widthOf(wordOf(scene, VIOLATION)) / 2 + SIDE + 3;
  for (let lane = 0; lane < picture!.loaded.nodes; lane++) {
    const across = place.top + lane * place.laneHeight + (view.isDownward ? wide : 8);
    for (const side of [-1, 1]) {
      const beside = along + side * (view.isDownward ? HEIGHT / 2 + 3 : wide);
      const [x, y] = view.isDownward ? [across, beside] : [beside, across];
      if (add(scene, x, y, wordOf(scene, VIOLATION), VIOLATION)) return;
    }
  }
}

/** Over the wait, or beside it. */
function placeLongWaits(scene: Scene): void {
  const { x, y, width, height, wait } = scene.longWaits.columns;
  for (let i = 0; i < scene.longWaits.length; i++) {
    const type = LONG_WAIT - wait[i]!;
    const word = wordOf(scene, type);
    const { isDownward } = scene.view;
    const [middleX, middleY] = [x[i]! + width[i]! / 2, y[i]! + height[i]! / 2];
    const long = isDownward ? height[i]! : width[i]!;
    const own = isDownward ? HEIGHT : widthOf(word) + 2 * SIDE;
    const aside = (long + own) / 2 + 2;
    for (const shift of long > own ? [0, aside, -aside] : [aside, -aside]) {
      const [dx, dy] = isDownward ? [0, shift] : [shift, 0];
      if (add(scene, middleX + dx, middleY + dy, word, type)) break;
    }
  }
}

function placeFaultWords(scene: Scene): void {
  const { x, y, event } = scene.faults.columns;
  const half = Math.min(12, 0.21 * scene.place.laneHeight) + 2;
  for (let i = 0; i < scene.faults.length; i++) {
    const word = FAULT_WORDS[EVENTS[event[i]!]!];
    if (word === undefined) continue;
    const wide = widthOf(word) / 2 + SIDE;
    // Beside the lane, before or after the moment; further away where that is taken.
    for (let k = 0; k < 8; k++) {
      const along = (k & 1 ? -1 : 1) * (scene.view.isDownward ? HEIGHT / 2 + 2 : wide + 3);
      const far = half + (scene.view.isDownward ? wide : HEIGHT / 2) + (k >= 4 ? HEIGHT : 0);
      const across = (k & 2 ? 1 : -1) * far;
      const [dx, dy] = scene.view.isDownward ? [-across, along] : [along, across];
      if (add(scene, x[i]! + dx, y[i]! + dy, word, -1 - event[i]!)) break;
    }
  }
}

/** One name for each fan of messages: those of one type that a step sends. */
function placeNames(scene: Scene): void {
  const { arrows, picture } = scene;
  const { sentAt } = picture!.loaded.rows;
  const { type, copy } = arrows.columns;
  for (let first = 0; first < arrows.length; first++) {
    const sent = sentAt[copy[first]!]!;
    const isOfFan = (i: number) => type[i] === type[first] && sentAt[copy[i]!] === sent;
    let isNamed = false;
    for (let i = first - 1; i >= 0 && sentAt[copy[i]!] === sent; i--) isNamed ||= isOfFan(i);
    for (let part = 0; part < PARTS.length && !isNamed; part++) {
      for (let i = first; i < arrows.length && sentAt[copy[i]!] === sent && !isNamed; i++) {
        if (isOfFan(i)) isNamed = addName(scene, i, PARTS[part]!);
      }
    }
  }
}

function addName(scene: Scene, arrow: number, part: number): boolean {
  const { x1, y1, x2, y2, type } = scene.arrows.columns;
  const [dx, dy] = [x2[arrow]! - x1[arrow]!, y2[arrow]! - y1[arrow]!];
  const word = scene.picture!.loaded.types[type[arrow]!]!;
  const hidden = Math.min((widthOf(word) + 2 * SIDE) / Math.abs(dx), HEIGHT / Math.abs(dy));
  if (hidden > (scene.view.isDownward ? 0.7 : 0.5)) return false;
  const [x, y] = pointOf(arrowAt(scene, arrow), part);
  const sentAt = scene.picture!.loaded.rows.sentAt[scene.arrows.columns.copy[arrow]!]!;
  return add(scene, x, y, word, type[arrow]!, sentAt);
}

/** Adds a word around that point, unless something is in its way. */
function add(scene: Scene, x: number, y: number, word: string, type: number, sentAt = -1): boolean {
  const { labels, bars, ribbons, dots, arrows, view, place } = scene;
  const width = widthOf(word) + 2 * SIDE;
  const [left, top] = [x - width / 2, y - HEIGHT / 2];
  const [leftmost, topmost] = view.isDownward
    ? [place.top - 8, place.start]
    : [place.start - 4, 24];
  const isSeen =
    left > leftmost && top > topmost && left + width < view.width && top + HEIGHT < view.height;
  if (!isSeen) return false;
  if ([bars, labels, ribbons].some((taken) => isTaken(taken, left, top, width))) return false;
  if (hidesSpot(dots.columns.x, dots.columns.y, dots.length, left, top, width)) return false;
  // An arrow that ends before it reaches a lane has a cross at its end, or nothing.
  const { x2, y2 } = arrows.columns;
  if (hidesSpot(x2, y2, arrows.length, left, top, width)) return false;
  const row = labels.row();
  const { columns } = labels;
  columns.x[row] = left;
  columns.y[row] = top;
  columns.width[row] = width;
  columns.height[row] = HEIGHT;
  columns.type[row] = type;
  columns.sentAt[row] = sentAt;
  return true;
}

/** Whether a word there would lie on one of these spots. */
function hidesSpot(
  x: Float64Array,
  y: Float64Array,
  length: number,
  left: number,
  top: number,
  wide: number,
): boolean {
  for (let i = 0; i < length; i++) {
    const isBeside = x[i]! < left - DOT || x[i]! > left + wide + DOT;
    if (!isBeside && y[i]! > top - DOT && y[i]! < top + HEIGHT + DOT) return true;
  }
  return false;
}

interface Boxes {
  readonly length: number;
  readonly columns: { readonly [side in 'x' | 'y' | 'width' | 'height']: Float64Array };
}

function isTaken({ length, columns }: Boxes, left: number, top: number, wide: number): boolean {
  const { x, y, width, height } = columns;
  for (let i = 0; i < length; i++) {
    if (left >= x[i]! + width[i]! || x[i]! >= left + wide) continue;
    if (top < y[i]! + height[i]! && y[i]! < top + HEIGHT) return true;
  }
  return false;
}
