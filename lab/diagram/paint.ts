/** Draws a scene on a canvas. */
import { EVENTS } from '../../src/sim/columns.ts';
import { arrowAt, controlOf } from './curve.ts';
import { LONG_WAIT, wordOf } from './labels.ts';
import { DOWN, INSIDE, WAITS } from './picture.ts';
import type { Projection, View } from './projection.ts';
import { LOST, type Scene, UNDER_WAY } from './scene.ts';
import { traceShares } from './shares.ts';
import { BOLD, FONT, SMALL } from './text.ts';
import { colourOf, type Theme } from './theme.ts';

export interface Emphasis {
  /** The step that the page stands at, as drawn; null where there is none. */
  readonly cursor: number | null;
  readonly site: number;
  /** Steps and copies that are lit, everything else being dimmed; null to dim nothing. */
  readonly lit: {
    readonly steps: ReadonlySet<number>;
    readonly copies: ReadonlySet<number>;
  } | null;
  readonly copy: number;
}

type Canvas = CanvasRenderingContext2D;

/** Where time runs downward: the right end of the times, and where the marks begin that cut the axis short. */
export const TICK = { end: 40, cut: 42 };

export function paint(canvas: Canvas, scene: Scene, theme: Theme, emphasis: Emphasis): void {
  const { view, place } = scene;
  canvas.fillStyle = theme.ground;
  canvas.fillRect(0, 0, view.width, view.height);
  canvas.textBaseline = 'middle';
  grid(canvas, scene, theme, emphasis);
  canvas.save();
  // Nothing of the marks goes over the names of the lanes.
  canvas.beginPath();
  const edge = place.start - 4;
  if (view.isDownward) canvas.rect(0, edge, view.width, view.height - edge);
  else canvas.rect(edge, 0, view.width - edge, view.height);
  canvas.clip();
  gaps(canvas, scene, theme);
  if (scene.detail === 'shares') shares(canvas, scene, theme);
  else marks(canvas, scene, theme, emphasis);
  faults(canvas, scene, theme);
  if (scene.violation !== null) violation(canvas, scene, theme, scene.violation);
  // Below the words, which it would strike through.
  if (emphasis.cursor !== null) cursor(canvas, view, place, theme, emphasis.cursor);
  labels(canvas, scene, theme, emphasis.lit);
  canvas.restore();
}

function grid(canvas: Canvas, scene: Scene, theme: Theme, { site }: Emphasis): void {
  const { view, place } = scene;
  const { isDownward } = view;
  canvas.lineWidth = 1;
  canvas.font = FONT;
  canvas.textAlign = isDownward ? 'right' : 'center';
  canvas.fillStyle = theme.soft;
  canvas.beginPath();
  for (const { at, text } of scene.ticks) {
    if (isDownward) trace(canvas, place.top - 12, at, view.width, at);
    else trace(canvas, at, 24, at, view.height);
    if (isDownward) canvas.fillText(text, TICK.end, at, TICK.end - 1);
    else canvas.fillText(text, at, 13);
  }
  canvas.strokeStyle = theme.grid;
  canvas.stroke();
  canvas.beginPath();
  for (const { at } of scene.lanes) {
    if (isDownward) trace(canvas, at, place.start, at, view.height);
    else trace(canvas, place.start, at, view.width, at);
  }
  canvas.strokeStyle = theme.lane;
  canvas.stroke();
  laneNames(canvas, scene, theme, site);
  canvas.beginPath();
  for (const at of scene.breaks) {
    // Two strokes across the axis: time is cut short here.
    for (let shift = -2; shift <= 2; shift += 4) {
      if (isDownward) trace(canvas, TICK.cut, at + shift + 2, TICK.cut + 10, at + shift - 2);
      else trace(canvas, at + shift - 2, 29, at + shift + 2, 19);
    }
  }
  canvas.strokeStyle = theme.soft;
  canvas.stroke();
}

/** Where lanes are thinner than their names, every so many of them has its name. */
export const namedEvery = ({ view, place }: Scene): number =>
  Math.ceil((view.isDownward ? 22 : 13) / place.laneHeight);

function laneNames(canvas: Canvas, scene: Scene, theme: Theme, site: number) {
  const { view, place, lanes } = scene;
  const every = namedEvery(scene);
  canvas.font = BOLD;
  canvas.textAlign = view.isDownward ? 'center' : 'right';
  for (let i = 0; i < lanes.length; i++) {
    const lane = lanes[i]!;
    const isChosen = lane.site === site;
    if (i % every !== 0 && !isChosen) continue;
    canvas.fillStyle = isChosen ? theme.cursor : theme.ink;
    if (view.isDownward) canvas.fillText(lane.name, lane.at, 14, place.laneHeight * every);
    else canvas.fillText(lane.name, place.start - 12, lane.at, place.start - 16);
  }
}

function trace(canvas: Canvas, x1: number, y1: number, x2: number, y2: number): void {
  canvas.moveTo(x1, y1);
  canvas.lineTo(x2, y2);
}

/** Members tell no steps there: what happens is counted, and nothing of it is drawn. */
function gaps(canvas: Canvas, { gaps: all }: Scene, theme: Theme): void {
  const { x, y, width, height } = all.columns;
  canvas.fillStyle = theme.grid;
  canvas.strokeStyle = theme.soft;
  canvas.lineWidth = 1;
  for (let i = 0; i < all.length; i++) {
    canvas.fillRect(x[i]!, y[i]!, width[i]!, height[i]!);
    canvas.strokeRect(x[i]!, y[i]!, width[i]!, height[i]!);
  }
}

function marks(canvas: Canvas, scene: Scene, theme: Theme, emphasis: Emphasis): void {
  const { lit } = emphasis;
  bars(canvas, scene, WAITS, theme.waits, theme.waitsEdge);
  bars(canvas, scene, DOWN, theme.down, theme.soft);
  canvas.fillStyle = theme.token;
  const { x, y, width, height } = scene.ribbons.columns;
  canvas.beginPath();
  for (let i = 0; i < scene.ribbons.length; i++) canvas.rect(x[i]!, y[i]!, width[i]!, height[i]!);
  canvas.fill();
  if (lit === null) arrows(canvas, scene, theme, emphasis);
  else litArrows(canvas, scene, theme, lit, emphasis.copy);
  insides(canvas, scene, theme);
  dots(canvas, scene, theme, lit);
}

/** One path for all of a kind: a thousand bars are then two strokes of the brush. */
function bars(canvas: Canvas, scene: Scene, wanted: number, fill: string, edge: string): void {
  const { x, y, width, height, kind } = scene.bars.columns;
  let isAny = false;
  canvas.beginPath();
  for (let i = 0; i < scene.bars.length; i++) {
    if (kind[i] !== wanted) continue;
    isAny = true;
    canvas.rect(x[i]!, y[i]!, width[i]!, height[i]!);
  }
  if (!isAny) return;
  canvas.fillStyle = fill;
  canvas.fill();
  // Where bars are a pixel long, their edges would be all that is seen.
  if (scene.detail === 'lines') return;
  canvas.strokeStyle = edge;
  canvas.lineWidth = 0.75;
  canvas.stroke();
}

/** A dot for each step: one path where none is dimmed. Of many, each is a small square, which is drawn at once. */
function dots(canvas: Canvas, scene: Scene, theme: Theme, lit: Emphasis['lit']): void {
  canvas.fillStyle = theme.ink;
  const { x, y, step } = scene.dots.columns;
  if (lit === null && scene.detail !== 'full') {
    for (let i = 0; i < scene.dots.length; i++) canvas.fillRect(x[i]! - 1.5, y[i]! - 1.5, 3, 3);
    return;
  }
  for (const isLit of lit === null ? [true] : [false, true]) {
    canvas.globalAlpha = isLit ? 1 : 0.2;
    canvas.beginPath();
    for (let i = 0; i < scene.dots.length; i++) {
      if (lit !== null && lit.steps.has(step[i]!) !== isLit) continue;
      canvas.moveTo(x[i]! + 2.4, y[i]!);
      canvas.arc(x[i]!, y[i]!, 2.4, 0, 7);
    }
    canvas.fill();
  }
  canvas.globalAlpha = 1;
}

/** The entries: thick, round, and numbered in their order. A bar too thin for round corners is a plain rectangle. */
function insides(canvas: Canvas, scene: Scene, theme: Theme): void {
  const { x, y, width, height, kind, entry, part } = scene.bars.columns;
  canvas.fillStyle = theme.inside;
  canvas.beginPath();
  for (let i = 0; i < scene.bars.length; i++) {
    if (kind[i] !== INSIDE) continue;
    const radius = Math.min(4, width[i]! / 2, height[i]! / 2);
    if (radius < 1) canvas.rect(x[i]!, y[i]!, width[i]!, height[i]!);
    else canvas.roundRect(x[i]!, y[i]!, width[i]!, height[i]!, radius);
  }
  canvas.fill();
  canvas.textAlign = 'center';
  canvas.fillStyle = theme.onInside;
  let font = '';
  for (let i = 0; i < scene.bars.length; i++) {
    // The number of an entry that was before a site was watched is not known.
    if (kind[i] !== INSIDE || entry[i] === 0) continue;
    const thin = Math.min(width[i]!, height[i]!);
    if (thin < 8) continue;
    const text = String(entry[i]!);
    if (Math.max(width[i]!, height[i]!) < 8 * text.length + 4) continue;
    const wanted = thin < 13 ? SMALL : BOLD;
    if (font !== wanted) {
      font = wanted;
      canvas.font = wanted;
    }
    const [alongX, alongY] = scene.view.isDownward ? [0.5, part[i]!] : [part[i]!, 0.5];
    canvas.fillText(text, x[i]! + alongX * width[i]!, y[i]! + alongY * height[i]! + 0.5);
  }
}

/** How much is left of what neither causes nor follows from the step that is lit. */
const DIMMED = 0.16;
/** Words are thin: less would not be read at all. */
const DIMMED_WORD = 0.3;

/** Causes and effects of a step; everything else is dimmed. */
function litArrows(
  canvas: Canvas,
  scene: Scene,
  theme: Theme,
  lit: NonNullable<Emphasis['lit']>,
  chosen: number,
): void {
  const { copy } = scene.arrows.columns;
  for (let i = 0; i < scene.arrows.length; i++) {
    const isChosen = copy[i] === chosen;
    canvas.globalAlpha = lit.copies.has(copy[i]!) || isChosen ? 1 : DIMMED;
    oneArrow(canvas, scene, i, theme, isChosen);
  }
  canvas.globalAlpha = 1;
}

function oneArrow(canvas: Canvas, scene: Scene, i: number, theme: Theme, isChosen: boolean): void {
  const { x2, y2, type, isToken, fate } = scene.arrows.columns;
  const hasHead = scene.detail !== 'lines';
  const colour = isToken[i] === 1 ? theme.token : colourOf(theme, type[i]!);
  canvas.strokeStyle = colour;
  canvas.fillStyle = colour;
  canvas.lineWidth = widthOf(isToken[i] === 1, scene) + (isChosen ? 1.6 : 0);
  const isDashed = fate[i] === LOST || fate[i] === UNDER_WAY;
  if (isDashed) canvas.setLineDash([5, 4]);
  canvas.beginPath();
  shaft(canvas, scene, i, hasHead);
  canvas.stroke();
  if (isDashed) canvas.setLineDash([]);
  if (fate[i] === LOST) cross(canvas, x2[i]!, y2[i]!, theme.fault);
  else if (hasHead && fate[i] !== UNDER_WAY) {
    canvas.beginPath();
    head(canvas, scene, i);
    canvas.fill();
  }
}

/** A line of at most one pixel is drawn four times as fast: with many messages, only the token is wider. */
const widthOf = (isToken: boolean, { detail }: Scene): number => {
  if (isToken) return detail === 'lines' ? 1 : 2.6;
  return detail === 'full' ? 1.4 : detail === 'arrows' ? 1 : 0.8;
};

/** All of a colour together. The few that are lost, under way or chosen come last, one by one. */
function arrows(canvas: Canvas, scene: Scene, theme: Theme, { copy: chosen }: Emphasis): void {
  const { type, fate, copy } = scene.arrows.columns;
  const { length } = scene.arrows;
  const hasHeads = scene.detail !== 'lines';
  const isSpecial = (i: number) => fate[i] === LOST || fate[i] === UNDER_WAY || copy[i] === chosen;
  const { isUsed, loaded } = scene.picture!;
  for (let wanted = 0; wanted < loaded.types.length; wanted++) {
    if (!isUsed[wanted]) continue;
    const carries = loaded.carriers[wanted]!;
    const colour = carries ? theme.token : colourOf(theme, wanted);
    const width = widthOf(carries, scene);
    canvas.strokeStyle = colour;
    canvas.lineWidth = width;
    canvas.beginPath();
    for (let i = 0; i < length; i++) {
      if (type[i] !== wanted || isSpecial(i)) continue;
      shaft(canvas, scene, i, hasHeads);
      // Wide lines that cross cost more in one path than each by itself; thin ones do not.
      if (width <= 1) continue;
      canvas.stroke();
      canvas.beginPath();
    }
    canvas.stroke();
    if (!hasHeads) continue;
    canvas.fillStyle = colour;
    canvas.beginPath();
    for (let i = 0; i < length; i++) {
      if (type[i] === wanted && !isSpecial(i)) head(canvas, scene, i);
    }
    canvas.fill();
  }
  for (let i = 0; i < length; i++) {
    if (isSpecial(i)) oneArrow(canvas, scene, i, theme, copy[i] === chosen);
  }
}

/** The line of an arrow; one with a head ends before the dot. */
function shaft(canvas: Canvas, scene: Scene, i: number, hasHead: boolean): void {
  const { columns } = scene.arrows;
  const [x1, y1] = [columns.x1[i]!, columns.y1[i]!];
  const [dx, dy] = [columns.x2[i]! - x1, columns.y2[i]! - y1];
  const length = hasHead ? Math.sqrt(dx * dx + dy * dy) : 0;
  const part = length < 12 ? 1 : (length - 5) / length;
  canvas.moveTo(x1, y1);
  if (columns.bend[i] === 0) {
    canvas.lineTo(x1 + part * dx, y1 + part * dy);
    return;
  }
  const [bentX, bentY] = controlOf(arrowAt(scene, i));
  const [endX, endY] = [columns.x2[i]! - bentX, columns.y2[i]! - bentY];
  const short = length < 12 ? 0 : 5 / Math.hypot(endX, endY);
  const [tipX, tipY] = [columns.x2[i]! - short * endX, columns.y2[i]! - short * endY];
  canvas.quadraticCurveTo(bentX, bentY, tipX, tipY);
}

function head(canvas: Canvas, scene: Scene, i: number): void {
  const { columns } = scene.arrows;
  const [x2, y2] = [columns.x2[i]!, columns.y2[i]!];
  const isBent = columns.bend[i] !== 0;
  const [fromX, fromY] = isBent ? controlOf(arrowAt(scene, i)) : [columns.x1[i]!, columns.y1[i]!];
  const [wide, high] = [x2 - fromX, y2 - fromY];
  const length = Math.sqrt(wide * wide + high * high);
  if (length < 10) return;
  const [dx, dy] = [wide / length, high / length];
  const [tipX, tipY] = [x2 - 3 * dx, y2 - 3 * dy];
  const size = columns.isToken[i] === 1 ? 9 : 7.5;
  canvas.moveTo(tipX, tipY);
  canvas.lineTo(tipX - size * dx + 0.4 * size * dy, tipY - size * dy - 0.4 * size * dx);
  canvas.lineTo(tipX - size * dx - 0.4 * size * dy, tipY - size * dy + 0.4 * size * dx);
}

function cross(canvas: Canvas, x: number, y: number, colour: string): void {
  canvas.strokeStyle = colour;
  canvas.lineWidth = 2.2;
  canvas.beginPath();
  trace(canvas, x - 5, y - 5, x + 5, y + 5);
  trace(canvas, x - 5, y + 5, x + 5, y - 5);
  canvas.stroke();
}

/** Crosses where sites crash, and lines across all lanes where links or interventions are concerned. */
function faults(canvas: Canvas, { faults: all, view, place }: Scene, theme: Theme): void {
  const { x, y, event, isForced } = all.columns;
  for (let i = 0; i < all.length; i++) {
    const name = EVENTS[event[i]!]!;
    if (name === 'partition' || name === 'cut' || name === 'heal' || isForced[i] === 1) {
      canvas.strokeStyle = theme.fault;
      canvas.lineWidth = 1;
      canvas.setLineDash([3, 3]);
      canvas.beginPath();
      if (view.isDownward) trace(canvas, place.top, y[i]!, view.width, y[i]!);
      else trace(canvas, x[i]!, place.top - 4, x[i]!, view.height);
      canvas.stroke();
      canvas.setLineDash([]);
    }
    if (name === 'crash') cross(canvas, x[i]!, y[i]!, theme.fault);
  }
}

/** Where the run goes wrong: a line across all lanes. */
function violation(canvas: Canvas, { view, place }: Scene, theme: Theme, at: number): void {
  canvas.strokeStyle = theme.fault;
  canvas.lineWidth = 2;
  canvas.beginPath();
  if (view.isDownward) trace(canvas, place.top - 4, at, view.width, at);
  else trace(canvas, at, place.top - 4, at, view.height);
  canvas.stroke();
}

/** The colour of a label, by its type. */
export function inkOf(theme: Theme, type: number, carriers: readonly boolean[]): string {
  if (type <= LONG_WAIT) return theme.ink;
  if (type < 0) return theme.fault;
  return carriers[type]! ? theme.token : colourOf(theme, type);
}

function labels(canvas: Canvas, scene: Scene, theme: Theme, lit: Emphasis['lit']): void {
  const { x, y, width, height, type, sentAt } = scene.labels.columns;
  const { length } = scene.labels;
  canvas.globalAlpha = 0.88;
  canvas.fillStyle = theme.ground;
  for (let i = 0; i < length; i++) canvas.fillRect(x[i]!, y[i]!, width[i]!, height[i]!);
  canvas.globalAlpha = 1;
  canvas.textAlign = 'center';
  canvas.font = FONT;
  const { carriers } = scene.picture!.loaded;
  const isLit = lit === null ? () => true : sentIn(scene, lit);
  for (let i = 0; i < length; i++) {
    canvas.globalAlpha = sentAt[i]! < 0 || isLit(type[i]!, sentAt[i]!) ? 1 : DIMMED_WORD;
    canvas.fillStyle = inkOf(theme, type[i]!, carriers);
    canvas.fillText(wordOf(scene, type[i]!), x[i]! + width[i]! / 2, y[i]! + height[i]! / 2 + 0.5);
  }
  canvas.globalAlpha = 1;
}

/** Whether any message of a fan is lit: it has one name. */
function sentIn({ picture, arrows }: Scene, lit: NonNullable<Emphasis['lit']>) {
  const { rows } = picture!.loaded;
  const fans = new Set<string>();
  for (let i = 0; i < arrows.length; i++) {
    const copy = arrows.columns.copy[i]!;
    if (lit.copies.has(copy)) fans.add(`${rows.type[copy]} ${rows.sentAt[copy]}`);
  }
  return (type: number, sentAt: number): boolean => fans.has(`${type} ${sentAt}`);
}

/** Too much to see each message: how much of the time each site is inside, and waits; and the longest waits. */
function shares(canvas: Canvas, scene: Scene, theme: Theme): void {
  for (const [all, colour] of [
    [scene.shares.busy, theme.waits],
    [scene.shares.inside, theme.inside],
  ] as const) {
    canvas.fillStyle = colour;
    canvas.beginPath();
    for (let site = 0; site < scene.picture!.loaded.nodes; site++) {
      let isFirst = true;
      traceShares(scene.shares, all, scene.place, site, (x, y) => {
        if (isFirst) canvas.moveTo(x, y);
        else canvas.lineTo(x, y);
        isFirst = false;
      });
    }
    canvas.fill();
  }
  const { x, y, width, height } = scene.longWaits.columns;
  canvas.strokeStyle = theme.waitsEdge;
  canvas.lineWidth = 2;
  for (let i = 0; i < scene.longWaits.length; i++) {
    canvas.strokeRect(x[i]!, y[i]!, width[i]!, height[i]!);
  }
}

function cursor(canvas: Canvas, view: View, place: Projection, theme: Theme, drawn: number): void {
  const at = place.along(drawn);
  canvas.strokeStyle = theme.cursor;
  canvas.lineWidth = 1.5;
  canvas.beginPath();
  if (view.isDownward) trace(canvas, place.top - 14, at, view.width, at);
  else trace(canvas, at, 22, at, view.height);
  canvas.stroke();
}
