/** The chart writer: well-formed, readable, honest about its axes. */
import { describe, expect, test } from 'vitest';
import { draw } from '../../src/papers/chart/draw.ts';
import { scaleOf } from '../../src/papers/chart/scale.ts';
import { asCsv } from '../../src/papers/csv.ts';
import type { BarFigure, LineFigure, PanelFigure } from '../../src/papers/figure.ts';
import { shown } from '../../src/papers/text.ts';

const labels = { id: 'a', paper: 'rcv', caption: '' } as const;
const lines: LineFigure = {
  ...{ ...labels, kind: 'lines', title: 'R & D < "all"' },
  x: { label: 'nodes' },
  y: { label: 'messages' },
  series: [
    {
      name: 'one',
      points: [
        { x: 5, y: 10, ci95: 2 },
        { x: 10, y: 20 },
      ],
    },
    {
      name: 'two',
      points: [
        { x: 5, y: 11 },
        { x: 10, y: 20.1 },
      ],
    },
    {
      name: '2N',
      formulaOf: 'one',
      points: [
        { x: 5, y: 10 },
        { x: 10, y: 20 },
      ],
    },
  ],
};
const bars: BarFigure = {
  ...{
    ...labels,
    kind: 'bars',
    title: 'bars',
    x: { label: 'messages' },
    groups: ['light', 'heavy'],
  },
  bars: [
    { name: 'raymond', values: [6, 4], marks: [null, 4] },
    { name: 'none', values: [0, 0] },
  ],
};
const panels: PanelFigure = { ...lines, kind: 'panels' };

/** Tags that open and close, attributes in quotes, nothing unescaped. Throws at the first that is not so. */
function parse(xml: string): string[] {
  const open: string[] = [];
  const seen: string[] = [];
  let rest = xml.trim();
  while (rest !== '') {
    const tag = /^<(\/?)([a-z]+)((?: [a-zA-Z][a-zA-Z0-9:-]*="[^"<]*")*)(\/?)>/.exec(rest);
    if (tag === null) {
      const [text] = /^(?:[^<&]|&(?:amp|lt|gt|quot);)+/.exec(rest) ?? [''];
      if (text === '' || open.length === 0) throw new Error(`not XML at: ${rest.slice(0, 60)}`);
      rest = rest.slice(text.length);
      continue;
    }
    const [whole, closing, name, , alone] = tag;
    if (closing === '/' && open.pop() !== name) throw new Error(`</${name}> closes another`);
    if (closing === '' && alone === '') open.push(name!);
    if (closing === '') seen.push(name!);
    rest = rest.slice(whole.length);
  }
  if (open.length > 0) throw new Error(`<${open.at(-1)}> is not closed`);
  return seen;
}

describe('a drawing', () => {
  test.each([lines, bars, panels])('$kind: well-formed, with a title', (figure) => {
    const tags = parse(draw(figure));
    expect(tags[0]).toBe('svg');
    expect(tags).toContain('title');
  });
  test('what is not well-formed would be seen', () => {
    expect(() => parse('<svg><g></svg>')).toThrow('</svg> closes another');
    expect(() => parse('<svg>a & b</svg>')).toThrow('not XML');
    expect(() => parse('<svg a=b></svg>')).toThrow('not XML');
  });
  test('words are escaped', () => {
    expect(draw(lines)).toContain('R &amp; D &lt; &quot;all&quot;');
  });
  test('knows light and dark', () => {
    expect(draw(lines)).toContain('prefers-color-scheme:dark');
  });
  test('a formula is dashed, in the colour of its curve, without markers', () => {
    const svg = draw(lines);
    expect(svg.match(/<polyline class="line s0 formula"/g)).toHaveLength(1);
    expect(svg.match(/<circle class="f0"/g)).toHaveLength(3); // two points, and one beside the name
  });
  test('whiskers stand where an interval is known', () => {
    expect(draw(lines).match(/class="whisker s0"/g)).toHaveLength(1);
  });
  test('names at the ends of curves do not cover each other', () => {
    const places = [...draw(lines).matchAll(/<text x="631" y="([\d.]+)">/g)].map(([, y]) =>
      Number(y),
    );
    expect(places).toHaveLength(3);
    for (const [i, y] of places.slice(1).entries())
      expect(y - places[i]!).toBeGreaterThanOrEqual(17);
  });
  test('a drawing is as wide as its longest name needs, and no wider than others where all are short', () => {
    const wide = (name: string) => {
      const [first, ...others] = lines.series;
      const svg = draw({ ...lines, series: [{ ...first!, name }, ...others] });
      return Number(/viewBox="0 0 (\d+) /.exec(svg)![1]);
    };
    expect(wide('N, or 0 for the holder')).toBe(820);
    // A letter takes about 6.7 of the 12 pixels of its height; the names begin at 631.
    const claim = '3 to write, 6 to read, 1 more for each site that has passed the token on';
    expect(wide(claim)).toBeGreaterThan(631 + 6.6 * claim.length);
  });
  test('has no number that is none', () => {
    for (const figure of [lines, bars, panels])
      expect(draw(figure)).not.toMatch(/NaN|Infinity|undefined/);
  });
});

test('data as CSV: one line for each point or bar, with its interval or mark', () => {
  const csv = asCsv({
    ...{ id: 'x', paper: 'rcv', title: '', caption: '', kind: 'lines' },
    ...{ x: { label: '' }, y: { label: '' } },
    series: [
      { name: 'a, "b"', points: [{ x: 1, y: 2.5, ci95: 0.25 }] },
      { name: 'N', points: [{ x: 1, y: 3 }], formulaOf: 'a' },
    ],
  });
  expect(csv.split('\r\n')).toEqual([
    ...['series,kind,x,y,ci95', '"a, ""b""",measured,1,2.5,0.25', 'N,formula,1,3,', ''],
  ]);
  expect(asCsv(bars).split('\r\n')[0]).toBe('bar,group,value,mark');
  expect(asCsv(bars).split('\r\n')).toHaveLength(2 + bars.groups.length * bars.bars.length);
});

describe('axes', () => {
  const ticks = (values: number[], scale: 'linear' | 'log' = 'linear') =>
    scaleOf({ label: '', scale }, values, 0, 100).ticks;
  test('linear: steps of 1, 2 or 5, from zero, and all values within', () => {
    expect(ticks([3, 47])).toEqual([0, 10, 20, 30, 40, 50]);
    expect(ticks([0.1, 0.93])).toEqual([0, 0.2, 0.4, 0.6, 0.8, 1]);
    expect(ticks([0])).toEqual([0, 1]);
    expect(ticks([1234, 58_000]).at(-1)).toBe(60_000);
  });
  test('logarithmic: 1, 2, 5 over few decades, powers of ten over many', () => {
    expect(ticks([3, 90], 'log')).toEqual([2, 5, 10, 20, 50, 100]);
    expect(ticks([0.0001, 0.1], 'log')).toEqual([0.0001, 0.001, 0.01, 0.1]);
    expect(ticks([10, 10_000], 'log')).toEqual([10, 100, 1000, 10_000]);
  });
  test('values lie where their ticks are', () => {
    const { place } = scaleOf({ label: '', scale: 'log' }, [1, 100], 0, 100);
    expect([place(1), place(10), place(100)].map(Math.round)).toEqual([0, 50, 100]);
    const up = scaleOf({ label: '' }, [0, 50], 400, 0);
    expect([up.place(0), up.place(25), up.place(50)]).toEqual([400, 200, 0]);
  });
});

test('numbers as people read them', () => {
  expect(
    [0, 3, 3.456, 0.012345, 0.00012345, 12.5, 123.456, 12_345.6, -2.5, 1 / 0].map(shown),
  ).toEqual(['0', '3', '3.46', '0.012', '0.000123', '12.5', '123.5', '12,346', '−2.5', '∞']);
});
