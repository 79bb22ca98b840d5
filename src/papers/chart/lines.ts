/** Curves over an axis, each with its intervals, and the paper's formula dashed beside it. */
import type { LineFigure, Point, Series } from '../figure.ts';
import { shown } from '../text.ts';
import { type Scale, scaleOf } from './scale.ts';
import { COLOURS, element, frame, text } from './svg.ts';

const WIDTH = 820;
const HEIGHT = 470;
const BOX = { left: 70, right: 590, top: 50, bottom: 410 };
const LINE_HEIGHT = 17;
/** Where the names begin, and what a character of them takes on average. */
const NAMES = BOX.right + 41;
const CHARACTER = 6.7;

export function lineChart({ title, x, y, series }: LineFigure): string {
  const points = series.flatMap((s) => s.points);
  const across = scaleOf(
    x,
    points.map((p) => p.x),
    BOX.left,
    BOX.right,
  );
  const up = scaleOf(
    y,
    points.flatMap((p) => [p.y, p.y + (p.ci95 ?? 0)]),
    BOX.bottom,
    BOX.top,
  );
  const colour = coloursOf(series);
  // The claims of some papers are whole sentences.
  const longest = Math.max(...series.map(({ name }) => name.length));
  return frame(Math.max(WIDTH, Math.ceil(NAMES + CHARACTER * longest)), HEIGHT, title, [
    ...axes(across, up, x.label, y.label),
    ...series.flatMap((s) => curve(s, colour(s), across, up)),
    ...labels(series, colour, up),
  ]);
}

/** A formula has the colour of what it is the formula of. */
function coloursOf(series: readonly Series[]): (one: Series) => number {
  const measured = series.filter(({ formulaOf }) => formulaOf === undefined);
  const names = [
    ...measured.map(({ name }) => name),
    ...series.filter((s) => s.formulaOf !== undefined).map(({ name }) => name),
  ];
  return ({ name, formulaOf }) => {
    const own = names.indexOf(formulaOf ?? name);
    return (own < 0 ? names.indexOf(name) : own) % COLOURS;
  };
}

function axes(across: Scale, up: Scale, xLabel: string, yLabel: string): string[] {
  const { left, right, top, bottom } = BOX;
  const vertical = across.ticks.flatMap((tick) => {
    const x = across.place(tick);
    return [
      element('line', { class: 'grid', x1: x, x2: x, y1: top, y2: bottom }),
      text(x, bottom + 18, shown(tick), { class: 'soft', 'text-anchor': 'middle' }),
    ];
  });
  const horizontal = up.ticks.flatMap((tick) => {
    const y = up.place(tick);
    return [
      element('line', { class: 'grid', x1: left, x2: right, y1: y, y2: y }),
      text(left - 8, y + 4, shown(tick), { class: 'soft', 'text-anchor': 'end' }),
    ];
  });
  const middle = (top + bottom) / 2;
  return [
    ...vertical,
    ...horizontal,
    element('line', { class: 'axis', x1: left, x2: right, y1: bottom, y2: bottom }),
    element('line', { class: 'axis', x1: left, x2: left, y1: top, y2: bottom }),
    text((left + right) / 2, bottom + 42, xLabel, { 'text-anchor': 'middle' }),
    text(20, middle, yLabel, { 'text-anchor': 'middle', transform: `rotate(-90 20 ${middle})` }),
  ];
}

function curve({ points, formulaOf }: Series, colour: number, across: Scale, up: Scale): string[] {
  const at = ({ x, y }: Point) => [across.place(x), up.place(y)] as const;
  const path = points
    .map((p) =>
      at(p)
        .map((c) => c.toFixed(1))
        .join(','),
    )
    .join(' ');
  const isFormula = formulaOf !== undefined;
  const line = element('polyline', {
    class: `line s${colour}${isFormula ? ' formula' : ''}`,
    points: path,
  });
  if (isFormula) return [line];
  const whiskers = points
    .filter(({ ci95 = 0, y }) => ci95 > 0 && y - ci95 > 0)
    .map(({ x, y, ci95 = 0 }) => {
      const place = across.place(x);
      const [y1, y2] = [up.place(y - ci95), up.place(y + ci95)];
      return element('line', { class: `whisker s${colour}`, x1: place, x2: place, y1, y2 });
    });
  return [line, ...whiskers, ...points.map((p) => marker(colour, ...at(p)))];
}

/** Shapes differ as colours do. */
function marker(colour: number, x: number, y: number): string {
  const common = { class: `f${colour}` };
  switch (colour % 4) {
    case 1:
      return element('rect', { ...common, x: x - 3.5, y: y - 3.5, width: 7, height: 7 });
    case 2:
      return element('path', { ...common, d: polygon([x, y - 5], [x + 5, y + 4], [x - 5, y + 4]) });
    case 3:
      return element('path', {
        ...common,
        d: polygon([x, y - 5], [x + 5, y], [x, y + 5], [x - 5, y]),
      });
    default:
      return element('circle', { ...common, cx: x, cy: y, r: 4 });
  }
}

const polygon = (...corners: readonly (readonly [number, number])[]): string =>
  `M${corners.map((c) => c.map((v) => v.toFixed(1)).join(' ')).join('L')}Z`;

/** Names stand where their curves end, so that a reader need not look for them; none covers another. */
function labels(series: readonly Series[], colour: (s: Series) => number, up: Scale): string[] {
  const wanted = series
    .map((s) => ({ series: s, y: up.place(s.points.at(-1)!.y) }))
    .sort((a, b) => a.y - b.y);
  const last = BOX.bottom - (wanted.length - 1) * LINE_HEIGHT;
  let next = BOX.top;
  return wanted.flatMap(({ series: s, y }, i) => {
    const place = Math.min(Math.max(y, next), last + i * LINE_HEIGHT);
    next = place + LINE_HEIGHT;
    const x = BOX.right + 16;
    const c = colour(s);
    const sample =
      s.formulaOf === undefined
        ? marker(c, x + 9, place)
        : element('line', { class: `line formula s${c}`, x1: x, x2: x + 18, y1: place, y2: place });
    return [sample, text(NAMES, place + 4, s.name)];
  });
}
