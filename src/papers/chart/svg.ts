/** SVG as text: elements, the frame that all figures share, and colours for light and dark. */
import { escapeMarkup } from '../../core/markup.ts';

export type Attributes = { readonly [name: string]: string | number };

/** A tenth of a pixel is finer than the eye sees, and the same on every machine. */
const attribute = (value: string | number): string =>
  typeof value === 'number' ? Number(value.toFixed(1)).toString() : escapeMarkup(value);

export function element(name: string, attributes: Attributes, ...children: string[]): string {
  const list = Object.entries(attributes).map(([key, value]) => ` ${key}="${attribute(value)}"`);
  const start = `<${name}${list.join('')}`;
  return children.length === 0 ? `${start}/>` : `${start}>${children.join('')}</${name}>`;
}

export const text = (x: number, y: number, words: string, attributes: Attributes = {}): string =>
  element('text', { x, y, ...attributes }, escapeMarkup(words));

// Okabe and Ito's colours, which people with any colour vision can tell apart; lighter on a dark ground.
const LIGHT = [
  '#0072b2',
  '#d55e00',
  '#009e73',
  '#b8528d',
  '#8a6d00',
  '#3a8fc7',
  '#555555',
  '#7b4fb5',
];
const DARK = [
  '#56b4e9',
  '#ff8c42',
  '#2fcf9f',
  '#e08fc0',
  '#e6c229',
  '#9ad1f5',
  '#bbbbbb',
  '#b796f0',
];
export const COLOURS = LIGHT.length;

const colours = (list: readonly string[]): string =>
  list.map((colour, i) => `--c${i}:${colour}`).join(';');

const STYLE = [
  `svg{--ground:#ffffff;--ink:#1f2328;--soft:#59636e;--grid:#e4e8ec;--behind:#d3dae1;${colours(LIGHT)};`,
  'font-family:system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;font-size:13px}',
  `@media(prefers-color-scheme:dark){svg{--ground:#0d1117;--ink:#e6edf3;--soft:#9aa4af;--grid:#272e37;--behind:#39424c;${colours(DARK)}}}`,
  '.ground{fill:var(--ground)}text{fill:var(--ink)}.soft{fill:var(--soft);font-size:12px}',
  '.title{font-size:16px;font-weight:600}.grid{stroke:var(--grid);stroke-width:1}',
  '.axis{stroke:var(--soft);stroke-width:1}.line{fill:none;stroke-width:2;stroke-linejoin:round}',
  '.formula{stroke-width:1.5;stroke-dasharray:6 4}.whisker{stroke-width:1.2}',
  '.behind{fill:none;stroke:var(--behind);stroke-width:1}',
  '.tiny{fill:var(--soft);font-size:10px}.small{font-size:12px}',
  ...LIGHT.map((_, i) => `.s${i}{stroke:var(--c${i})}.f${i}{fill:var(--c${i})}`),
].join('');

/** A whole picture, with its title for readers who cannot see it. */
export function frame(
  width: number,
  height: number,
  title: string,
  body: readonly string[],
): string {
  const attributes = {
    xmlns: 'http://www.w3.org/2000/svg',
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    role: 'img',
  };
  const parts = [
    element('title', {}, escapeMarkup(title)),
    element('style', {}, STYLE),
    element('rect', { class: 'ground', width, height }),
    text(20, 28, title, { class: 'title' }),
    ...body,
  ];
  return `${element('svg', attributes, '\n', parts.join('\n'), '\n')}\n`;
}
