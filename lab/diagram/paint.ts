/** Draws a scene on a canvas. */
import { EVENTS } from '../../src/sim/columns.ts';
import { DOWN, INSIDE, type Picture, WAITS } from './picture.ts';
import { type Arrow, Projection, type Scene, sharesOf, type View } from './scene.ts';
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
    if (scene.detail === 'shares') shares(canvas, picture, view, place, theme);
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
  if (scene.detail === 'lines' && lit === null) lines(canvas, scene, theme);
  else arrows(canvas, scene, theme, emphasis);
  insides(canvas, scene, theme);
  for (const { x, y, step } of scene.dots) {
    canvas.fillStyle = theme.ink;
    canvas.globalAlpha = lit === null || lit.steps.has(step) ? 1 : 0.2;
    canvas.beginPath();
    canvas.arc(x, y, 2.4, 0, 7);
    canvas.fill();
  }
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

/** The entries: thick, round, and numbered in their order. */
function insides(canvas: Canvas, scene: Scene, theme: Theme): void {
  canvas.font = BOLD;
  canvas.textAlign = 'center';
  for (const { kind, x, y, width, height, entry } of scene.bars) {
    if (kind !== INSIDE) continue;
    canvas.fillStyle = theme.inside;
    canvas.beginPath();
    canvas.roundRect(x, y, width, height, Math.min(4, width / 2, height / 2));
    canvas.fill();
    const text = String(entry);
    const thin = Math.min(width, height);
    if (thin < 8 || Math.max(width, height) < 8 * text.length + 4) continue;
    canvas.font = thin < 13 ? SMALL : BOLD;
    canvas.fillStyle = theme.onInside;
    canvas.fillText(text, x + width / 2, y + height / 2 + 0.5);
  }
  canvas.font = FONT;
}

function arrows(canvas: Canvas, scene: Scene, theme: Theme, { lit, copy: chosen }: Emphasis): void {
  const hasHeads = scene.detail !== 'lines';
  for (const arrow of scene.arrows) {
    const colour = arrow.isToken ? theme.token : colourOf(theme, arrow.type);
    const isChosen = arrow.copy === chosen;
    canvas.globalAlpha = lit === null || lit.copies.has(arrow.copy) || isChosen ? 1 : 0.16;
    canvas.strokeStyle = colour;
    canvas.lineWidth = (arrow.isToken ? 2.6 : hasHeads ? 1.4 : 0.8) + (isChosen ? 1.6 : 0);
    if (arrow.isLost || arrow.isUnderWay) canvas.setLineDash([5, 4]);
    const end = hasHeads ? shortened(arrow) : arrow;
    line(canvas, [arrow.x1, arrow.y1, end.x2, end.y2]);
    if (arrow.isLost || arrow.isUnderWay) canvas.setLineDash([]);
    if (arrow.isLost) cross(canvas, arrow.x2, arrow.y2, theme.fault);
    else if (hasHeads && !arrow.isUnderWay) head(canvas, arrow, colour);
  }
  canvas.globalAlpha = 1;
}

/** Many messages: a path for each type, without heads. */
function lines(canvas: Canvas, scene: Scene, theme: Theme): void {
  const paths = new Map<string, Path2D>();
  for (const { x1, y1, x2, y2, type, isToken } of scene.arrows) {
    const colour = isToken ? theme.token : colourOf(theme, type);
    let path = paths.get(colour);
    if (path === undefined) {
      path = new Path2D();
      paths.set(colour, path);
    }
    path.moveTo(x1, y1);
    path.lineTo(x2, y2);
  }
  for (const [colour, path] of paths) {
    canvas.strokeStyle = colour;
    canvas.lineWidth = colour === theme.token ? 2 : 0.8;
    canvas.stroke(path);
  }
}

/** Ends before the dot. */
function shortened({ x1, y1, x2, y2 }: Arrow): { x2: number; y2: number } {
  const length = Math.hypot(x2 - x1, y2 - y1);
  const part = length < 12 ? 1 : (length - 5) / length;
  return { x2: x1 + part * (x2 - x1), y2: y1 + part * (y2 - y1) };
}

function head(canvas: Canvas, arrow: Arrow, colour: string): void {
  const { x1, y1, x2, y2 } = arrow;
  const length = Math.hypot(x2 - x1, y2 - y1);
  if (length < 10) return;
  const [dx, dy] = [(x2 - x1) / length, (y2 - y1) / length];
  const [tipX, tipY] = [x2 - 3 * dx, y2 - 3 * dy];
  const size = arrow.isToken ? 9 : 7.5;
  canvas.fillStyle = colour;
  canvas.beginPath();
  canvas.moveTo(tipX, tipY);
  canvas.lineTo(tipX - size * dx + 0.4 * size * dy, tipY - size * dy - 0.4 * size * dx);
  canvas.lineTo(tipX - size * dx - 0.4 * size * dy, tipY - size * dy + 0.4 * size * dx);
  canvas.fill();
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
function shares(
  canvas: Canvas,
  picture: Picture,
  view: View,
  place: Projection,
  theme: Theme,
): void {
  const cells = Math.max(1, Math.floor(place.length / 2));
  const most = Math.max(6, place.laneHeight * 0.8);
  const all = sharesOf(picture, view, cells);
  for (const kind of [WAITS, INSIDE]) {
    canvas.beginPath();
    all.forEach(({ inside, waits }, site) => {
      const base = place.across(site) + most / 2;
      const share = (cell: number) =>
        Math.min(1, inside[cell]! + (kind === WAITS ? waits[cell]! : 0)) * most;
      outline(canvas, view, place, base, cells, share);
    });
    canvas.fillStyle = kind === WAITS ? theme.waits : theme.inside;
    canvas.fill();
  }
}

/** The area under a curve of shares, as one shape. */
function outline(
  canvas: Canvas,
  view: View,
  place: Projection,
  base: number,
  cells: number,
  share: (cell: number) => number,
): void {
  const size = place.length / cells;
  const to = (along: number, across: number) =>
    view.isDownward ? canvas.lineTo(across, along) : canvas.lineTo(along, across);
  if (view.isDownward) canvas.moveTo(base, place.start);
  else canvas.moveTo(place.start, base);
  for (let cell = 0; cell < cells; cell++)
    to(place.start + (cell + 0.5) * size, base - share(cell));
  to(place.start + place.length, base);
  canvas.closePath();
}

function cursor(canvas: Canvas, view: View, place: Projection, theme: Theme, drawn: number): void {
  const at = place.along(drawn);
  canvas.strokeStyle = theme.cursor;
  canvas.lineWidth = 1.5;
  line(canvas, view.isDownward ? [place.top - 14, at, view.width, at] : [at, 22, at, view.height]);
}
