/** What is seen, as data for tests, and as a picture that a printer or a slide can take at any size. */
import { EVENTS } from '../../src/sim/columns.ts';
import { controlOf, pointOf } from './curve.ts';
import { wordOf } from './labels.ts';
import { inkOf, namedEvery, TICK } from './paint.ts';
import { INSIDE, WAITS } from './picture.ts';
import { LOST, type Scene, UNDER_WAY } from './scene.ts';
import { traceShares } from './shares.ts';
import { widthOf } from './text.ts';
import { colourOf, type Theme } from './theme.ts';

/** The marks as objects. */
export const marksOf = (scene: Scene) => ({
  detail: scene.detail,
  lanes: scene.lanes,
  ticks: scene.ticks,
  breaks: scene.breaks,
  bars: scene.bars.records(),
  ribbons: scene.ribbons.records(),
  arrows: scene.arrows.records(),
  labels: scene.labels.records().map((label) => ({ ...label, text: wordOf(scene, label.type) })),
  dots: scene.dots.records(),
  faults: scene.faults.records(),
  longWaits: scene.longWaits.records(),
  gaps: scene.gaps.records(),
  violation: scene.violation,
  shares: (['busy', 'inside'] as const).flatMap((kind) =>
    scene.shares.cells === 0
      ? []
      : scene.picture!.loaded.lanes.map((site) => ({
          kind,
          site,
          corners: corners(scene, kind, site),
        })),
  ),
});

function corners(scene: Scene, kind: 'busy' | 'inside', site: number): number[] {
  const all: number[] = [];
  traceShares(scene.shares, scene.shares[kind], scene.place, site, (x, y) => all.push(x, y));
  return all;
}

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

const cross = (x: number, y: number, stroke: string) =>
  `${line(x - 5, y - 5, x + 5, y + 5, stroke, 2.2)}${line(x - 5, y + 5, x + 5, y - 5, stroke, 2.2)}`;

const words = (x: number, y: number, text: string, fill: string, weight = 400, anchor = 'middle') =>
  tag('text', { x, y: y + 4, fill, 'font-weight': weight, 'text-anchor': anchor }, escaped(text));

type Marks = ReturnType<typeof marksOf>;

export function svgOf(scene: Scene, theme: Theme): string {
  const { width, height } = scene.view;
  const legend = legendOf(scene, theme);
  const tall = height + legend.height;
  const body = [
    tag('rect', { width, height: tall, fill: theme.ground }),
    ...gridOf(scene, theme),
    tag('clipPath', { id: 'marks' }, tag('polygon', { points: clipOf(scene) })),
    tag('g', { 'clip-path': 'url(#marks)' }, `\n${drawn(scene, theme).join('\n')}\n`),
    ...legend.marks,
  ];
  const frame = {
    xmlns: 'http://www.w3.org/2000/svg',
    ...{ width, height: tall, viewBox: `0 0 ${width} ${tall}` },
    'font-family': 'system-ui, sans-serif',
    'font-size': 12,
  };
  return `${tag('svg', frame, `\n${body.join('\n')}\n`)}\n`;
}

/** Nothing of the marks goes over the names of the lanes. */
function clipOf({ view: { width, height, isDownward }, place }: Scene): string {
  const edge = place.start - 4;
  const [left, top] = isDownward ? [0, edge] : [edge, 0];
  return `${left},${top} ${width},${top} ${width},${height} ${left},${height}`;
}

function drawn(scene: Scene, theme: Theme): string[] {
  const marks = marksOf(scene);
  const { carriers } = scene.picture!.loaded;
  return [
    ...marks.gaps.map((box) => tag('rect', { ...box, fill: theme.grid, stroke: theme.soft })),
    ...marks.shares.map(({ kind, corners: points }) =>
      tag('polygon', {
        points: points.map((at) => at.toFixed(1)).join(' '),
        fill: kind === 'busy' ? theme.waits : theme.inside,
      }),
    ),
    ...marks.longWaits.map(({ wait: _, ...box }) =>
      tag('rect', { ...box, fill: 'none', stroke: theme.waitsEdge, 'stroke-width': 2 }),
    ),
    ...marks.bars.filter(({ kind }) => kind !== INSIDE).map((bar) => barOf(bar, scene, theme)),
    ...marks.ribbons.map((box) => tag('rect', { ...box, fill: theme.token })),
    ...marks.arrows.map((arrow) => arrowOf(arrow, theme, scene.detail !== 'lines')),
    ...marks.bars.filter(({ kind }) => kind === INSIDE).map((bar) => barOf(bar, scene, theme)),
    ...marks.dots.map(({ x, y }) => tag('circle', { cx: x, cy: y, r: 2.4, fill: theme.ink })),
    ...marks.faults.map((fault) => faultOf(fault, scene, theme)),
    ...(marks.violation === null ? [] : [violationOf(marks.violation, scene, theme)]),
    ...marks.labels.flatMap(({ text, type, x, y, width: wide, height: high }) => {
      const colour = inkOf(theme, type, carriers);
      return [
        tag('rect', { x, y, width: wide, height: high, fill: theme.ground, opacity: 0.88 }),
        words(x + wide / 2, y + high / 2, text, colour),
      ];
    }),
  ];
}

const LEGEND_ROW = 20;
const SAMPLE = 18;
const GAP = 16;

/** A name in the legend, and the lines that its sample is made of: the edge of a bar, and the bar above it. */
type Sample = readonly [name: string, ...lines: (readonly [stroke: string, width: number])[]];

function samplesOf({ picture }: Scene, theme: Theme): Sample[] {
  const { loaded, isUsed, isAnyDown, isAnyLost } = picture!;
  const isAnyGap = (loaded.gaps?.length ?? 0) > 0;
  const bars: [isShown: boolean, sample: Sample][] = [
    [true, ['inside', [theme.inside, 10]]],
    [true, ['waits', [theme.waitsEdge, 8], [theme.waits, 6]]],
    [isAnyDown, ['crashed', [theme.soft, 8], [theme.down, 6]]],
    [isAnyLost, ['× lost']],
    [isAnyGap, ['only counted', [theme.soft, 10], [theme.grid, 8]]],
  ];
  const messages = loaded.types.map((name, type): [boolean, Sample] => [
    isUsed[type]!,
    [name, loaded.carriers[type] ? [theme.token, 2.6] : [colourOf(theme, type), 1.4]],
  ]);
  return [...bars, ...messages].filter(([isShown]) => isShown).map(([, sample]) => sample);
}

/** What the colours mean, in as many rows as it takes: in print, nothing stands beside the picture. */
function legendOf(scene: Scene, theme: Theme): { marks: string[]; height: number } {
  const { view, place } = scene;
  const left = view.isDownward ? 8 : place.start;
  const marks: string[] = [];
  let [x, y] = [left, view.height + LEGEND_ROW / 2];
  for (const [name, ...lines] of samplesOf(scene, theme)) {
    const start = lines.length === 0 ? 0 : SAMPLE + 6;
    const wide = start + widthOf(name);
    if (x + wide > view.width && x > left) [x, y] = [left, y + LEGEND_ROW];
    marks.push(...lines.map(([stroke, thick]) => line(x, y, x + SAMPLE, y, stroke, thick)));
    const ink = lines.length === 0 ? theme.fault : theme.soft;
    marks.push(words(x + start, y, name, ink, 400, 'start'));
    x += wide + GAP;
  }
  return { marks, height: y + LEGEND_ROW / 2 + 4 - view.height };
}

function gridOf(scene: Scene, theme: Theme): string[] {
  const { view, place, ticks, breaks } = scene;
  const { width, height, isDownward } = view;
  const every = namedEvery(scene);
  return [
    ...ticks.flatMap(({ at, text }) =>
      isDownward
        ? [
            line(place.top - 12, at, width, at, theme.grid, 1),
            words(TICK.end, at, text, theme.soft, 400, 'end'),
          ]
        : [line(at, 24, at, height, theme.grid, 1), words(at, 13, text, theme.soft)],
    ),
    ...scene.lanes.flatMap(({ name, at }, i) => [
      isDownward
        ? line(at, place.start, at, height, theme.lane, 1)
        : line(place.start, at, width, at, theme.lane, 1),
      ...(i % every !== 0
        ? []
        : isDownward
          ? [words(at, 14, name, theme.ink, 600)]
          : [words(place.start - 12, at, name, theme.ink, 600, 'end')]),
    ]),
    ...breaks.flatMap((at) =>
      [-2, 2].map((shift) =>
        isDownward
          ? line(TICK.cut, at + shift + 2, TICK.cut + 10, at + shift - 2, theme.soft, 1)
          : line(at + shift - 2, 29, at + shift + 2, 19, theme.soft, 1),
      ),
    ),
  ];
}

function barOf(
  { kind, entry, part, x, y, width, height }: Marks['bars'][number],
  { view }: Scene,
  theme: Theme,
): string {
  const box = { x, y, width, height };
  if (kind === INSIDE) {
    const [alongX, alongY] = view.isDownward ? [0.5, part] : [part, 0.5];
    const isSmall = Math.max(width, height) < 8 * String(entry).length + 4;
    const number =
      entry === 0 || isSmall || Math.min(width, height) < 8
        ? ''
        : words(x + alongX * width, y + alongY * height, String(entry), theme.onInside, 600);
    return `${tag('rect', { ...box, rx: 4, fill: theme.inside })}${number}`;
  }
  const [fill, stroke] = kind === WAITS ? [theme.waits, theme.waitsEdge] : [theme.down, theme.soft];
  return tag('rect', { ...box, fill, stroke, 'stroke-width': 0.75 });
}

const violationOf = (at: number, { view, place }: Scene, { fault }: Theme): string =>
  view.isDownward
    ? line(place.top - 4, at, view.width, at, fault, 2)
    : line(at, place.top - 4, at, view.height, fault, 2);

function faultOf(
  { x, y, event, isForced }: Marks['faults'][number],
  { view, place }: Scene,
  theme: Theme,
): string {
  const name = EVENTS[event]!;
  const isWide = name === 'partition' || name === 'cut' || name === 'heal' || isForced === 1;
  const [x1, y1, x2, y2] = view.isDownward
    ? [place.top, y, view.width, y]
    : [x, place.top - 4, x, view.height];
  const across = { x1, y1, x2, y2, stroke: theme.fault, 'stroke-dasharray': '3 3' };
  return `${isWide ? tag('line', across) : ''}${name === 'crash' ? cross(x, y, theme.fault) : ''}`;
}

function arrowOf(arrow: Marks['arrows'][number], theme: Theme, hasHead: boolean): string {
  const { x1, y1, x2, y2, type, isToken, fate } = arrow;
  const colour = isToken === 1 ? theme.token : colourOf(theme, type);
  const dash = fate === LOST || fate === UNDER_WAY ? { 'stroke-dasharray': '5 4' } : {};
  const pen = { stroke: colour, 'stroke-width': isToken === 1 ? 2.6 : 1.4, ...dash };
  const shaft =
    arrow.bend === 0
      ? tag('line', { x1, y1, x2, y2, ...pen })
      : tag('polyline', { points: curveOf(arrow), fill: 'none', ...pen });
  if (fate === LOST) return `${shaft}${cross(x2, y2, theme.fault)}`;
  const [fromX, fromY] = controlOf(arrow);
  const length = Math.hypot(x2 - fromX, y2 - fromY);
  if (!hasHead || fate === UNDER_WAY || length < 5) return shaft;
  const [dx, dy] = [(x2 - fromX) / length, (y2 - fromY) / length];
  const [tx, ty] = [x2 - 3 * dx, y2 - 3 * dy];
  const corner = (side: number) =>
    `${(tx - 8 * dx + side * 3.2 * dy).toFixed(2)} ${(ty - 8 * dy - side * 3.2 * dx).toFixed(2)}`;
  return `${shaft}${tag('path', { d: `M${tx.toFixed(2)} ${ty.toFixed(2)}L${corner(1)}L${corner(-1)}z`, fill: colour })}`;
}

const PIECES = 12;

const curveOf = (arrow: Marks['arrows'][number]): string =>
  Array.from({ length: PIECES + 1 }, (_, i) =>
    pointOf(arrow, i / PIECES)
      .map((at) => at.toFixed(2))
      .join(','),
  ).join(' ');
