/** Names down the side, for each a bar of each group, and a mark where the paper puts it. */
import type { BarFigure } from '../figure.ts';
import { shown } from '../text.ts';
import { scaleOf } from './scale.ts';
import { element, frame, text } from './svg.ts';

const WIDTH = 820;
const LEFT = 210;
const RIGHT = 770;
const TOP = 66;
const BAR = 9;

export function barChart({ title, x, groups, bars }: BarFigure): string {
  const rowHeight = groups.length * BAR + 9;
  const bottom = TOP + bars.length * rowHeight;
  const values = bars.flatMap((b) => [...b.values, ...(b.marks ?? []).filter(isNumber)]);
  const across = scaleOf(
    x,
    values.filter((v) => x.scale !== 'log' || v > 0),
    LEFT,
    RIGHT,
  );
  const start = across.place(across.ticks[0]!);
  const grid = across.ticks.flatMap((tick) => {
    const place = across.place(tick);
    return [
      element('line', { class: 'grid', x1: place, x2: place, y1: TOP - 4, y2: bottom }),
      text(place, bottom + 16, shown(tick), { class: 'soft', 'text-anchor': 'middle' }),
    ];
  });
  const rows = bars.flatMap(({ name, values: lengths, marks = [] }, row) => {
    const top = TOP + row * rowHeight;
    const own = lengths.map((value, group) => {
      const [y, height] = [top + group * BAR, BAR - 1];
      const end = value > 0 || x.scale !== 'log' ? across.place(value) : start;
      const bar = element('rect', {
        ...{ class: `f${group}`, x: start, y, width: Math.max(end - start, 1), height },
      });
      const mark = marks[group];
      if (!isNumber(mark) || mark <= 0) return bar;
      const place = across.place(mark);
      const line = { class: 'axis', x1: place, x2: place, y1: y - 1, y2: y + height + 1 };
      return bar + element('line', { ...line, 'stroke-width': 2, style: 'stroke:var(--ink)' });
    });
    const middle = top + (groups.length * BAR) / 2 + 4;
    return [text(LEFT - 10, middle, name, { 'text-anchor': 'end' }), ...own];
  });
  const hasMarks = bars.some(({ marks }) => marks?.some(isNumber));
  return frame(WIDTH, bottom + 48, title, [
    ...legend(groups, hasMarks),
    ...grid,
    ...rows,
    text((LEFT + RIGHT) / 2, bottom + 38, x.label, { 'text-anchor': 'middle' }),
  ]);
}

const isNumber = (value: number | null | undefined): value is number => typeof value === 'number';

function legend(groups: readonly string[], hasMarks: boolean): string[] {
  let x = LEFT;
  const parts = groups.flatMap((name, group) => {
    const at = x;
    x += 36 + 7.2 * name.length;
    return [
      element('rect', { class: `f${group}`, x: at, y: 42, width: 14, height: 9 }),
      text(at + 20, 51, name),
    ];
  });
  if (!hasMarks) return parts;
  const line = { class: 'axis', x1: x + 4, x2: x + 4, y1: 40, y2: 52, 'stroke-width': 2 };
  return [
    ...parts,
    element('line', { ...line, style: 'stroke:var(--ink)' }),
    text(x + 12, 51, 'the paper'),
  ];
}
