/** What is seen, as a picture that a printer or a slide can take at any size. */
import { EVENTS } from '../../src/sim/columns.ts';
import type { Picture } from './picture.ts';
import { type Arrow, areaOf, Projection, type Scene, type View } from './scene.ts';
import { colourOf, type Theme } from './theme.ts';

const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

function tag(
  name: string,
  attributes: { readonly [name: string]: string | number },
  inside = '',
): string {
  const all = Object.entries(attributes).map(([key, value]) => {
    const text = typeof value === 'number' ? String(Math.round(100 * value) / 100) : escaped(value);
    return ` ${key}="${text}"`;
  });
  return `<${name}${all.join('')}>${inside}</${name}>`;
}

const line = (x1: number, y1: number, x2: number, y2: number, stroke: string, width: number) =>
  tag('line', { x1, y1, x2, y2, stroke, 'stroke-width': width });

const words = (x: number, y: number, text: string, fill: string, weight = 400, anchor = 'middle') =>
  tag('text', { x, y: y + 4, fill, 'font-weight': weight, 'text-anchor': anchor }, escaped(text));

export function svgOf(picture: Picture, view: View, scene: Scene, theme: Theme): string {
  const place = new Projection(picture, view);
  const { width, height, isDownward } = view;
  const body = [
    tag('rect', { width, height, fill: theme.ground }),
    ...scene.ticks.flatMap(({ at, text }) =>
      isDownward
        ? [line(place.top - 12, at, width, at, theme.grid, 1), words(20, at, text, theme.soft)]
        : [line(at, 24, at, height, theme.grid, 1), words(at, 13, text, theme.soft)],
    ),
    ...scene.lanes.flatMap(({ name, at }) =>
      isDownward
        ? [line(at, place.start, at, height, theme.lane, 1), words(at, 14, name, theme.ink, 600)]
        : [
            line(place.start, at, width, at, theme.lane, 1),
            words(place.start - 12, at, name, theme.ink, 600, 'end'),
          ],
    ),
    ...(['busy', 'inside'] as const).flatMap((kind) =>
      scene.shares.map((own) => {
        const points = areaOf(place, own.site, own[kind]).map((at) => at.toFixed(1));
        const fill = kind === 'busy' ? theme.waits : theme.inside;
        return tag('polygon', { points: points.join(' '), fill });
      }),
    ),
    ...scene.bars.map(({ kind, ...box }) => barOf(kind, box, theme)),
    ...scene.ribbons.map((box) => tag('rect', { ...box, fill: theme.token })),
    ...scene.arrows.map((arrow) => arrowOf(arrow, theme, scene.detail !== 'lines')),
    ...scene.bars.flatMap(({ kind, x, y, width: w, height: h, entry }) =>
      kind === 1 && Math.max(w, h) > 14
        ? [words(x + w / 2, y + h / 2, String(entry), theme.onInside, 600)]
        : [],
    ),
    ...scene.faults.flatMap(({ x, y, event }) =>
      EVENTS[event] === 'crash'
        ? [
            line(x - 5, y - 5, x + 5, y + 5, theme.fault, 2.2),
            line(x - 5, y + 5, x + 5, y - 5, theme.fault, 2.2),
          ]
        : [],
    ),
    ...scene.dots.map(({ x, y }) => tag('circle', { cx: x, cy: y, r: 2.4, fill: theme.ink })),
    ...scene.labels.flatMap(({ text, type, isToken, ...box }) => [
      tag('rect', {
        x: box.x,
        y: box.y,
        width: box.width,
        height: box.height,
        fill: theme.ground,
        opacity: 0.88,
      }),
      words(
        box.x + box.width / 2,
        box.y + box.height / 2,
        text,
        isToken ? theme.token : colourOf(theme, type),
      ),
    ]),
  ];
  const frame = {
    xmlns: 'http://www.w3.org/2000/svg',
    viewBox: `0 0 ${width} ${height}`,
    'font-family': 'system-ui, sans-serif',
    'font-size': 12,
  };
  return `${tag('svg', frame, `\n${body.join('\n')}\n`)}\n`;
}

function barOf(
  kind: number,
  { x, y, width, height }: { x: number; y: number; width: number; height: number },
  theme: Theme,
): string {
  if (kind === 1) return tag('rect', { x, y, width, height, rx: 4, fill: theme.inside });
  const [fill, stroke] = kind === 0 ? [theme.waits, theme.waitsEdge] : [theme.down, theme.soft];
  return tag('rect', { x, y, width, height, fill, stroke, 'stroke-width': 0.75 });
}

function arrowOf(arrow: Arrow, theme: Theme, hasHead: boolean): string {
  const { x1, y1, x2, y2, type, isToken, isLost, isUnderWay } = arrow;
  const colour = isToken ? theme.token : colourOf(theme, type);
  const dash = isLost || isUnderWay ? { 'stroke-dasharray': '5 4' } : {};
  const shaft = tag('line', {
    x1,
    y1,
    x2,
    y2,
    stroke: colour,
    'stroke-width': isToken ? 2.6 : 1.4,
    ...dash,
  });
  if (isLost) {
    return `${shaft}${line(x2 - 5, y2 - 5, x2 + 5, y2 + 5, theme.fault, 2.2)}${line(x2 - 5, y2 + 5, x2 + 5, y2 - 5, theme.fault, 2.2)}`;
  }
  const length = Math.hypot(x2 - x1, y2 - y1);
  if (!hasHead || isUnderWay || length < 10) return shaft;
  const [dx, dy] = [(x2 - x1) / length, (y2 - y1) / length];
  const [tx, ty] = [x2 - 3 * dx, y2 - 3 * dy];
  const corner = (side: number) =>
    `${(tx - 8 * dx + side * 3.2 * dy).toFixed(2)} ${(ty - 8 * dy - side * 3.2 * dx).toFixed(2)}`;
  return `${shaft}${tag('path', { d: `M${tx.toFixed(2)} ${ty.toFixed(2)}L${corner(1)}L${corner(-1)}z`, fill: colour })}`;
}
