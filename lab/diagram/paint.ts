/** Draws a scene on a canvas. */
import { EVENTS } from '../../src/sim/columns.ts';
import { DOWN, INSIDE, type Picture, WAITS } from './picture.ts';
import { type Arrow, areaOf, Projection, type Scene, type View } from './scene.ts';
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

export function paint(
  canvas: Canvas,
  picture: Picture,
  view: View,
  scene: Scene,
  theme: Theme,
  emphasis: Emphasis,
): void {
  const place = new Projection(picture, view);
  canvas.fillStyle = theme.ground;
  canvas.fillRect(0, 0, view.width, view.height);
  canvas.font = FONT;
  canvas.textBaseline = 'middle';
  grid(canvas, view, scene, place, theme, emphasis);
  clipped(canvas, view, place, () => {
    if (scene.detail === 'shares') shares(canvas, scene, place, theme);
    else marks(canvas, scene, theme, emphasis);
    faults(canvas, view, scene, place, theme);
    if (emphasis.cursor !== null) cursor(canvas, view, place, theme, emphasis.cursor);
  });
}

const FONT = '12px system-ui, -apple-system, "Segoe UI", sans-serif';
const BOLD = `600 ${FONT}`;
const SMALL = BOLD.replace('12px', '9.5px');

/** Nothing of the marks goes over the names of the lanes. */
function clipped(canvas: Canvas, view: View, place: Projection, draw: () => void): void {
  canvas.save();
  canvas.beginPath();
  const edge = place.start - 4;
  if (view.isDownward) canvas.rect(0, edge, view.width, view.height - edge);
  else canvas.rect(edge, 0, view.width - edge, view.height);
  canvas.clip();
  draw();
  canvas.restore();
}

function grid(
  canvas: Canvas,
  view: View,
  scene: Scene,
  place: Projection,
  theme: Theme,
  { site }: Emphasis,
) {
  const { isDownward } = view;
  canvas.lineWidth = 1;
  canvas.strokeStyle = theme.grid;
  canvas.fillStyle = theme.soft;
  canvas.textAlign = 'center';
  for (const { at, text } of scene.ticks) {
    line(canvas, isDownward ? [place.top - 12, at, view.width, at] : [at, 24, at, view.height]);
    if (isDownward) canvas.fillText(text, 20, at);
    else canvas.fillText(text, at, 13);
  }
  canvas.strokeStyle = theme.lane;
  for (const lane of scene.lanes) {
    line(
      canvas,
      isDownward
        ? [lane.at, place.start, lane.at, view.height]
        : [place.start, lane.at, view.width, lane.at],
    );
    canvas.fillStyle = lane.site === site ? theme.cursor : theme.ink;
    canvas.font = BOLD;
    if (isDownward) canvas.fillText(lane.name, lane.at, 14);
    else {
      canvas.textAlign = 'right';
      if (place.laneHeight >= 13)
        canvas.fillText(lane.name, place.start - 12, lane.at, place.start - 16);
      canvas.textAlign = 'center';
    }
    canvas.font = FONT;
  }
  canvas.fillStyle = theme.ground;
  canvas.strokeStyle = theme.soft;
  for (const at of scene.breaks) {
    // Two strokes across the axis: time is cut short here.
    const [a, b] = isDownward ? [34, at] : [at, 24];
    for (const shift of [-2, 2]) {
      line(
        canvas,
        isDownward
          ? [a - 5, b + shift + 2, a + 5, b + shift - 2]
          : [a + shift - 2, b + 5, a + shift + 2, b - 5],
      );
    }
  }
}

function line(canvas: Canvas, [x1, y1, x2, y2]: readonly number[]): void {
  canvas.beginPath();
  canvas.moveTo(x1!, y1!);
  canvas.lineTo(x2!, y2!);
  canvas.stroke();
}

function marks(canvas: Canvas, scene: Scene, theme: Theme, emphasis: Emphasis): void {
  const { lit } = emphasis;
  // One path for all of a kind: a thousand bars are then two strokes of the brush.
  for (const kind of [WAITS, DOWN]) {
    canvas.beginPath();
    for (const bar of scene.bars) {
      if (bar.kind === kind) canvas.rect(bar.x, bar.y, bar.width, bar.height);
    }
    canvas.fillStyle = kind === WAITS ? theme.waits : theme.down;
    canvas.fill();
    canvas.strokeStyle = kind === WAITS ? theme.waitsEdge : theme.soft;
    canvas.lineWidth = 0.75;
    canvas.stroke();
  }
  canvas.fillStyle = theme.token;
  for (const { x, y, width, height } of scene.ribbons) canvas.fillRect(x, y, width, height);
  if (scene.detail === 'full' || lit !== null) arrows(canvas, scene, theme, emphasis);
  else manyArrows(canvas, scene, theme, emphasis);
  insides(canvas, scene, theme);
  dots(canvas, scene, theme, lit);
  canvas.globalAlpha = 1;
  canvas.textAlign = 'center';
  for (const { x, y, width, height, text, type, isToken } of scene.labels) {
    canvas.globalAlpha = 0.88;
    canvas.fillStyle = theme.ground;
    canvas.fillRect(x, y, width, height);
    canvas.globalAlpha = 1;
    canvas.fillStyle = isToken ? theme.token : colourOf(theme, type);
    canvas.fillText(text, x + width / 2, y + height / 2 + 0.5);
  }
}

/** A dot for each step: one path where none is dimmed. */
function dots(canvas: Canvas, scene: Scene, theme: Theme, lit: Emphasis['lit']): void {
  canvas.fillStyle = theme.ink;
  const draw = (alpha: number, isDrawn: (step: number) => boolean) => {
    canvas.globalAlpha = alpha;
    canvas.beginPath();
    for (const { x, y, step } of scene.dots) {
      if (!isDrawn(step)) continue;
      canvas.moveTo(x + 2.4, y);
      canvas.arc(x, y, 2.4, 0, 7);
    }
    canvas.fill();
  };
  if (lit !== null) draw(0.2, (step) => !lit.steps.has(step));
  draw(1, (step) => lit === null || lit.steps.has(step));
}

/** The entries: thick, round, and numbered in their order. A bar too thin for round corners is a plain rectangle. */
function insides(canvas: Canvas, scene: Scene, theme: Theme): void {
  const bars = scene.bars.filter(({ kind }) => kind === INSIDE);
  canvas.fillStyle = theme.inside;
  canvas.beginPath();
  for (const { x, y, width, height } of bars) {
    const radius = Math.min(4, width / 2, height / 2);
    if (radius < 1) canvas.fillRect(x, y, width, height);
    else canvas.roundRect(x, y, width, height, radius);
  }
  canvas.fill();
  canvas.textAlign = 'center';
  canvas.fillStyle = theme.onInside;
  for (const { x, y, width, height, entry } of bars) {
    const thin = Math.min(width, height);
    if (thin < 8 || Math.max(width, height) < 8 * String(entry).length + 4) continue;
    canvas.font = thin < 13 ? SMALL : BOLD;
    canvas.fillText(String(entry), x + width / 2, y + height / 2 + 0.5);
  }
  canvas.font = FONT;
}

function arrows(canvas: Canvas, scene: Scene, theme: Theme, { lit, copy: chosen }: Emphasis): void {
  const hasHeads = scene.detail !== 'lines';
  for (const arrow of scene.arrows) {
    const isChosen = arrow.copy === chosen;
    canvas.globalAlpha = lit === null || lit.copies.has(arrow.copy) || isChosen ? 1 : 0.16;
    oneArrow(canvas, arrow, theme, hasHeads, isChosen);
  }
  canvas.globalAlpha = 1;
}

function oneArrow(
  canvas: Canvas,
  arrow: Arrow,
  theme: Theme,
  hasHead: boolean,
  isChosen: boolean,
): void {
  canvas.strokeStyle = canvas.fillStyle = arrow.isToken ? theme.token : colourOf(theme, arrow.type);
  canvas.lineWidth = widthOf(arrow.isToken, hasHead) + (isChosen ? 1.6 : 0);
  const isDashed = arrow.isLost || arrow.isUnderWay;
  if (isDashed) canvas.setLineDash([5, 4]);
  canvas.beginPath();
  shaft(canvas, arrow, hasHead);
  canvas.stroke();
  if (isDashed) canvas.setLineDash([]);
  if (arrow.isLost) cross(canvas, arrow.x2, arrow.y2, theme.fault);
  else if (hasHead && !arrow.isUnderWay) {
    canvas.beginPath();
    head(canvas, arrow);
    canvas.fill();
  }
}

const widthOf = (isToken: boolean, hasHead: boolean): number =>
  isToken ? (hasHead ? 2.6 : 2) : hasHead ? 1.4 : 0.8;

/** Many messages: one path for all of a colour. The few that are lost, under way or chosen come last, one by one. */
function manyArrows(canvas: Canvas, scene: Scene, theme: Theme, { copy: chosen }: Emphasis): void {
  const hasHeads = scene.detail !== 'lines';
  const special: Arrow[] = [];
  const byColour: Arrow[][] = [...theme.types, theme.token].map(() => []);
  for (const arrow of scene.arrows) {
    if (arrow.isLost || arrow.isUnderWay || arrow.copy === chosen) special.push(arrow);
    else
      byColour[arrow.isToken ? theme.types.length : arrow.type % theme.types.length]!.push(arrow);
  }
  byColour.forEach((all, colour) => {
    const isToken = colour === theme.types.length;
    canvas.strokeStyle = canvas.fillStyle = isToken ? theme.token : theme.types[colour]!;
    canvas.lineWidth = widthOf(isToken, hasHeads);
    canvas.beginPath();
    for (const arrow of all) shaft(canvas, arrow, hasHeads);
    canvas.stroke();
    if (!hasHeads) return;
    canvas.beginPath();
    for (const arrow of all) head(canvas, arrow);
    canvas.fill();
  });
  for (const arrow of special) oneArrow(canvas, arrow, theme, hasHeads, arrow.copy === chosen);
}

/** The line of an arrow; one with a head ends before the dot. */
function shaft(canvas: Canvas, { x1, y1, x2, y2 }: Arrow, hasHead: boolean): void {
  canvas.moveTo(x1, y1);
  const length = hasHead ? Math.hypot(x2 - x1, y2 - y1) : 0;
  const part = length < 12 ? 1 : (length - 5) / length;
  canvas.lineTo(x1 + part * (x2 - x1), y1 + part * (y2 - y1));
}

function head(canvas: Canvas, { x1, y1, x2, y2, isToken }: Arrow): void {
  const length = Math.hypot(x2 - x1, y2 - y1);
  if (length < 10) return;
  const [dx, dy] = [(x2 - x1) / length, (y2 - y1) / length];
  const [tipX, tipY] = [x2 - 3 * dx, y2 - 3 * dy];
  const size = isToken ? 9 : 7.5;
  canvas.moveTo(tipX, tipY);
  canvas.lineTo(tipX - size * dx + 0.4 * size * dy, tipY - size * dy - 0.4 * size * dx);
  canvas.lineTo(tipX - size * dx - 0.4 * size * dy, tipY - size * dy + 0.4 * size * dx);
}

function cross(canvas: Canvas, x: number, y: number, colour: string): void {
  canvas.strokeStyle = colour;
  canvas.lineWidth = 2.2;
  line(canvas, [x - 5, y - 5, x + 5, y + 5]);
  line(canvas, [x - 5, y + 5, x + 5, y - 5]);
}

const MARKS: { readonly [event: string]: string } = {
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

function faults(canvas: Canvas, view: View, scene: Scene, place: Projection, theme: Theme): void {
  canvas.font = BOLD;
  for (const { x, y, event, isForced } of scene.faults) {
    const name = EVENTS[event]!;
    canvas.strokeStyle = canvas.fillStyle = theme.fault;
    canvas.lineWidth = 1;
    if (name === 'partition' || name === 'cut' || name === 'heal' || isForced) {
      canvas.setLineDash([3, 3]);
      line(
        canvas,
        view.isDownward ? [place.top, y, view.width, y] : [x, place.top - 4, x, view.height],
      );
      canvas.setLineDash([]);
    }
    if (name === 'crash') cross(canvas, x, y, theme.fault);
    const text = MARKS[name];
    if (text === undefined || scene.faults.length > 40) continue;
    canvas.textAlign = 'left';
    canvas.fillText(text, x + 7, isForced && !view.isDownward ? place.top + 2 : y - 14);
  }
  canvas.font = FONT;
}

/** Too much to see each message: how much of the time each site is inside, and waits. */
function shares(canvas: Canvas, scene: Scene, place: Projection, theme: Theme): void {
  for (const kind of ['busy', 'inside'] as const) {
    canvas.fillStyle = kind === 'busy' ? theme.waits : theme.inside;
    canvas.beginPath();
    for (const own of scene.shares) {
      const corners = areaOf(place, own.site, own[kind]);
      canvas.moveTo(corners[0]!, corners[1]!);
      for (let i = 2; i < corners.length; i += 2) canvas.lineTo(corners[i]!, corners[i + 1]!);
    }
    canvas.fill();
  }
}

function cursor(canvas: Canvas, view: View, place: Projection, theme: Theme, drawn: number): void {
  const at = place.along(drawn);
  canvas.strokeStyle = theme.cursor;
  canvas.lineWidth = 1.5;
  line(canvas, view.isDownward ? [place.top - 14, at, view.width, at] : [at, 22, at, view.height]);
}
