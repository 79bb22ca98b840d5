/** A small picture for each series, with all the others behind it: what no single picture could hold. */
import type { PanelFigure, Series } from '../figure.ts';
import { shown } from '../text.ts';
import { type Scale, scaleOf } from './scale.ts';
import { element, frame, text } from './svg.ts';

const COLUMNS = 4;
const CELL = { width: 200, height: 130 };
const BOX = { left: 42, right: 190, top: 26, bottom: 104 };
const TOP = 44;

export function panelChart({ title, x, y, series }: PanelFigure): string {
  const points = series.flatMap((s) => s.points);
  const across = scaleOf(
    x,
    points.map((p) => p.x),
    BOX.left,
    BOX.right,
  );
  const up = scaleOf(
    y,
    points.map((p) => p.y),
    BOX.bottom,
    BOX.top,
  );
  const rows = Math.ceil(series.length / COLUMNS);
  const behind = series.map((s) =>
    element('polyline', { class: 'behind', points: path(s, across, up) }),
  );
  // Drawn once, shown in every panel.
  const definition = element('g', { id: 'all' }, ...behind, ...axes(across, up));
  const panels = series.map((s, i) => {
    const left = 10 + (i % COLUMNS) * CELL.width;
    const top = TOP + Math.floor(i / COLUMNS) * CELL.height;
    return element(
      'g',
      { transform: `translate(${left} ${top})` },
      element('use', { href: '#all' }),
      element('polyline', { class: 'line s0', points: path(s, across, up) }),
      text(BOX.left, 18, s.name, { class: 'small' }),
    );
  });
  const bottom = TOP + rows * CELL.height;
  const about = `across: ${x.label}; up: ${y.label}; grey: all the others`;
  return frame(20 + COLUMNS * CELL.width, bottom + 34, title, [
    element('defs', {}, definition),
    ...panels,
    text(20, bottom + 20, about, { class: 'soft' }),
  ]);
}

const path = ({ points }: Series, across: Scale, up: Scale): string =>
  points.map((p) => `${across.place(p.x).toFixed(1)},${up.place(p.y).toFixed(1)}`).join(' ');

function axes(across: Scale, up: Scale): string[] {
  const { left, right, top, bottom } = BOX;
  const small = { class: 'tiny' };
  const ends = (ticks: readonly number[]) => [ticks[0]!, ticks.at(-1)!];
  return [
    element('line', { class: 'axis', x1: left, x2: right, y1: bottom, y2: bottom }),
    element('line', { class: 'axis', x1: left, x2: left, y1: top, y2: bottom }),
    ...ends(across.ticks).map((tick) =>
      text(across.place(tick), bottom + 13, shown(tick), { ...small, 'text-anchor': 'middle' }),
    ),
    ...ends(up.ticks).map((tick) =>
      text(left - 5, up.place(tick) + 4, shown(tick), { ...small, 'text-anchor': 'end' }),
    ),
  ];
}
